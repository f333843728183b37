import { stepsOf, type TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';

/** @throws ConversionError for data with a time axis but no step on it, which hold no values */
export function needsStep(data: { readonly time?: TimeAxis }): void {
  if (stepsOf(data) > 0) return;
  throw new ConversionError('The data have no time steps, so there is nothing to write.');
}
