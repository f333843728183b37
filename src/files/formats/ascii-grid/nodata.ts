import { firstSlice, type Grid } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';

/** The default nodata value of the format. */
export const usualNodata = -9999;
/** Integers up to this size are exact in Float32. */
const largestWhole = 2 ** 24;
/** The lowest number of Float32, a common nodata value. The last one that is tried. */
export const lowestSingle = -3.4028234663852886e38;

/** Replaces each NaN. Returns false if there is a NaN, but no replacement. */
export function fillNaN(samples: Samples, replacement: number | undefined): boolean {
  for (let at = 0; at < samples.length; at++) {
    if (!Number.isNaN(samples[at])) continue;
    if (replacement === undefined) return false;
    samples[at] = replacement;
  }
  return true;
}

/**
 * Finds the integer nearest to −9999 that no cell of the first band has, of two the lower one. Reads all rows and keeps
 * a bit for each of the n + 1 nearest integers, of which n cells leave at least one free.
 */
export async function freeNodata(grid: Grid, signal: AbortSignal): Promise<number> {
  const reach = Math.min(Math.ceil((grid.width * grid.height) / 2), largestWhole + usualNodata);
  const lowest = usualNodata - reach;
  const taken = new Uint8Array(Math.ceil((2 * reach + 1) / 8));
  for await (const { samples } of grid.rows(firstSlice)) {
    signal.throwIfAborted();
    for (let i = 0; i < samples.length; i++) {
      const bit = samples[i]! - lowest;
      if (bit >= 0 && bit <= 2 * reach && Number.isInteger(bit)) taken[bit >> 3]! |= 1 << (bit & 7);
    }
  }
  const isTaken = (value: number) => (taken[(value - lowest) >> 3]! & (1 << ((value - lowest) & 7))) !== 0;
  for (let away = 0; away <= reach; away++) {
    for (const value of [usualNodata - away, usualNodata + away]) if (!isTaken(value)) return value;
  }
  return lowestSingle;
}
