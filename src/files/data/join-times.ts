import { ConversionError } from '../errors.ts';
import { clockText } from './date-text.ts';
import { clockOf, MILLISECONDS, offsetOf, type PulledAxis, stepCount, type TimeAxis, timeOf } from './time-axis.ts';

/** Maximum deviation from the interval with which steps count as evenly spaced, as a share of the interval. */
const tolerance = 1e-6;

/**
 * Appends the steps of the input to the time axis of the dataset, in the dataset's unit. The axis stays equidistant if
 * all steps are evenly spaced.
 * @throws ConversionError if a step of the input is not after the last one of the dataset
 */
export function joinTimes(
  present: TimeAxis | PulledAxis | undefined,
  added: TimeAxis | PulledAxis | undefined,
): TimeAxis {
  if (present === undefined || present.spacing === 'pulled')
    throw new ConversionError('The dataset has no time axis, so no steps can be added.');
  if (added === undefined || added.spacing === 'pulled')
    throw new ConversionError('The input has no time axis, so its steps cannot be added.');
  if ((present.start === undefined) !== (added.start === undefined))
    throw new ConversionError(
      `The times of the dataset are ${kindOf(present)}, and those of the input ${kindOf(added)}.`,
    );
  const count = stepCount(present);
  const offsets = Float64Array.from({ length: count + stepCount(added) }, (_, step) =>
    step < count
      ? offsetOf(present, step)
      : (timeOf(added, step - count) - (present.start ?? 0)) / MILLISECONDS[present.unit],
  );
  checkOrder(present, added, offsets);
  const clock = clockOf(present);
  const interval = evenInterval(present, offsets);
  if (interval === undefined) return { ...clock, spacing: 'nonEquidistant', offsets };
  return { ...clock, spacing: 'equidistant', count: offsets.length, offset: offsets[0]!, interval };
}

const kindOf = ({ start }: TimeAxis): string => (start === undefined ? 'relative' : 'dates');

function checkOrder(present: TimeAxis, added: TimeAxis, offsets: Float64Array): void {
  const count = stepCount(present);
  let last = -Infinity;
  let step = 0;
  for (let n = 0; n < count; n++)
    if (offsets[n]! > last) {
      last = offsets[n]!;
      step = n;
    }
  for (let n = count; n < offsets.length; n++) {
    const offset = offsets[n]!;
    if (offset > last) {
      last = offset;
      continue;
    }
    const [time, before] = [
      formatStep(added, n - count),
      n === count ? formatStep(present, step) : formatStep(added, n - count - 1),
    ];
    throw new ConversionError(
      `The input has a step at ${time}, which is not after ${before}. Only steps after the last one can be added.`,
    );
  }
}

const formatStep = (axis: TimeAxis, step: number): string =>
  axis.start === undefined ? `${offsetOf(axis, step)} ${axis.unit}s` : clockText(timeOf(axis, step));

/** The interval of all steps; a dataset with one step gets the interval of the input. */
function evenInterval(present: TimeAxis, offsets: Float64Array): number | undefined {
  if (present.spacing !== 'equidistant' || offsets.length < 2) return undefined;
  const interval = present.count > 1 ? present.interval : offsets[1]! - offsets[0]!;
  const slack = Math.abs(interval) * tolerance;
  return offsets.every((offset, step) => Math.abs(offset - offsets[0]! - step * interval) <= slack)
    ? interval
    : undefined;
}
