import type { Mesh } from '../../data/mesh.ts';
import { CELL_SHAPES } from '../../data/mesh.ts';

export type Cells = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;

/** x and y of the first corner of the cell in a column and a row. */
export type Corner = (column: number, row: number) => readonly [x: number, y: number];

/** Cells in rows and columns, and in layers if there are `levels`, the heights of the boundaries between layers. */
export interface Lattice {
  readonly width: number;
  readonly height: number;
  readonly corner: Corner;
  readonly levels?: readonly number[];
}

/** Quads, with levels hexahedra, column by column in rows from the first one, layer by layer from the lowest. */
export function latticeCells(lattice: Lattice): Cells {
  const { width, height, levels } = lattice;
  const perLevel = (width + 1) * (height + 1);
  const ofCell = cornersOf(lattice);
  const nodesOf = (first: number) => {
    const lower = ofCell(first);
    return levels === undefined ? lower : [...lower, ...lower.map((node) => node + perLevel)];
  };
  const layers = levels === undefined ? 1 : levels.length - 1;
  const perCell = levels === undefined ? 4 : 8;
  const count = width * height * layers;
  const connectivity = new Uint32Array(perCell * count);
  let at = 0;
  for (let layer = 0; layer < layers; layer++)
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        connectivity.set(nodesOf(layer * perLevel + row * (width + 1) + column), at);
        at += perCell;
      }
  return {
    nodes: nodesAt(lattice, levels ?? [0]),
    shapes: new Uint8Array(count).fill(levels === undefined ? CELL_SHAPES.quad : CELL_SHAPES.hexahedron),
    connectivity,
    offsets: Uint32Array.from({ length: count + 1 }, (_, cell) => perCell * cell),
  };
}

function nodesAt({ width, height, corner }: Lattice, levels: readonly number[]): Float64Array {
  const nodes = new Float64Array(3 * (width + 1) * (height + 1) * levels.length);
  let at = 0;
  for (const z of levels)
    for (let row = 0; row <= height; row++)
      for (let column = 0; column <= width; column++) {
        const [x, y] = corner(column, row);
        nodes[at++] = x;
        nodes[at++] = y;
        nodes[at++] = z;
      }
  return nodes;
}

/** Corners of a cell, counter-clockwise seen from above, from the number of its first one. */
function cornersOf({ width, corner }: Lattice): (first: number) => readonly number[] {
  const line = width + 1;
  const [[x0, y0], [x1, y1], [x2, y2]] = [corner(0, 0), corner(1, 0), corner(0, 1)];
  // If rows run to the right of columns, the order of the corners is reversed.
  return (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) > 0
    ? (first) => [first, first + 1, first + line + 1, first + line]
    : (first) => [first + line, first + line + 1, first + 1, first];
}

/** Lines of two nodes each between consecutive points. */
export function lineCells(points: readonly (readonly [x: number, y: number])[]): Cells {
  const count = Math.max(0, points.length - 1);
  return {
    nodes: Float64Array.from(points.flatMap(([x, y]) => [x, y, 0])),
    shapes: new Uint8Array(count).fill(CELL_SHAPES.line),
    connectivity: Uint32Array.from({ length: 2 * count }, (_, n) => Math.ceil(n / 2)),
    offsets: Uint32Array.from({ length: count + 1 }, (_, cell) => 2 * cell),
  };
}
