import { Box } from '../../data/box.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { boxInformation, spatialInformation } from '../spatial-information.ts';
import { arrayWithin } from '../steps/array-within.ts';
import { choose } from '../steps/item-filter.ts';
import { reprojectedArray } from '../steps/reproject-array.ts';
import { chosenTime } from '../steps/temporal-filter.ts';
import type { KindHandler, StepsOf, StreamOperations } from './handler.ts';
import { inspectArray } from './inspect-array.ts';
import { itemTally } from './item-tally.ts';

const steps: StepsOf<MultiArray> = {
  CrsTransformation: (array, { outputSrid }, shared) => reprojectedArray(array, outputSrid, shared),
  CalculateStatisticsTransformation: (array) => array,
  ItemFilterTransformation: (array, { items }, { context }) => {
    const chosen = choose(items, array.items, context);
    return {
      ...array,
      items: chosen.map((item) => array.items[item]!),
      read: (item, step, start, shape) => array.read(chosen[item]!, step, start, shape),
    };
  },
  SpatialFilterTransformation: (array, filter, { context }) => arrayWithin(array, filter, context),
  TemporalFilterTransformation: (array, filter, { context }) => {
    const { time, steps } = chosenTime(array, filter, context);
    return {
      ...array,
      time,
      read: (item, step, start, shape) => array.read(item, steps[step]!, start, shape),
    };
  },
};

/**
 * Numbers the blocks of an item in the order in which a writer reads them: by step, then by the block's first value.
 */
function partOf(array: MultiArray, item: number, step: number, start: readonly number[]): number {
  const lengths = array.items[item]!.axes.map((axis) => array.axes[axis]!.values.length);
  const first = start.reduce((place, index, n) => place * lengths[n]! + index, 0);
  return step * lengths.reduce((product, length) => product * length, 1) + first;
}

const stream: StreamOperations<MultiArray> = {
  progress: 'output',
  tally: ({ items }, whole) =>
    itemTally(items, whole, (tally) => (array, signal, passed) => ({
      ...array,
      async read(item, step, start, shape) {
        signal.throwIfAborted();
        const values = await array.read(item, step, start, shape);
        tally.add(item, partOf(array, item, step, start), values, array.items[item]!);
        passed((item + step / stepsOf(array)) / array.items.length);
        return values;
      },
    })),
  pullsSame: (one, other) => one.read === other.read,
  async place({ crs, placement, axes }, _statistics, context) {
    if (placement === undefined) return undefined;
    if (placement.by === 'affine') {
      const [width, height] = [axes[placement.x]!.values.length, axes[placement.y]!.values.length];
      return spatialInformation({ ...(crs && { crs }), width, height, affine: placement.affine }, context);
    }
    const box = new Box();
    box.addPoints(placement.nodeX, placement.nodeY);
    const { west, south, east, north } = box;
    return boxInformation(crs, { minimum: [west, south], maximum: [east, north] }, context);
  },
};

export const arrayHandler: KindHandler<MultiArray> = {
  steps,
  stream,
  inspect: inspectArray,
};
