import type { DataKind } from '../../data/data.ts';
import type { Writer } from '../../formats/define.ts';
import { arrayToMesh } from './array-to-mesh.ts';
import type { Bridge } from './bridge.ts';
import { featuresToMesh } from './features-to-mesh.ts';
import { gridToMesh } from './grid-to-mesh.ts';
import { meshToFeatures } from './mesh-to-features.ts';
import { meshToGrid } from './mesh-to-grid.ts';
import { pointsToGrid } from './points-to-grid.ts';
import { seriesToMesh } from './series-to-mesh.ts';
import { gridToSeries, meshToSeries } from './values-at-points.ts';

const bridge = <From extends DataKind, To extends DataKind>(
  from: From,
  to: To,
  change: Bridge<From, To>['change'],
): Bridge => ({ from, to, change: change as unknown as Bridge['change'] });

/** One row per conversion from a kind to another. */
const bridges: readonly Bridge[] = [
  bridge('mesh', 'features', meshToFeatures),
  bridge('features', 'mesh', featuresToMesh),
  bridge('grid', 'mesh', gridToMesh),
  bridge('series', 'mesh', seriesToMesh),
  bridge('array', 'mesh', arrayToMesh),
  bridge('mesh', 'grid', meshToGrid),
  bridge('mesh', 'series', meshToSeries),
  bridge('grid', 'series', gridToSeries),
  bridge('features', 'grid', pointsToGrid),
];

/**
 * The bridge from a kind to one that a writer accepts. Undefined if there is none, or if the writer's `bridged` does
 * not list the kind.
 */
export const bridgeTo = (
  { accepts, bridged = [] }: Pick<Writer, 'accepts' | 'bridged'>,
  from: DataKind,
): Bridge | undefined =>
  bridged.includes(from) ? bridges.find((one) => one.from === from && accepts.includes(one.to)) : undefined;
