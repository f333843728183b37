import { asSamples, footprints, isFloat, type Mesh, nodataOf, type Samples } from 'hydrofiles/data';
import { withCells } from 'hydrofiles/geometry';
import type { Coverage } from '../coverage.ts';
import type { OpenDataset } from '../stores.ts';
import type { Variable } from '../variables.ts';
import { type DataInput, timeOfAnswer } from './stored-data.ts';

/**
 * The cells of the values, or those with a node that has values; nodes and cells of them without values have no data.
 * Undefined if there are no cells.
 */
export function meshPart(
  dataset: OpenDataset,
  coverages: readonly Coverage[],
  lost: string[],
): Pick<DataInput, 'data' | 'values'> | undefined {
  const { heights, origin: _, values: __, ...mesh } = dataset.data as Mesh;
  const places = dataset.places!;
  if (heights !== undefined)
    lost.push('The heights of the nodes over time were left out; those of the file are in mesh2d_node_z.');
  const chosen = (location: 'node' | 'cell') =>
    coverages.find(({ ranges }) => ranges[0]!.variable.location === location)?.selection.indices.at(-1) as
      | Uint32Array
      | undefined;
  const [nodes, cells] = [chosen('node'), chosen('cell')];
  const [nodeCount, cellCount] = [places.at('node').length / 3, mesh.offsets.length - 1];
  const kept = nodes === undefined ? cells! : cellsOf(mesh, nodes, cells);
  if (kept.length === 0) return undefined;
  const isWhole = kept.length === cellCount && (nodes === undefined || nodes.length === nodeCount);
  const ranges = coverages.flatMap((coverage) => coverage.ranges);
  const items = ranges.map(({ variable: { item, location } }) => ({ ...item, location: location! }));
  const time = timeOfAnswer(dataset, coverages);
  if (isWhole && cells?.length !== 0)
    return { data: { ...mesh, items, ...time }, values: ranges.map(({ values }) => asSamples(values)) };
  // the numbers of the nodes in the mesh, which become ids again
  const numbers = (length: number) => Int32Array.from({ length }, (_, n) => n);
  const { spectrum: ___, ...located } = mesh;
  const numbered = { ...located, nodeIds: numbers(nodeCount), cellIds: numbers(cellCount), items: [] };
  const part = flatIfPossible(withCells({ ...numbered, values: noValues }, kept));
  const positions = { node: part.nodeIds!, cell: part.cellIds! };
  const { values: ____, heights: _____, ...rest } = part;
  const filled = ranges.map(({ variable, values }) =>
    fill(variable, asSamples(values), variable.location === 'node' ? nodes! : cells!, positions[variable.location!]),
  );
  return {
    data: {
      ...rest,
      nodeIds: positions.node.map((n) => places.number('node', n)),
      cellIds: positions.cell.map((n) => places.number('cell', n)),
      items: items.map((item, n) => ({ ...item, ...filled[n]!.nodata })),
      ...time,
    },
    values: filled.map(({ values }) => values),
  };
}

const noValues = (): never => {
  throw new Error('The geometry has no values.');
};

/** The chosen cells, and those with a chosen node. */
function cellsOf(
  { connectivity, offsets }: Pick<Mesh, 'connectivity' | 'offsets'>,
  nodes: Uint32Array,
  cells: Uint32Array | undefined,
): Uint32Array {
  const isChosen = new Uint8Array(nodes.length === 0 ? 0 : nodes.at(-1)! + 1);
  for (const node of nodes) isChosen[node] = 1;
  const others = new Set(cells);
  const kept: number[] = [];
  for (let cell = 0; cell + 1 < offsets.length; cell++) {
    let isKept = others.has(cell);
    for (let n = offsets[cell]!; !isKept && n < offsets[cell + 1]!; n++) isKept = isChosen[connectivity[n]!] === 1;
    if (isKept) kept.push(cell);
  }
  return Uint32Array.from(kept);
}

/** A mesh of one layer that covers an area as flat cells: the lower faces. */
function flatIfPossible(mesh: Mesh): Mesh {
  const { layers, ...rest } = mesh;
  if (layers === undefined || layers.columns.length - 1 !== mesh.shapes.length) return mesh;
  if (mesh.section !== undefined) return rest;
  const faces = { ...rest, ...footprints(mesh) };
  return withCells(
    faces,
    Uint32Array.from(faces.shapes, (_, cell) => cell),
  );
}

/** Values of chosen places at all places of the part, the others without data. */
function fill(
  { item, array }: Variable,
  values: Samples,
  chosen: Uint32Array,
  positions: Int32Array,
): { values: Samples; nodata: { nodata?: number } } {
  if (chosen.length === positions.length) return { values, nodata: {} };
  const nodata = item.nodata ?? nodataOf(array.metadata.type, undefined);
  const at = new Map(Array.from(chosen, (place, n) => [place, n]));
  const from = Int32Array.from(positions, (place) => at.get(place) ?? -1);
  const rows = chosen.length === 0 ? 0 : values.length / chosen.length;
  const filled = new (values.constructor as Float64ArrayConstructor)(rows * positions.length) as Samples;
  for (let row = 0; row < rows; row++)
    for (let n = 0; n < from.length; n++)
      filled[row * from.length + n] = from[n]! < 0 ? nodata : values[row * chosen.length + from[n]!]!;
  return { values: filled, nodata: item.nodata === undefined && !isFloat(array.metadata.type) ? { nodata } : {} };
}
