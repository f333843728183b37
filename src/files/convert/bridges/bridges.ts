import type { DataKind } from '../../data/data.ts';
import type { Writer } from '../../formats/define.ts';
import type { Bridge } from './bridge.ts';

const bridge = <From extends DataKind, To extends DataKind>(
  from: From,
  to: To,
  load: () => Promise<Bridge<From, To>['change']>,
  like?: Bridge<From, To>['like'],
): Bridge => {
  const change = async (...given: Parameters<Bridge<From, To>['change']>) => (await load())(...given);
  return { from, to, change, ...(like && { like }) } as unknown as Bridge;
};

/** One row per conversion from a kind to another. Its code loads at its first call. */
const bridges: readonly Bridge[] = [
  bridge('mesh', 'features', async () => (await import('./mesh-to-features.ts')).meshToFeatures),
  bridge(
    'features',
    'mesh',
    async () => (await import('./features-to-mesh.ts')).featuresToMesh,
    async (features) => (await import('./features-to-mesh.ts')).meshLikeFeatures(features),
  ),
  bridge('grid', 'mesh', async () => (await import('./grid-to-mesh.ts')).gridToMesh),
  bridge('series', 'mesh', async () => (await import('./series-to-mesh.ts')).seriesToMesh),
  bridge('array', 'mesh', async () => (await import('./array-to-mesh.ts')).arrayToMesh),
  bridge('array', 'grid', async () => (await import('./array-to-grid.ts')).arrayToGrid),
  bridge('mesh', 'grid', async () => (await import('./mesh-to-grid.ts')).meshToGrid),
  bridge('mesh', 'series', async () => (await import('./values-at-points.ts')).meshToSeries),
  bridge('grid', 'series', async () => (await import('./values-at-points.ts')).gridToSeries),
  bridge(
    'features',
    'grid',
    async () => (await import('./points-to-grid.ts')).pointsToGrid,
    async (points) => (await import('./points-to-grid.ts')).gridLikePoints(points),
  ),
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
