import { clockText } from '../../data/date-text.ts';
import type { Grid } from '../../data/grid.ts';
import { chosenSteps, offsetOf, stepCount, type TimeAxis, timeOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import type { TemporalFilter } from './transformation-shapes.ts';

/**
 * Milliseconds (a microsecond) within which times are equal: times of equidistant steps are products with rounding
 * errors.
 */
const TOLERANCE = 1e-3;

/** The grid at the requested steps, in the order of the request. */
export function gridAtSteps(grid: Grid, filter: TemporalFilter, context: Context): Grid {
  const { time, steps } = chosenTime(grid, filter, context);
  const { read, ...rest } = grid;
  return {
    ...rest,
    time,
    rows: (slice, range) => grid.rows({ ...slice, step: steps[slice.step]! }, range),
    ...(read === undefined
      ? {}
      : { read: (slice, first, count) => read({ ...slice, step: steps[slice.step]! }, first, count) }),
  };
}

/** The requested steps and their time axis. */
export function chosenTime(
  { time }: { readonly time?: TimeAxis },
  filter: TemporalFilter,
  context: Pick<Context, 'reportLoss'>,
): { steps: number[]; time: TimeAxis } {
  if (time === undefined) throw new ConversionError('The data have no time axis, so no steps can be chosen.');
  const steps = stepsIn(time, filter, context);
  return { steps, time: chosenSteps(time, steps) };
}

/**
 * Indices of the requested steps; intervals are closed.
 * @throws ConversionError if no step is left, if a single time is not a step, or for times on a relative axis
 */
export function stepsIn(
  axis: TimeAxis,
  { by, from, to, at: list, except }: TemporalFilter,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): number[] {
  // removes duplicates
  const at = list && [...new Set(list)];
  const all = Array.from({ length: stepCount(axis) }, (_, step) => step);
  if (by === 'index') {
    const left = new Set(except);
    const chosen =
      at === undefined
        ? all.slice(from ?? 0, (to ?? all.length) + 1).filter((step) => !left.has(step))
        : at.filter((step) => step < all.length);
    const missing = (at ?? [...left]).filter((step) => step >= all.length);
    if (chosen.length === 0) throw nothingLeft(axis, `the data have ${counted(all.length)}`);
    if (missing.length > 0)
      reportLoss(
        `The temporal filter names steps that do not exist: ${listed(missing)}. The data have ${counted(all.length)}.`,
      );
    return chosen;
  }
  if (axis.start === undefined)
    throw new ConversionError(
      `The time axis is relative (it begins at ${offsetOf(axis, 0)} ${axis.unit}s and has no date). Choose steps by index.`,
    );
  if (at !== undefined) return at.map((time) => stepAt(axis, time));
  const chosen = all.filter((step) => {
    const time = timeOf(axis, step);
    return (from === undefined || time >= from - TOLERANCE) && (to === undefined || time <= to + TOLERANCE);
  });
  if (chosen.length === 0)
    throw nothingLeft(axis, `they lie between ${formatStep(axis, 0)} and ${formatStep(axis, all.length - 1)}`);
  return chosen;
}

function stepAt(axis: TimeAxis, time: number): number {
  let before: number | undefined;
  let after: number | undefined;
  for (let step = 0; step < stepCount(axis); step++) {
    const one = timeOf(axis, step);
    if (Math.abs(one - time) <= TOLERANCE) return step;
    if (one < time && (before === undefined || one > timeOf(axis, before))) before = step;
    if (one > time && (after === undefined || one < timeOf(axis, after))) after = step;
  }
  const neighbours = [before, after].flatMap((step) => (step === undefined ? [] : [formatStep(axis, step)]));
  throw new ConversionError(
    `No step is at ${clockText(time)}; the nearest ${neighbours.length === 1 ? 'is' : 'are'} ${neighbours.join(' and ')}.`,
  );
}

const nothingLeft = (axis: TimeAxis, what: string): ConversionError =>
  new ConversionError(
    stepCount(axis) === 0 ? 'The data have no steps.' : `The temporal filter leaves no step: ${what}.`,
  );

const counted = (steps: number): string => (steps === 1 ? 'one step, 0' : `steps 0 to ${steps - 1}`);

const listed = (steps: readonly number[]): string =>
  `${steps.slice(0, 50).join(', ')}${steps.length > 50 ? ` and ${steps.length - 50} more` : ''}`;

const formatStep = (axis: TimeAxis, step: number): string => clockText(timeOf(axis, step));
