import type { Axis, Samples, SampleType } from '../../data/item.ts';
import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { stackedColumns } from '../../data/mesh-columns.ts';
import { FormatError } from '../../errors.ts';
import type { DfsHeader, DfsStatic } from '../io/dfs/header.ts';
import { offsetOfArray } from '../io/dfs/typed-array.ts';
import type { MikeFm } from './mike-fm.ts';

/** Element types of DFSU, each with its shape and number of nodes. */
export const elementTypes: readonly { type: number; shape: number; nodes: number }[] = [
  { type: 11, shape: CELL_SHAPES.line, nodes: 2 },
  { type: 21, shape: CELL_SHAPES.triangle, nodes: 3 },
  { type: 25, shape: CELL_SHAPES.quad, nodes: 4 },
  { type: 32, shape: CELL_SHAPES.wedge, nodes: 6 },
  { type: 33, shape: CELL_SHAPES.hexahedron, nodes: 8 },
];
const byType = new Map(elementTypes.map((one) => [one.type, one]));

export type MeshGeometry = Pick<
  Mesh,
  'nodes' | 'nodeCodes' | 'nodeIds' | 'cellIds' | 'shapes' | 'connectivity' | 'offsets' | 'layers' | 'section'
>;

/**
 * Reads nodes and elements from the static items. Identifies these by their order, because programs name them
 * differently.
 * @throws FormatError for arrays that contradict each other
 */
export async function readGeometry({ statics }: DfsHeader, fm: MikeFm): Promise<MeshGeometry> {
  const take = (n: number, what: string, types: readonly SampleType[], count?: number) =>
    staticAt(statics, n, what, types, count);
  const nodeIds = (await take(0, 'node numbers', ['Int32'], fm.nodes)) as Int32Array;
  const x = await take(1, 'x coordinates', ['Float32', 'Float64'], fm.nodes);
  const y = await take(2, 'y coordinates', ['Float32', 'Float64'], fm.nodes);
  const z = await take(3, 'z coordinates', ['Float32', 'Float64'], fm.nodes);
  const nodeCodes = (await take(4, 'node codes', ['Int32'], fm.nodes)) as Int32Array;
  const cellIds = (await take(5, 'element numbers', ['Int32'], fm.elements)) as Int32Array;
  const types = (await take(6, 'element types', ['Int32'], fm.elements)) as Int32Array;
  const counts = (await take(7, 'numbers of nodes', ['Int32'], fm.elements)) as Int32Array;
  const table = (await take(8, 'connectivity', ['Int32'])) as Int32Array;
  const nodes = new Float64Array(3 * fm.nodes);
  for (let n = 0; n < fm.nodes; n++) {
    nodes[3 * n] = x[n]!;
    nodes[3 * n + 1] = y[n]!;
    nodes[3 * n + 2] = z[n]!;
  }
  const offset = (n: number) => offsetOfArray(statics[n]!.values);
  const cells = elementsOf({ types, counts, table, nodes: fm.nodes, typesAt: offset(6), tableAt: offset(8) });
  return {
    nodes,
    nodeCodes,
    ...(isCount(nodeIds) ? {} : { nodeIds }),
    ...(isCount(cellIds) ? {} : { cellIds }),
    ...cells,
    ...(fm.layers === 0
      ? {}
      : { layers: { maximum: fm.layers, sigma: fm.sigmaLayers, columns: stackedColumns(cells) } }),
    ...(fm.layers === 0 || fm.dimension === 3
      ? {}
      : { section: fm.dimension === 2 ? ('profile' as const) : ('column' as const) }),
  };
}

const isCount = (ids: Int32Array): boolean => ids.every((id, n) => id === n + 1);

async function staticAt(
  statics: readonly DfsStatic[],
  n: number,
  what: string,
  types: readonly SampleType[],
  count?: number,
): Promise<Samples> {
  const values = statics[n]?.values;
  if (values === undefined)
    throw new FormatError(`The file has ${statics.length} static items; item ${n + 1}, the ${what}, is missing.`);
  if (!types.includes(values.type) || (count !== undefined && values.count !== count))
    throw new FormatError(
      `Static item ${n + 1}, the ${what}, has ${values.count} ${values.type} values instead of ${count ?? 'any number of'} ${types.join(' or ')}.`,
      offsetOfArray(values),
    );
  return values.load();
}

interface ElementTable {
  readonly types: Int32Array;
  readonly counts: Int32Array;
  readonly table: Int32Array;
  /** Number of nodes. */
  readonly nodes: number;
  /** Offsets of the element types and of the connectivity in the file. */
  readonly typesAt: number | undefined;
  readonly tableAt: number | undefined;
}

function elementsOf({
  types,
  counts,
  table,
  nodes,
  typesAt = 0,
  tableAt = 0,
}: ElementTable): Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'> {
  const shapes = new Uint8Array(types.length);
  const offsets = new Uint32Array(types.length + 1);
  for (let n = 0; n < types.length; n++) {
    const known = byType.get(types[n]!);
    if (known === undefined || known.nodes !== counts[n])
      throw new FormatError(`Element ${n + 1} has the type ${types[n]} and ${counts[n]} nodes.`, typesAt + 4 * n);
    shapes[n] = known.shape;
    offsets[n + 1] = offsets[n]! + known.nodes;
  }
  if (offsets.at(-1) !== table.length)
    throw new FormatError(
      `The elements have ${offsets.at(-1)} nodes, but the connectivity has ${table.length}.`,
      tableAt,
    );
  const connectivity = new Uint32Array(table.length);
  for (let n = 0; n < table.length; n++) {
    if (!(table[n]! >= 1 && table[n]! <= nodes))
      throw new FormatError(
        `The connectivity names the node ${table[n]}, but there are nodes 1 to ${nodes}.`,
        tableAt + 4 * n,
      );
    connectivity[n] = table[n]! - 1;
  }
  return { shapes, connectivity, offsets };
}

/** Directions, then frequencies: the dimensions of each value of a spectrum, from slowest to fastest. */
export async function readComponents({ statics }: DfsHeader, fm: MikeFm): Promise<Axis[]> {
  const { frequencies = 0, directions = 0 } = fm.spectrum ?? {};
  const axes: Axis[] = [];
  const kinds = [
    { name: 'frequency', length: frequencies },
    { name: 'direction', length: directions },
  ].filter(({ length }) => length > 0);
  for (const [n, { name, length }] of kinds.entries()) {
    const values = await staticAt(statics, 9 + n, `${name} values`, ['Float32', 'Float64'], length);
    const { eumItem, eumUnit } = statics[9 + n]!.item;
    axes.unshift({ name, eum: { item: eumItem, unit: eumUnit }, values: Float64Array.from(values) });
  }
  return axes;
}
