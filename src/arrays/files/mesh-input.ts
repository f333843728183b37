import type { Mesh } from 'hydrofiles/data';
import type { Coverage } from '../coverage.ts';
import type { OpenDataset } from '../stores.ts';
import { type DataInput, timeOfAnswer } from './stored-data.ts';

/**
 * The cells of the values, or those with a node that has values. The mesh is in shared memory, and a thread picks its
 * cells. Undefined if there are none.
 */
export function meshInput(
  dataset: OpenDataset,
  coverages: readonly Coverage[],
): Pick<DataInput, 'data' | 'chosen' | 'lost'> | undefined {
  const { heights, origin: _, values: __, ...mesh } = dataset.data as Mesh;
  const chosen = (location: 'node' | 'cell') =>
    coverages.find(({ ranges }) => ranges[0]!.variable.location === location)?.selection.indices.at(-1) as
      | Uint32Array
      | undefined;
  const [node, cell] = [chosen('node'), chosen('cell')];
  if ((cell ?? []).length === 0 && (node === undefined || !isInCell(mesh, node))) return undefined;
  const isWhole = [[node, mesh.nodes.length / 3] as const, [cell, mesh.offsets.length - 1] as const].every(
    ([some, all]) => some === undefined || some.length === all,
  );
  const ranges = coverages.flatMap((coverage) => coverage.ranges);
  const items = ranges.map(({ variable: { item, location } }) => ({ ...item, location: location! }));
  return {
    data: { ...mesh, items, ...timeOfAnswer(dataset, coverages) },
    ...(isWhole ? {} : { chosen: { node, cell } }),
    lost:
      heights === undefined
        ? []
        : ['The heights of the nodes over time were left out; those of the file are in mesh2d_node_z.'],
  };
}

/** Whether a cell has one of the nodes. */
function isInCell({ nodes, connectivity }: Pick<Mesh, 'nodes' | 'connectivity'>, chosen: Uint32Array): boolean {
  const isChosen = new Uint8Array(nodes.length / 3);
  for (const node of chosen) isChosen[node] = 1;
  return connectivity.some((node) => isChosen[node] === 1);
}
