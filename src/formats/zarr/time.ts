import { defined } from '../../data/defined.ts';
import type { TimeAxis, TimeUnit } from '../../data/time-axis.ts';
import { MILLISECONDS, offsetOf, stepCount } from '../../data/time-axis.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { TimeDescription } from './description.ts';
import type { ZarrArray } from './store.ts';
import type { ArraySpec } from './store-writer.ts';
import { rowChunks } from './store-writer.ts';

export const TIME = 'time';

/** Units of CF for those of the model. Months and years of UDUNITS have other lengths than those of EUM, which are days. */
const written: Readonly<Record<TimeUnit, readonly [unit: string, factor: number]>> = {
  millisecond: ['milliseconds', 1],
  second: ['seconds', 1],
  minute: ['minutes', 1],
  hour: ['hours', 1],
  day: ['days', 1],
  month: ['days', 30],
  year: ['days', 365],
};

/** The coordinate variable of a time axis, and its values. */
export function timeArray(axis: TimeAxis): { spec: ArraySpec; values: Float64Array } {
  const [unit, factor] = written[axis.unit];
  const steps = stepCount(axis);
  return {
    spec: {
      name: TIME,
      type: 'Float64',
      dimensions: [TIME],
      shape: [steps],
      chunks: rowChunks([steps], 'Float64'),
      fill: Number.NaN,
      attributes: {
        ...(axis.start === undefined
          ? { units: unit, long_name: 'time since the start' }
          : {
              units: `${unit} since ${sinceText(axis.start)}`,
              calendar: 'proleptic_gregorian',
              standard_name: 'time',
            }),
        axis: 'T',
      },
    },
    values: Float64Array.from({ length: steps }, (_, step) => offsetOf(axis, step) * factor),
  };
}

/** `2020-01-01 00:00:00`, with milliseconds if there are some. */
function sinceText(start: number): string {
  const date = new Date(start);
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  if (!/^\d{4}-/.test(text)) throw new AppError('unprocessable', `The time axis starts ${start} ms after 1970.`);
  return text.replace('T', ' ').replace(/(\.000)?Z$/, '');
}

export function describedTime(axis: TimeAxis): TimeDescription {
  const { unit, start } = axis;
  const clock = { unit, ...(start === undefined ? {} : { start }) };
  if (axis.spacing === 'nonEquidistant') return { spacing: 'nonEquidistant', ...clock };
  return { spacing: 'equidistant', ...clock, count: axis.count, offset: axis.offset, interval: axis.interval };
}

/** The time axis of a description; offsets of unequal steps are read from the coordinate variable. */
export async function timeOfDescription(described: TimeDescription, array: () => ZarrArray): Promise<TimeAxis> {
  if (described.spacing === 'equidistant') return defined(described) as TimeAxis;
  const [, factor] = written[described.unit];
  const offsets = (await oneDimension(array())).map((value) => value / factor);
  return defined({ ...described, offsets }) as TimeAxis;
}

async function oneDimension(array: ZarrArray): Promise<Float64Array> {
  if (array.shape.length !== 1)
    throw new FormatError(`The array '${array.metadata.name}' has ${array.shape.length} dimensions instead of one.`);
  return Float64Array.from(await array.all(), Number);
}

const units: readonly (readonly [pattern: RegExp, unit: TimeUnit, factor: number])[] = [
  [/^(?:milliseconds?|millisec|msecs?|ms)$/i, 'millisecond', 1],
  [/^(?:microseconds?|microsec|us)$/i, 'millisecond', 1e-3],
  [/^(?:nanoseconds?|nanosec|ns)$/i, 'millisecond', 1e-6],
  [/^(?:seconds?|secs?|s)$/i, 'second', 1],
  [/^(?:minutes?|mins?)$/i, 'minute', 1],
  [/^(?:hours?|hrs?|hr|h)$/i, 'hour', 1],
  [/^(?:days?|d)$/i, 'day', 1],
];

const since =
  /^(\w+)(?:\s+since\s+(-?\d{1,4}-\d{1,2}-\d{1,2})(?:[T\s]+(\d{1,2}(?::\d{1,2}){0,2}(?:\.\d+)?))?\s*(Z|UTC|[+-]0{1,2}:?0{0,2})?)?$/i;
const calendars = ['standard', 'gregorian', 'proleptic_gregorian'];

/**
 * The time axis of a coordinate variable with units of CF; undefined if they are not those of a time.
 * @throws FormatError for a calendar other than ours
 */
export async function timeOfCf(array: ZarrArray): Promise<TimeAxis | undefined> {
  const { attributes, name } = array.metadata;
  const [, word = '', day, clock] = since.exec(String(attributes.units ?? '').trim()) ?? [];
  const found = units.find(([pattern]) => pattern.test(word));
  if (found === undefined) return undefined;
  const calendar = String(attributes.calendar ?? 'standard').toLowerCase();
  if (day !== undefined && !calendars.includes(calendar))
    throw new FormatError(
      `The times in '${name}' are of the calendar '${calendar.slice(0, 40)}', which is not supported.`,
    );
  const [, unit, factor] = found;
  const offsets = (await oneDimension(array)).map((value) => value * factor);
  const start = day === undefined ? undefined : startOf(day, clock ?? '', name);
  const axis = { unit, ...(start === undefined ? {} : { start }) };
  const even = evenly(offsets);
  if (even !== undefined) return { spacing: 'equidistant', ...axis, count: offsets.length, ...even };
  return { spacing: 'nonEquidistant', ...axis, offsets };
}

function evenly(offsets: Float64Array): { offset: number; interval: number } | undefined {
  const [offset = 0, second] = offsets;
  const interval = second === undefined ? 1 : second - offset;
  return offsets.every((value, step) => value === offset + step * interval) ? { offset, interval } : undefined;
}

function startOf(day: string, clock: string, name: string): number {
  const [year, month, date] = day.replace(/^-/, '').split('-').map(Number) as [number, number, number];
  const [hours = 0, minutes = 0, seconds = 0] = clock === '' ? [] : clock.split(':').map(Number);
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, date);
  const time = start.getTime() + hours * MILLISECONDS.hour + minutes * MILLISECONDS.minute + seconds * 1000;
  if (day.startsWith('-') || month < 1 || month > 12 || start.getUTCDate() !== date || hours > 24 || minutes > 59)
    throw new FormatError(`The times in '${name}' count from '${day} ${clock}', which is not a valid date and time.`);
  return time;
}
