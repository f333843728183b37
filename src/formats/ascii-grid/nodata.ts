import type { Grid } from '../../data/grid.ts';
import { firstSlice } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';

/** What an ASCII grid that declares no value means by cells without data. */
export const usualNodata = -9999;
/** Whole numbers up to this size are exact in Float32, too. */
const largestWhole = 2 ** 24;
/** The lowest number of Float32; programs know it as a value of cells without data. The last that is tried. */
export const lowestSingle = -3.4028234663852886e38;

/** Puts `instead` in the place of each NaN. False: there is a NaN and nothing to put there. */
export function fillNaN(samples: Samples, instead: number | undefined): boolean {
  for (let at = 0; at < samples.length; at++) {
    if (!Number.isNaN(samples[at])) continue;
    if (instead === undefined) return false;
    samples[at] = instead;
  }
  return true;
}

/**
 * The whole number nearest to the usual value that no cell of the first band has, of two the lower one. Reads all rows once more and
 * keeps one bit for each whole number that is near enough: n cells cannot take all of the n + 1 nearest.
 */
export async function freeNodata(grid: Grid, signal: AbortSignal): Promise<number> {
  const reach = Math.min(Math.ceil((grid.width * grid.height) / 2), largestWhole + usualNodata);
  const lowest = usualNodata - reach;
  const taken = new Uint8Array(Math.ceil((2 * reach + 1) / 8));
  for await (const { samples } of grid.rows(firstSlice)) {
    signal.throwIfAborted();
    for (let i = 0; i < samples.length; i++) {
      const place = samples[i]! - lowest;
      if (place >= 0 && place <= 2 * reach && Number.isInteger(place)) taken[place >> 3]! |= 1 << (place & 7);
    }
  }
  const isTaken = (value: number) => (taken[(value - lowest) >> 3]! & (1 << ((value - lowest) & 7))) !== 0;
  for (let away = 0; away <= reach; away++) {
    for (const value of [usualNodata - away, usualNodata + away]) if (!isTaken(value)) return value;
  }
  return lowestSingle;
}
