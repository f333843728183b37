import type { Preview } from '../../client/api.ts';
import { formatNumber } from '../../client/format.ts';
import { parseStamp } from '../../map/times.ts';

/** Times of steps in milliseconds on the clock of the data; undefined of less than two steps, or if not known. */
export function stepTimes({ steps }: Preview): Float64Array | undefined {
  const first = steps?.first === undefined ? undefined : parseStamp(steps.first);
  if (steps === undefined || first === undefined || steps.count < 2) return undefined;
  const { count, spacing, times } = steps;
  const found =
    times !== undefined
      ? Float64Array.from(times, (time) => parseStamp(time) ?? Number.NaN)
      : spacing !== undefined
        ? Float64Array.from({ length: count }, (_, n) => first + n * spacing * 1000)
        : undefined;
  return found?.every(Number.isFinite) ? found : undefined;
}

/** All times of several datasets, in order, each once. */
export const commonTimes = (all: readonly (Float64Array | undefined)[]): Float64Array =>
  Float64Array.from(new Set(all.flatMap((times) => (times === undefined ? [] : [...times])))).sort();

/** Number of the time that is nearest; of two that are equally far, the earlier one. @param times in order */
export function nearestTime(times: Float64Array, wanted: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low > 0 && wanted - times[low - 1]! <= times[low]! - wanted ? low - 1 : low;
}

/** As times stand in addresses: `2026-01-24T08:15:00`. */
export const stampOf = (time: number): string => new Date(time).toISOString().replace(/(\.000)?Z$/, '');

/** `45 s`, `30 min`, `6 h`, `2.5 d`: in the greatest unit of which there are at least two, else in the one below. */
export function lengthText(seconds: number): string {
  const [unit, length] = (
    [
      ['d', 86_400],
      ['h', 3600],
      ['min', 60],
    ] as const
  ).find(([, one]) => seconds >= 2 * one) ?? ['s', 1];
  return `${formatNumber(seconds / length)} ${unit}`;
}
