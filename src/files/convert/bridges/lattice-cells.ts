import { CELL_SHAPES, type Mesh, type MeshBlocks } from '../../data/mesh.ts';

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
  const { cells, shape, nodesPerCell } = latticeSize(lattice);
  const connectivity = new Uint32Array(nodesPerCell * cells);
  let at = 0;
  for (const row of latticeConnectivity(lattice)) {
    connectivity.set(row, at);
    at += row.length;
  }
  const { width, height, levels = [0] } = lattice;
  const nodes = new Float64Array(3 * (width + 1) * (height + 1) * levels.length);
  at = 0;
  for (const row of latticeNodes(lattice)) {
    nodes.set(row, at);
    at += row.length;
  }
  return {
    nodes,
    shapes: new Uint8Array(cells).fill(shape),
    connectivity,
    offsets: Uint32Array.from({ length: cells + 1 }, (_, cell) => nodesPerCell * cell),
  };
}

export function latticeSize({ width, height, levels }: Lattice): Pick<MeshBlocks, 'cells' | 'shape' | 'nodesPerCell'> {
  return levels === undefined
    ? { cells: width * height, shape: CELL_SHAPES.quad, nodesPerCell: 4 }
    : { cells: width * height * (levels.length - 1), shape: CELL_SHAPES.hexahedron, nodesPerCell: 8 };
}

/** The connectivity of `latticeCells`, row by row. */
export function* latticeConnectivity(lattice: Lattice): Generator<Uint32Array> {
  const { width, height, levels } = lattice;
  const perLevel = (width + 1) * (height + 1);
  const ofCell = cornersOf(lattice);
  const nodesOf = (first: number) => {
    const lower = ofCell(first);
    return levels === undefined ? lower : [...lower, ...lower.map((node) => node + perLevel)];
  };
  const layers = levels === undefined ? 1 : levels.length - 1;
  const { nodesPerCell } = latticeSize(lattice);
  for (let layer = 0; layer < layers; layer++)
    for (let row = 0; row < height; row++) {
      const cells = new Uint32Array(nodesPerCell * width);
      for (let column = 0; column < width; column++)
        cells.set(nodesOf(layer * perLevel + row * (width + 1) + column), nodesPerCell * column);
      yield cells;
    }
}

/** The nodes of `latticeCells`, row by row. */
export function* latticeNodes({ width, height, corner, levels = [0] }: Lattice): Generator<Float64Array> {
  for (const z of levels)
    for (let row = 0; row <= height; row++) {
      const nodes = new Float64Array(3 * (width + 1));
      for (let column = 0; column <= width; column++) {
        const [x, y] = corner(column, row);
        nodes[3 * column] = x;
        nodes[3 * column + 1] = y;
        nodes[3 * column + 2] = z;
      }
      yield nodes;
    }
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

/** Lines of two nodes each between consecutive points; a single point is a vertex. */
export function lineCells(points: readonly (readonly [x: number, y: number])[]): Cells {
  if (points.length === 1)
    return {
      nodes: Float64Array.of(...points[0]!, 0),
      shapes: Uint8Array.of(CELL_SHAPES.vertex),
      connectivity: Uint32Array.of(0),
      offsets: Uint32Array.of(0, 1),
    };
  const count = Math.max(0, points.length - 1);
  return {
    nodes: Float64Array.from(points.flatMap(([x, y]) => [x, y, 0])),
    shapes: new Uint8Array(count).fill(CELL_SHAPES.line),
    connectivity: Uint32Array.from({ length: 2 * count }, (_, n) => Math.ceil(n / 2)),
    offsets: Uint32Array.from({ length: count + 1 }, (_, cell) => 2 * cell),
  };
}
