import { Box } from '../../data/box.ts';
import { ItemTally } from '../../data/item-statistics.ts';
import type { Mesh } from '../../data/mesh.ts';
import { cellCount, nodeCount } from '../../data/mesh-cells.ts';
import { layerCount } from '../../data/mesh-columns.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { boxGeometry } from '../../geo/vector/outline.ts';
import type { Inspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectItems, inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';
import { chooseMesh, meshPng } from './mesh-picture.ts';

/** Reads every step of every item once if statistics are asked for, and the drawn step once more. */
export async function inspectMesh(
  mesh: Mesh,
  inspection: Inspection,
  { picture, statistics = true, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const chosen = picture && chooseMesh(mesh, picture);
  const tally = statistics ? new ItemTally(mesh.items, true) : undefined;
  for (const [item, description] of tally ? mesh.items.entries() : [])
    for (let step = 0; step < stepsOf(mesh); step++) {
      signal.throwIfAborted();
      tally!.add(item, step, await mesh.values(item, step), description);
    }
  const { west, south, east, north } = Box.of(mesh.nodes, 3);
  await inspectPlace(inspection, mesh.crs, west <= east ? boxGeometry(west, south, east, north) : undefined);
  const { layers, time } = mesh;
  Object.assign(inspection, {
    nodes: nodeCount(mesh),
    elements: cellCount(mesh),
    ...(layers === undefined ? {} : { layers: layerCount(layers), sigmaLayers: layers.sigma }),
    ...(time === undefined ? {} : { time: inspectTime(time) }),
    items: inspectItems(mesh.items, tally?.of(mesh)),
  });
  return chosen && meshPng(mesh, chosen);
}
