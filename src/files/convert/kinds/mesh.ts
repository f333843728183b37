import { Box } from '../../data/box.ts';
import type { Mesh } from '../../data/mesh.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { joinMeshes } from '../append/append-meshes.ts';
import { openStepAppend } from '../append/append-steps.ts';
import { boxInformation } from '../spatial-information.ts';
import { reprojectedBy } from '../steps/input-crs.ts';
import { choose } from '../steps/item-filter.ts';
import { meshWithin, meshWithLayers } from '../steps/mesh-filters.ts';
import { reprojectedMesh } from '../steps/reproject-mesh.ts';
import { chosenTime } from '../steps/temporal-filter.ts';
import type { KindHandler, StepsOf, StreamOperations } from './handler.ts';
import { inspectMesh } from './inspect-mesh.ts';
import { itemTally } from './item-tally.ts';

const steps: StepsOf<Mesh> = {
  CrsTransformation: (mesh, { outputSrid }, shared) =>
    reprojectedBy(mesh, outputSrid, shared, (_, target) => reprojectedMesh(mesh, target, shared.context)),
  CalculateStatisticsTransformation: (mesh) => mesh,
  ItemFilterTransformation: (mesh, { items }, { context }) => {
    const chosen = choose(items, mesh.items, context);
    return {
      ...mesh,
      items: chosen.map((item) => mesh.items[item]!),
      values: (item, step) => mesh.values(chosen[item]!, step),
    };
  },
  SpatialFilterTransformation: (mesh, filter, { context }) => meshWithin(mesh, filter, context),
  TemporalFilterTransformation: (mesh, filter, { context }) => {
    const { time, steps: chosen } = chosenTime(mesh, filter, context);
    const { heights } = mesh;
    return {
      ...mesh,
      time,
      values: (item, step) => mesh.values(item, chosen[step]!),
      ...(heights === undefined ? {} : { heights: (step: number) => heights(chosen[step]!) }),
    };
  },
  VerticalFilterTransformation: (mesh, filter) => meshWithLayers(mesh, filter),
};

const stream: StreamOperations<Mesh> = {
  progress: 'output',
  tally: ({ items }, whole) =>
    itemTally(items, whole, (tally) => (mesh, signal, passed) => {
      const all = stepsOf(mesh) * mesh.items.length;
      let blocks = 0;
      return {
        ...mesh,
        async values(item, step) {
          signal.throwIfAborted();
          const values = await mesh.values(item, step);
          tally.add(item, step, values, mesh.items[item]!);
          // Writers read item by item or step by step.
          passed(Math.min(1, ++blocks / all));
          return values;
        },
      };
    }),
  pullsSame: (one, other) => one.values === other.values,
  place: (mesh, _statistics, context) => boxInformation(mesh.crs, boxOf(mesh), context),
};

export const meshHandler: KindHandler<Mesh> = {
  steps,
  stream,
  append: (work, context) => openStepAppend(work, context, stream, joinMeshes),
  inspect: inspectMesh,
};

/** Bounding box of the nodes. */
function boxOf({ nodes }: Mesh): { minimum?: number[]; maximum?: number[] } {
  if (nodes.length === 0) return {};
  const { west, south, east, north } = Box.of(nodes, 3);
  return { minimum: [west, south], maximum: [east, north] };
}
