import type { Mesh } from '../../data/mesh.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { passThrough } from '../pipeline.ts';
import { boxInformation } from '../spatial-information.ts';
import { choose } from '../steps/item-filter.ts';
import { chosenTime } from '../steps/temporal-filter.ts';
import type { KindHandler, Pulled, Steps } from './handler.ts';
import { itemTally } from './item-tally.ts';

const steps: Steps<Mesh> = {
  CalculateStatisticsTransformation: (mesh) => mesh,
  ItemFilterTransformation: (mesh, { items }, { context }) => {
    const chosen = choose(items, mesh.items, context);
    return {
      ...mesh,
      items: chosen.map((item) => mesh.items[item]!),
      values: (item, step) => mesh.values(chosen[item]!, step),
    };
  },
  TemporalFilterTransformation: (mesh, filter, { context }) => {
    const { time, steps } = chosenTime(mesh, filter, context);
    const { heights } = mesh;
    return {
      ...mesh,
      time,
      values: (item, step) => mesh.values(item, steps[step]!),
      ...(heights === undefined ? {} : { heights: (step: number) => heights(steps[step]!) }),
    };
  },
};

const pulled: Pulled<Mesh> = {
  steps,
  progress: 'output',
  tally: ({ items }, whole) =>
    itemTally(items, whole, (tally) => (mesh, signal, passed) => ({
      ...mesh,
      async values(item, step) {
        signal.throwIfAborted();
        const values = await mesh.values(item, step);
        tally.add(item, step, values, mesh.items[item]!);
        passed((item + (step + 1) / stepsOf(mesh)) / mesh.items.length);
        return values;
      },
    })),
  pullsSame: (one, other) => one.values === other.values,
  place: (mesh, _statistics, context) => boxInformation(mesh.crs, boxOf(mesh), context),
};

export const meshHandler: KindHandler<Mesh> = {
  steps,
  pass: (mesh, work, write, context) => passThrough(pulled, mesh, work, write, context),
};

/** The smallest and largest x and y of the nodes. */
function boxOf({ nodes }: Mesh): { minimum?: number[]; maximum?: number[] } {
  if (nodes.length === 0) return {};
  const minimum = [Infinity, Infinity];
  const maximum = [-Infinity, -Infinity];
  for (let at = 0; at < nodes.length; at += 3)
    for (const axis of [0, 1]) {
      minimum[axis] = Math.min(minimum[axis]!, nodes[at + axis]!);
      maximum[axis] = Math.max(maximum[axis]!, nodes[at + axis]!);
    }
  return { minimum, maximum };
}
