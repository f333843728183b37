import { microClockText, millisecondsOf, parseUtc } from '../../data/date-text.ts';
import { MILLISECONDS, offsetOf, stepCount, type TimeAxis, type TimeUnit } from '../../data/time-axis.ts';
import { RequestError } from '../../errors.ts';

interface Clock {
  readonly unit: TimeUnit;
  readonly start?: number;
}

/** A closed interval of time: ISO times on the clock of the data; of a relative axis numbers in its unit. */
export interface Interval {
  readonly from?: string;
  readonly to?: string;
}

/** Times of an answer: ISO on the clock of the data, without a zone; of a relative axis offsets in its unit. */
export type Times = { readonly times: string[] } | { readonly offsets: number[]; readonly unit: TimeUnit };

/** Milliseconds within which times are equal: times of equidistant steps are products with rounding errors. */
const tolerance = 1e-3;

export const timesOf = ({ unit, start }: Clock, offsets: readonly number[]): Times =>
  start === undefined
    ? { offsets: [...offsets], unit }
    : { times: offsets.map((offset) => microClockText(start + offset * MILLISECONDS[unit])) };

/** The least and greatest offset of an interval, in units of the axis. @throws RequestError for a wrong time */
export function offsetsWithin(clock: Clock, { from, to }: Interval): { low: number; high: number } {
  const slack = tolerance / MILLISECONDS[clock.unit];
  const low = from === undefined ? -Infinity : offsetAt(clock, 'from', from) - slack;
  const high = to === undefined ? Infinity : offsetAt(clock, 'to', to) + slack;
  if (low > high + slack) throw new RequestError(`from (${from}) is after to (${to}).`);
  return { low, high };
}

function offsetAt({ unit, start }: Clock, name: 'from' | 'to', text: string): number {
  if (start === undefined) {
    const offset = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isFinite(offset)) return offset;
    throw new RequestError(
      `${name} is '${text.slice(0, 60)}', but the times of the data are relative: give a number of ${unit}s.`,
    );
  }
  const parsed = parseUtc(text);
  if (parsed === undefined)
    throw new RequestError(
      `${name} is '${text.slice(0, 60)}', which is no time. Write for example 2026-01-31T12:00:00.`,
    );
  return (millisecondsOf(parsed) - start) / MILLISECONDS[unit];
}

/** The steps of an interval. Without a time axis the only one. */
export function stepsWithin(time: TimeAxis | undefined, interval: Interval): number[] {
  if (time === undefined) {
    if (interval.from !== undefined || interval.to !== undefined)
      throw new RequestError('The data have no time axis, so from and to do not apply.');
    return [0];
  }
  const { low, high } = offsetsWithin(time, interval);
  const steps: number[] = [];
  for (let step = 0; step < stepCount(time); step++) {
    const offset = offsetOf(time, step);
    if (offset >= low && offset <= high) steps.push(step);
  }
  return steps;
}
