import type { Samples } from '../../data/item.ts';
import type { Mesh, MeshItem, MeshLayers } from '../../data/mesh.ts';
import { componentCount, nodeCount, placeCount } from '../../data/mesh-cells.ts';

/** Reduces a mesh to some of its cells, in ascending order. Removes unused nodes and renumbers the others. */
export function withCells(mesh: Mesh, cells: Uint32Array): Mesh {
  const nodes = nodesOf(mesh, cells);
  const renumbered = new Uint32Array(nodeCount(mesh));
  for (let n = 0; n < nodes.length; n++) renumbered[nodes[n]!] = n;
  const offsets = new Uint32Array(cells.length + 1);
  for (let n = 0; n < cells.length; n++)
    offsets[n + 1] = offsets[n]! + mesh.offsets[cells[n]! + 1]! - mesh.offsets[cells[n]!]!;
  const connectivity = new Uint32Array(offsets.at(-1)!);
  for (let n = 0, at = 0; n < cells.length; n++)
    for (let from = mesh.offsets[cells[n]!]!; from < mesh.offsets[cells[n]! + 1]!; from++)
      connectivity[at++] = renumbered[mesh.connectivity[from]!]!;
  const { nodeCodes, nodeIds, cellIds, layers, heights, ...rest } = mesh;
  return {
    ...rest,
    nodes: pick(mesh.nodes, nodes, 3),
    ...(nodeCodes === undefined ? {} : { nodeCodes: pick(nodeCodes, nodes) }),
    ...(nodeIds === undefined ? {} : { nodeIds: pick(nodeIds, nodes) }),
    ...(cellIds === undefined ? {} : { cellIds: pick(cellIds, cells) }),
    shapes: pick(mesh.shapes, cells),
    connectivity,
    offsets,
    ...(layers === undefined ? {} : { layers: { ...layers, columns: columnsOf(layers, cells) } }),
    ...(heights === undefined ? {} : { heights: async (step: number) => pick(await heights(step), nodes) }),
    values: async (item, step) => {
      const chosen = mesh.items[item]!.location === 'node' ? nodes : cells;
      return pickPlaces(await mesh.values(item, step), mesh, mesh.items[item]!, chosen);
    },
  };
}

/** The nodes of some cells, in ascending order. */
function nodesOf({ nodes, connectivity, offsets }: Mesh, cells: Uint32Array): Uint32Array {
  const used = new Uint8Array(nodes.length / 3);
  for (const cell of cells) for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) used[connectivity[n]!] = 1;
  return numbersOf(used);
}

/** Indices of the flags that are 1. */
export function numbersOf(flags: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(flags.reduce((sum, one) => sum + one, 0));
  for (let n = 0, at = 0; n < flags.length; n++) if (flags[n] === 1) numbers[at++] = n;
  return numbers;
}

/** Index of the first chosen cell of each column; columns without one are removed. */
function columnsOf({ columns }: MeshLayers, cells: Uint32Array): Uint32Array {
  const firsts: number[] = [];
  let at = 0;
  for (let column = 0; column + 1 < columns.length; column++) {
    if (at < cells.length && cells[at]! < columns[column + 1]!) firsts.push(at);
    while (at < cells.length && cells[at]! < columns[column + 1]!) at++;
  }
  return Uint32Array.from([...firsts, cells.length]);
}

/** Values of the chosen nodes or cells, for each component. */
function pickPlaces(values: Samples, mesh: Mesh, item: MeshItem, chosen: Uint32Array): Samples {
  const places = placeCount(mesh, item);
  const components = componentCount(item);
  if (components === 1) return pick(values, chosen);
  const picked = values.slice(0, chosen.length * components);
  for (let component = 0; component < components; component++)
    for (let n = 0; n < chosen.length; n++)
      picked[component * chosen.length + n] = values[component * places + chosen[n]!]!;
  return picked;
}

function pick<A extends Samples>(all: A, chosen: Uint32Array, stride = 1): A {
  const picked = all.slice(0, chosen.length * stride) as A;
  for (let n = 0; n < chosen.length; n++)
    for (let k = 0; k < stride; k++) picked[stride * n + k] = all[stride * chosen[n]! + k]!;
  return picked;
}
