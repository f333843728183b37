import { MILLISECONDS, offsetOf, stepCount, type TimeAxis, type TimeUnit } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import type { DfsTime } from './header.ts';

/** Time units by EUM's codes. */
const units: Readonly<Record<number, TimeUnit>> = {
  1400: 'second',
  1401: 'minute',
  1402: 'hour',
  1403: 'day',
  1404: 'year',
  1405: 'month',
  1406: 'millisecond',
};
const SECOND = 1400;

/**
 * The time axis of a file with `count` steps.
 * @param offsets times of the steps of a non-equidistant axis
 */
export function timeAxisOf(time: DfsTime, count: number, offsets: Float64Array): TimeAxis {
  const unit = units[time.unit];
  if (unit === undefined)
    throw new FormatError(`The unit of the time axis is ${time.unit}, which is not a unit of time.`, time.offset);
  const clock = { unit, ...(time.start === undefined ? {} : { start: startOf(time.start, time.offset) }) };
  if (!time.equidistant) return { ...clock, spacing: 'nonEquidistant', offsets };
  const [offset, interval] = time.numbers;
  return { ...clock, spacing: 'equidistant', count, offset, interval };
}

/**
 * Milliseconds since 1970.
 * @throws FormatError for an invalid date or time
 */
function startOf({ date, time }: NonNullable<DfsTime['start']>, offset: number | undefined): number {
  const text = `${date}T${time}Z`;
  const start = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 19) !== text.slice(0, 19))
    throw new FormatError(`The time axis starts at '${date} ${time}', which is not a valid date and time.`, offset);
  return start;
}

/** A time axis for a new file, and the times that are stored with its steps. */
export interface NewTime {
  readonly time: DfsTime;
  /** Times of the steps; only of a non-equidistant axis. */
  readonly offsets: Float64Array;
}

/** Relative tolerance within which intervals count as equal. */
const tolerance = 1e-9;

/**
 * The axis in seconds. A calendar axis starts at a whole second; its fraction is the offset. Steps that are equally
 * long make it equidistant. Data without a time axis have one step at 1970-01-01T00:00:00.
 */
export function newTime(axis: TimeAxis | undefined): NewTime {
  if (axis === undefined)
    return newTime({ spacing: 'equidistant', unit: 'second', start: 0, count: 1, offset: 0, interval: 1 });
  const perUnit = MILLISECONDS[axis.unit] / 1000;
  const steps = stepCount(axis);
  const calendar = axis.start !== undefined;
  const first = steps === 0 ? 0 : offsetOf(axis, 0) * perUnit;
  const absolute = (axis.start ?? 0) / 1000;
  const start = calendar ? Math.floor(absolute + first + 1e-9) : 0;
  const shift = calendar ? absolute - start : 0;
  const seconds = Float64Array.from({ length: steps }, (_, step) => tidy(shift + offsetOf(axis, step) * perUnit));
  const clock = { unit: SECOND, ...(calendar ? { start: textOf(start) } : {}), steps, firstStep: 0 };
  const interval = axis.spacing === 'equidistant' ? tidy(axis.interval * perUnit) : equalInterval(seconds);
  if (interval !== undefined)
    return { time: { ...clock, equidistant: true, numbers: [seconds[0] ?? 0, interval] }, offsets: new Float64Array() };
  return { time: { ...clock, equidistant: false, numbers: neqNumbers(seconds) }, offsets: seconds };
}

/**
 * Time of the first step, and by how much the running maximum, which begins at 0, exceeds it: the rule of DHI's
 * library.
 */
export function neqNumbers(times: Float64Array): [number, number] {
  if (times.length === 0) return [0, 0];
  let end = 0;
  for (const time of times) end = end > time ? end : time;
  return [times[0]!, end - times[0]!];
}

/** Rounds to nanoseconds, so that sums of fractions are free of rounding errors. */
function tidy(seconds: number): number {
  const rounded = Math.round(seconds * 1e9) / 1e9;
  return Math.abs(rounded - seconds) <= tolerance * Math.abs(seconds) || Math.abs(rounded - seconds) < 1e-12
    ? rounded
    : seconds;
}

/** The interval between all steps; undefined if intervals differ. */
function equalInterval(times: Float64Array): number | undefined {
  if (times.length < 2) return 1;
  const interval = times[1]! - times[0]!;
  const slack = tolerance * Math.max(...[times[0]!, times.at(-1)!, interval].map(Math.abs));
  return times.every((time, step) => Math.abs(time - times[0]! - step * interval) <= slack) ? interval : undefined;
}

function textOf(seconds: number): { date: string; time: string } {
  const date = new Date(seconds * 1000);
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  if (!/^\d{4}-/.test(text))
    throw new FormatError(
      `The start time (${seconds} s since 1970) is outside of the years 0000 to 9999 that a DFS file can hold.`,
    );
  return { date: text.slice(0, 10), time: text.slice(11, 19) };
}
