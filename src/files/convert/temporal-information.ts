import { MILLISECONDS, type PulledAxis, stepCount, type TimeAxis, timeOf } from '../data/time-axis.ts';

/** Period of the data: `temporalInformation` of a dataset in the API. */
export interface TemporalInformation {
  /** ISO 8601 with seven fraction digits, on the data's own clock; a relative axis counts from 1970. */
  startTime: string;
  endTime: string;
  /** Interval of equidistant steps, as an ISO 8601 duration. */
  interval?: string;
}

/** Undefined for data without steps, or with times that ISO 8601 cannot express. */
export function temporalInformation(axis: TimeAxis | PulledAxis | undefined): TemporalInformation | undefined {
  if (axis === undefined || axis.spacing === 'pulled' || stepCount(axis) === 0) return undefined;
  let [first, last] = [Infinity, -Infinity];
  const count = stepCount(axis);
  // Times of equidistant steps ascend or descend.
  for (let step = 0; step < count; step += axis.spacing === 'equidistant' ? Math.max(1, count - 1) : 1) {
    const time = timeOf(axis, step);
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  const [startTime, endTime] = [timeText(first), timeText(last)];
  if (startTime === undefined || endTime === undefined) return undefined;
  const length = axis.spacing === 'equidistant' && count > 1 ? axis.interval * MILLISECONDS[axis.unit] : 0;
  return { startTime, endTime, ...(length > 0 ? { interval: durationText(length) } : {}) };
}

/** Seven digits hold tenths of microseconds. */
function timeText(milliseconds: number): string | undefined {
  const floor = Math.floor(milliseconds);
  const tenths = Math.round((milliseconds - floor) * 1e4);
  // 899.99999999 ms are 900: what is rounded up to a millisecond counts there.
  const [whole, rest] = tenths === 1e4 ? [floor + 1, 0] : [floor, tenths];
  const date = new Date(whole);
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  if (!/^\d{4}-/.test(text)) return undefined;
  return `${text.slice(0, 23)}${String(rest).padStart(4, '0')}`;
}

/** Such as `PT1H30M`, `P1D`, `PT0.5S`. */
function durationText(milliseconds: number): string {
  const days = Math.floor(milliseconds / MILLISECONDS.day);
  let left = milliseconds - days * MILLISECONDS.day;
  const hours = Math.floor(left / MILLISECONDS.hour);
  left -= hours * MILLISECONDS.hour;
  const minutes = Math.floor(left / MILLISECONDS.minute);
  const seconds = Number(((left - minutes * MILLISECONDS.minute) / 1000).toFixed(7));
  const part = (value: number, letter: string) => (value === 0 ? '' : `${value}${letter}`);
  const clock = part(hours, 'H') + part(minutes, 'M') + part(seconds, 'S');
  const text = `P${part(days, 'D')}${clock === '' ? '' : `T${clock}`}`;
  return text === 'P' ? 'PT0S' : text;
}
