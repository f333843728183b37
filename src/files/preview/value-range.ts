import { nthSmallest } from '../data/nth-smallest.ts';

/** Values of which the range is taken at most. */
const MOST_CHOSEN = 1 << 18;

export interface SampledRange {
  readonly min: number;
  readonly max: number;
  /** Between 2 % and 98 % of the values. */
  readonly low: number;
  readonly high: number;
}

/** The range of values. Undefined without one. */
export function rangeOf(values: ArrayLike<number>): SampledRange | undefined {
  let [min, max, count] = [Infinity, -Infinity, 0];
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    if (Number.isNaN(value)) continue;
    count++;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (count === 0) return undefined;
  // Every so manieth, by a number that has no factor in common with usual widths.
  const every = count > MOST_CHOSEN ? Math.ceil(count / MOST_CHOSEN) : 1;
  const chosen = new Float64Array(Math.ceil(count / every));
  for (let n = 0, seen = 0, at = 0; n < values.length; n++) {
    const value = values[n]!;
    if (Number.isNaN(value)) continue;
    if (seen++ % every === 0) chosen[at++] = value;
  }
  const at = (share: number) => nthSmallest(chosen, Math.round(share * (chosen.length - 1)));
  return { min, max, low: at(0.02), high: at(0.98) };
}

export function dataCount(values: ArrayLike<number>): number {
  let count = 0;
  for (let n = 0; n < values.length; n++) if (!Number.isNaN(values[n]!)) count++;
  return count;
}

/** A range of colours that is not empty. */
export function colourRange(range: SampledRange | undefined): { min: number; max: number } {
  if (range === undefined) return { min: 0, max: 1 };
  const { low, high, min, max } = range;
  if (low < high) return { min: low, max: high };
  if (min < max) return { min, max };
  const half = Math.abs(min) / 2 || 0.5;
  return { min: min - half, max: min + half };
}
