import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { FormatError } from '../../errors.ts';
import { wrong } from './decode.ts';
import type { ArrayElement, Piece, VtuDocument } from './document.ts';
import { readCounts, readNumbers } from './numbers.ts';

export type Geometry = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;

/** VTK cell types with their minimum and maximum number of nodes. */
const nodeCounts: Readonly<Record<number, readonly [number, number]>> = {
  [CELL_SHAPES.vertex]: [1, 1],
  [CELL_SHAPES.line]: [2, 2],
  [CELL_SHAPES.polyline]: [2, Infinity],
  [CELL_SHAPES.triangle]: [3, 3],
  [CELL_SHAPES.polygon]: [3, Infinity],
  [CELL_SHAPES.quad]: [4, 4],
  [CELL_SHAPES.tetrahedron]: [4, 4],
  [CELL_SHAPES.hexahedron]: [8, 8],
  [CELL_SHAPES.wedge]: [6, 6],
  [CELL_SHAPES.pyramid]: [5, 5],
};

/** VTK cells that differ from the model's cells only in the order of their nodes: pixel and voxel. */
const reordered: Readonly<Record<number, { shape: number; order: readonly number[] }>> = {
  8: { shape: CELL_SHAPES.quad, order: [0, 1, 3, 2] },
  11: { shape: CELL_SHAPES.hexahedron, order: [0, 1, 3, 2, 4, 5, 7, 6] },
};

/** Reads points and cells of all pieces, one behind the other. */
export async function readGeometry(document: VtuDocument): Promise<Geometry> {
  const pieces: Geometry[] = [];
  for (const piece of document.pieces) pieces.push(await pieceGeometry(document, piece));
  return pieces.length === 1 ? pieces[0]! : joined(pieces);
}

async function pieceGeometry(document: VtuDocument, piece: Piece): Promise<Geometry> {
  const { points, cells, coordinates } = piece;
  if (coordinates.components !== 3)
    throw wrong(coordinates, `has ${coordinates.components} components; points have 3.`, coordinates.at);
  const nodes = Float64Array.from(await readNumbers(document, coordinates, 3 * points));
  if (cells === 0)
    return { nodes, shapes: new Uint8Array(0), connectivity: new Uint32Array(0), offsets: new Uint32Array(1) };
  const counts = (name: string, most: number, expected?: number) =>
    readCounts(document, topology(piece, name), { most, expected });
  const types = await counts('types', 255, cells);
  const ends = await counts('offsets', 2 ** 32 - 1, cells);
  const connectivity = await counts('connectivity', points - 1, ends.at(-1)!);
  const offsets = new Uint32Array(cells + 1);
  offsets.set(ends, 1);
  const shapes = new Uint8Array(cells);
  for (let cell = 0; cell < cells; cell++)
    shapes[cell] = shapeOf(types[cell]!, connectivity, offsets, cell, topology(piece, 'types'));
  return { nodes, shapes, connectivity, offsets };
}

function topology({ topology: arrays, at }: Piece, name: string): ArrayElement {
  const array = arrays.get(name);
  if (array === undefined) throw new FormatError(`The cells have no array '${name}'.`, at);
  return array;
}

/** Returns the shape of a cell, and brings its nodes into the model's order. */
function shapeOf(
  type: number,
  connectivity: Uint32Array,
  offsets: Uint32Array,
  cell: number,
  array: ArrayElement,
): number {
  const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
  const { shape, order } = reordered[type] ?? { shape: type, order: undefined };
  const range = nodeCounts[shape];
  if (range === undefined)
    throw wrong(
      array,
      `has cell type ${type} at cell ${cell}. Supported are vertices, lines, polylines, triangles, quads, polygons, tetrahedra, hexahedra, wedges and pyramids.`,
      array.at,
    );
  if (!(end - first >= range[0] && end - first <= range[1]))
    throw wrong(array, `has cell type ${type} at cell ${cell}, which has ${end - first} nodes.`, array.at);
  if (order !== undefined) {
    const nodes = connectivity.slice(first, end);
    for (const [n, from] of order.entries()) connectivity[first + n] = nodes[from]!;
  }
  return shape;
}

function joined(pieces: readonly Geometry[]): Geometry {
  const total = (length: (piece: Geometry) => number) => pieces.reduce((sum, piece) => sum + length(piece), 0);
  const all = {
    nodes: new Float64Array(total(({ nodes }) => nodes.length)),
    shapes: new Uint8Array(total(({ shapes }) => shapes.length)),
    connectivity: new Uint32Array(total(({ connectivity }) => connectivity.length)),
    offsets: new Uint32Array(total(({ shapes }) => shapes.length) + 1),
  };
  const at = { nodes: 0, cells: 0, connected: 0 };
  for (const { nodes, shapes, connectivity, offsets } of pieces) {
    all.nodes.set(nodes, at.nodes);
    all.shapes.set(shapes, at.cells);
    for (const [n, node] of connectivity.entries()) all.connectivity[at.connected + n] = node + at.nodes / 3;
    for (let n = 1; n < offsets.length; n++) all.offsets[at.cells + n] = offsets[n]! + at.connected;
    at.nodes += nodes.length;
    at.cells += shapes.length;
    at.connected += connectivity.length;
  }
  return all;
}
