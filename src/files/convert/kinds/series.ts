import type { ExactIntegers, Samples } from '../../data/item.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../data/series.ts';
import { chosenSteps, stepCount } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { openRowAppend } from '../append/append-rows.ts';
import { joinSeries } from '../append/append-series.ts';
import { openStepAppend } from '../append/append-steps.ts';
import { boxInformation } from '../spatial-information.ts';
import { choose } from '../steps/item-filter.ts';
import { reprojectedSeries, seriesWithin, withItems } from '../steps/series-place.ts';
import type { StepContext } from '../steps/step-context.ts';
import { stepsIn } from '../steps/temporal-filter.ts';
import type { TemporalFilter } from '../steps/transformation-shapes.ts';
import type { KindHandler, StepsOf, StreamOperations } from './handler.ts';
import { inspectSeries } from './inspect-series.ts';
import { itemTally } from './item-tally.ts';

const steps: StepsOf<Series> = {
  CalculateStatisticsTransformation: (series) => series,
  ItemFilterTransformation: (series, { items }, { context }) => {
    return withItems(series, choose(items, series.items, context));
  },
  TemporalFilterTransformation: seriesAtSteps,
  SpatialFilterTransformation: (series, filter) => seriesWithin(series, filter),
  CrsTransformation: (series, { outputSrid }, shared) => reprojectedSeries(series, outputSrid, shared),
};

/** The series at the steps that the filter selects, in ascending order, because series are read from front to back. */
function seriesAtSteps(series: Series, filter: TemporalFilter, { context }: StepContext): Series {
  const { time } = series;
  if (time.spacing === 'pulled')
    throw new ConversionError(
      'The times of these series are known only after they were read, so no steps can be chosen. Remove the temporal filter.',
    );
  const chosen = stepsIn(time, filter, context).sort((one, other) => one - other);
  const wanted = new Uint8Array(stepCount(time));
  for (const step of chosen) wanted[step] = 1;
  return {
    ...series,
    time: chosenSteps(time, chosen),
    async *chunks() {
      let firstStep = 0;
      for await (const chunk of series.chunks()) {
        const kept: number[] = [];
        for (let n = 0; n < chunk.offsets.length; n++) if (wanted[chunk.firstStep + n] === 1) kept.push(n);
        if (kept.length === 0) continue;
        yield picked(chunk, kept, firstStep);
        firstStep += kept.length;
      }
    },
  };
}

const picked = ({ offsets, values }: SeriesChunk, kept: readonly number[], firstStep: number): SeriesChunk => ({
  firstStep,
  offsets: Float64Array.from(kept, (n) => offsets[n]!),
  values: values.map((all) => pick(all, kept)),
});

function pick<A extends Samples | ExactIntegers>(all: A, kept: readonly number[]): A {
  const some = all.slice(0, kept.length) as A;
  for (const [to, from] of kept.entries()) some[to] = all[from]!;
  return some;
}

const stream: StreamOperations<Series> = {
  progress: 'input',
  tally: ({ items }, whole) =>
    itemTally(items, whole, (tally) => (series, signal, passed) => ({
      ...series,
      async *chunks() {
        const { time } = series;
        for await (const chunk of series.chunks()) {
          signal.throwIfAborted();
          for (const [item, values] of chunk.values.entries())
            tally.add(item, chunk.firstStep, values, series.items[item]!);
          const read = chunk.firstStep + chunk.offsets.length;
          passed(time.spacing === 'pulled' ? 0 : read / Math.max(1, stepCount(time)));
          yield chunk;
        }
      },
    })),
  pullsSame: (one, other) => one.chunks === other.chunks,
  place: ({ crs, items }, _statistics, context) => boxInformation(crs, boxOf(items), context),
};

export const seriesHandler: KindHandler<Series> = {
  steps,
  stream,
  append: (work, context) =>
    work.writer.appends?.onlyAdded ? openRowAppend(work, context) : openStepAppend(work, context, stream, joinSeries),
  inspect: inspectSeries,
};

/** Bounding box of the items that have a position. */
function boxOf(items: readonly SeriesItem[]): { minimum?: number[]; maximum?: number[] } {
  const places = items.flatMap(({ position }) => (position === undefined ? [] : [position]));
  if (places.length === 0) return {};
  const ends = (end: (...values: number[]) => number) => [0, 1].map((axis) => end(...places.map((one) => one[axis]!)));
  return { minimum: ends(Math.min), maximum: ends(Math.max) };
}
