/** Time units of DHI's EUM tables. */
export type TimeUnit = 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'month' | 'year';

/** Milliseconds per unit. As in EUM, a year has 365 days and a month 30 days. */
export const MILLISECONDS: Readonly<Record<TimeUnit, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 2_592_000_000,
  year: 31_536_000_000,
};

interface Clock {
  readonly unit: TimeUnit;
  /**
   * Milliseconds since 1970-01-01T00:00:00 on the data's clock (local time without zone). Absent: a relative axis that
   * starts at 0.
   */
  readonly start?: number;
}

/** Unit and start of an axis, whatever its steps are. */
export const clockOf = ({ unit, start }: Clock): Clock => ({ unit, ...(start === undefined ? {} : { start }) });

/** Steps at `offset + k · interval`, in units after the start. The interval may be 0. */
export interface EquidistantAxis extends Clock {
  readonly spacing: 'equidistant';
  readonly count: number;
  readonly offset: number;
  readonly interval: number;
}

/** Steps at any offsets, in units after the start. */
export interface NonEquidistantAxis extends Clock {
  readonly spacing: 'nonEquidistant';
  readonly offsets: Float64Array;
}

/** Times of the steps, numbered from 0. */
export type TimeAxis = EquidistantAxis | NonEquidistantAxis;

/** A time axis whose offsets come with the values, because the input is streamed (text formats). */
export interface PulledAxis extends Clock {
  readonly spacing: 'pulled';
}

export const stepCount = (axis: TimeAxis): number =>
  axis.spacing === 'equidistant' ? axis.count : axis.offsets.length;

/** Data without a time axis have one step. */
export const stepsOf = ({ time }: { readonly time?: TimeAxis }): number => (time === undefined ? 1 : stepCount(time));

/** Offset of a step, in units after the start. */
export const offsetOf = (axis: TimeAxis, step: number): number =>
  axis.spacing === 'equidistant' ? axis.offset + step * axis.interval : axis.offsets[step]!;

/** Time of a step: milliseconds since 1970-01-01T00:00:00 on the data's clock; for a relative axis, since its start. */
export const timeOf = (axis: TimeAxis, step: number): number =>
  (axis.start ?? 0) + offsetOf(axis, step) * MILLISECONDS[axis.unit];

/** The time axis of the given steps. An equidistant axis stays equidistant if the steps are evenly spaced. */
export function chosenSteps(axis: TimeAxis, steps: readonly number[]): TimeAxis {
  const clock = clockOf(axis);
  const apart = steps.length > 1 ? steps[1]! - steps[0]! : 1;
  if (axis.spacing === 'equidistant' && steps.every((step, k) => step === steps[0]! + k * apart)) {
    const offset = steps.length === 0 ? axis.offset : offsetOf(axis, steps[0]!);
    return { ...clock, spacing: 'equidistant', count: steps.length, offset, interval: axis.interval * apart };
  }
  return { ...clock, spacing: 'nonEquidistant', offsets: Float64Array.from(steps, (step) => offsetOf(axis, step)) };
}

/** A relative axis of times in seconds; equidistant if they are evenly spaced. */
export function secondsAxis(seconds: readonly number[]): TimeAxis {
  const [offset = 0, second] = seconds;
  const interval = second === undefined ? 0 : second - offset;
  const even = seconds.every((one, step) => Math.abs(one - (offset + step * interval)) <= 1e-9 * Math.abs(one));
  return even
    ? { spacing: 'equidistant', unit: 'second', count: seconds.length, offset, interval }
    : { spacing: 'nonEquidistant', unit: 'second', offsets: Float64Array.from(seconds) };
}
