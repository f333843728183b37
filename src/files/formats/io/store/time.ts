import { defined } from '../../../data/defined.ts';
import { clockOf, offsetOf, stepCount, type TimeAxis, type TimeUnit } from '../../../data/time-axis.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { type ArraySpec, rowChunks } from './array-spec.ts';
import type { TimeDescription } from './description.ts';
import type { StoreArray } from './opened.ts';

export const TIME = 'time';

/**
 * Units of CF for those of the model. Months and years of UDUNITS have other lengths than those of EUM, which are days.
 */
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
  if (!/^\d{4}-/.test(text)) throw new ConversionError(`The time axis starts ${start} ms after 1970.`);
  return text.replace('T', ' ').replace(/(\.000)?Z$/, '');
}

export function describedTime(axis: TimeAxis): TimeDescription {
  const clock = clockOf(axis);
  if (axis.spacing === 'nonEquidistant') return { spacing: 'nonEquidistant', ...clock };
  return { spacing: 'equidistant', ...clock, count: axis.count, offset: axis.offset, interval: axis.interval };
}

/** The time axis of a description; offsets of unequal steps are read from the coordinate variable. */
export async function timeOfDescription(
  described: TimeDescription,
  array: () => Pick<StoreArray, 'metadata' | 'all'>,
): Promise<TimeAxis> {
  if (described.spacing === 'equidistant') return defined(described) as TimeAxis;
  const [, factor] = written[described.unit];
  const offsets = (await oneDimension(array())).map((value) => value / factor);
  return defined({ ...described, offsets }) as TimeAxis;
}

async function oneDimension(array: Pick<StoreArray, 'metadata' | 'all'>): Promise<Float64Array> {
  if (array.metadata.shape.length !== 1)
    throw new FormatError(
      `The array '${array.metadata.name}' has ${array.metadata.shape.length} dimensions instead of one.`,
    );
  return Float64Array.from(await array.all(), Number);
}
