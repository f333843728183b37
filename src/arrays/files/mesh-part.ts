import {
  componentCount,
  footprints,
  isFloat,
  type Mesh,
  type MeshItem,
  nodataOf,
  type Samples,
  stepsOf,
} from 'hydrofiles/data';
import { withCells } from 'hydrofiles/geometry';
import { mostFilled, tooManyFilled } from '../limits.ts';
import type { ChosenPlaces } from './stored-data.ts';

type Places = Omit<Mesh, 'values' | 'heights' | 'origin'>;

/** The chosen cells, or those with a chosen node; nodes and cells of them without values have no data. */
export function meshPart(
  { items, spectrum: _, ...mesh }: Places,
  values: readonly Samples[],
  chosen: ChosenPlaces,
): { data: Places; values: Samples[] } {
  const [nodeCount, cellCount] = [mesh.nodes.length / 3, mesh.offsets.length - 1];
  // the numbers of the nodes in the mesh, which become ids again
  const numbers = (length: number) => {
    const all = new Int32Array(length);
    for (let n = 0; n < length; n++) all[n] = n;
    return all;
  };
  const numbered = { ...mesh, nodeIds: numbers(nodeCount), cellIds: numbers(cellCount), items: [] };
  const part = flatIfPossible(withCells({ ...numbered, values: noValues }, cellsOf(mesh, chosen)));
  const positions = { node: part.nodeIds!, cell: part.cellIds! };
  const rowsOf = (item: MeshItem) => stepsOf(mesh) * componentCount(item);
  const count = items.reduce((all, item) => all + rowsOf(item) * positions[item.location].length, 0);
  if (count > mostFilled) throw tooManyFilled(count);
  const filled = items.map((item, n) =>
    fill(item, values[n]!, rowsOf(item), chosen[item.location]!, positions[item.location]),
  );
  const { values: ___, heights: ____, ...rest } = part;
  return {
    data: {
      ...rest,
      nodeIds: positions.node.map((n) => mesh.nodeIds?.[n] ?? n + 1),
      cellIds: positions.cell.map((n) => mesh.cellIds?.[n] ?? n + 1),
      items: items.map((item, n) => ({ ...item, ...filled[n]!.nodata })),
    },
    values: filled.map((one) => one.values),
  };
}

const noValues = (): never => {
  throw new Error('The geometry has no values.');
};

/** The chosen cells, and those with a chosen node. */
function cellsOf(
  { nodes, connectivity, offsets }: Pick<Mesh, 'nodes' | 'connectivity' | 'offsets'>,
  { node = new Uint32Array(0), cell = new Uint32Array(0) }: ChosenPlaces,
): Uint32Array {
  const isChosen = new Uint8Array(nodes.length / 3);
  for (const one of node) isChosen[one] = 1;
  const isKept = new Uint8Array(offsets.length - 1);
  for (const one of cell) isKept[one] = 1;
  for (let one = 0; one < isKept.length; one++)
    for (let n = offsets[one]!; isKept[one] === 0 && n < offsets[one + 1]!; n++)
      isKept[one] = isChosen[connectivity[n]!]!;
  let count = 0;
  const kept = new Uint32Array(isKept.length);
  for (let one = 0; one < isKept.length; one++) if (isKept[one] === 1) kept[count++] = one;
  return kept.slice(0, count);
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

/** Values of chosen places, in rows, at all places of the part, the others without data. */
function fill(
  item: MeshItem,
  values: Samples,
  rows: number,
  chosen: Uint32Array,
  positions: Int32Array,
): { values: Samples; nodata: { nodata?: number } } {
  if (chosen.length === positions.length) return { values, nodata: {} };
  const type = item.type!;
  const nodata = item.nodata ?? nodataOf(type, undefined);
  // both rise
  const from = new Int32Array(positions.length).fill(-1);
  for (let n = 0, at = 0; n < positions.length; n++) {
    while (at < chosen.length && chosen[at]! < positions[n]!) at++;
    if (chosen[at] === positions[n]) from[n] = at;
  }
  const filled = new (values.constructor as Float64ArrayConstructor)(rows * positions.length) as Samples;
  for (let row = 0; row < rows; row++)
    for (let n = 0; n < from.length; n++)
      filled[row * from.length + n] = from[n]! < 0 ? nodata : values[row * chosen.length + from[n]!]!;
  return { values: filled, nodata: item.nodata === undefined && !isFloat(type) ? { nodata } : {} };
}
