import type { Grid } from '../../data/grid.ts';
import { layersOf } from '../../data/grid.ts';
import type { Item, Samples } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { CELL_SHAPES } from '../../data/mesh.ts';
import { sliceSamples } from '../../data/slice-samples.ts';

type Cells = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;

/**
 * Cells of a grid as cells of a mesh, in the order of the grid: quads, with layers hexahedra, also where there are no data. A DFS1 is a
 * line through the centres of its cells, with its values at the nodes.
 */
export function gridToMesh(grid: Grid): Mesh {
  const { crs, time, origin } = grid;
  const isLine = origin?.format === 'dfs1';
  const layered = grid.layers !== undefined;
  const cells = isLine ? lines(grid) : layered ? hexahedra(grid) : quads(grid);
  return {
    kind: 'mesh',
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    ...cells,
    items: grid.bands.map(
      ({ role: _role, palette: _palette, ...band }: Item & Grid['bands'][number]): MeshItem => ({
        ...band,
        location: isLine ? 'node' : 'cell',
      }),
    ),
    values: async (band, step) => {
      const all: Samples[] = [];
      for (let layer = 0; layer < layersOf(grid); layer++) all.push(await sliceSamples(grid, { band, step, layer }));
      return all.length === 1 ? all[0]! : concatenated(all);
    },
  };
}

function concatenated(all: readonly Samples[]): Samples {
  const one = all[0]!;
  const joined = new (one.constructor as new (length: number) => Samples)(one.length * all.length);
  for (const [n, samples] of all.entries()) joined.set(samples, n * one.length);
  return joined;
}

/** x, y, z of corner (column, row), each on an unbroken scale of cells. */
type Corner = (column: number, row: number) => readonly [x: number, y: number];

const cornerOf =
  ({ affine: [x, a, b, y, c, d] }: Grid): Corner =>
  (column, row) => [x + column * a + row * b, y + column * c + row * d];

function corners(grid: Grid, heights: readonly number[]): Float64Array {
  const { width, height } = grid;
  const corner = cornerOf(grid);
  const nodes = new Float64Array(3 * (width + 1) * (height + 1) * heights.length);
  let at = 0;
  for (const z of heights)
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
function cornersOf({ width, affine: [, a, b, , c, d] }: Grid): (first: number) => readonly number[] {
  const line = width + 1;
  // Rows that run south turn the cell around.
  return a * d - b * c > 0
    ? (first) => [first, first + 1, first + line + 1, first + line]
    : (first) => [first + line, first + line + 1, first + 1, first];
}

function quads(grid: Grid): Cells {
  return { nodes: corners(grid, [0]), ...cellsOf(grid, 1, CELL_SHAPES.quad, (corners) => corners) };
}

function hexahedra(grid: Grid): Cells {
  const { count, first, spacing } = grid.layers!;
  const heights = Array.from({ length: count + 1 }, (_, k) => first + (k - 0.5) * spacing);
  const perLayer = (grid.width + 1) * (grid.height + 1);
  const both = (lower: readonly number[]) => [...lower, ...lower.map((node) => node + perLayer)];
  return { nodes: corners(grid, heights), ...cellsOf(grid, count, CELL_SHAPES.hexahedron, both) };
}

function cellsOf(
  grid: Grid,
  layers: number,
  shape: number,
  nodesOf: (corners: readonly number[]) => readonly number[],
): Omit<Cells, 'nodes'> {
  const { width, height } = grid;
  const ofCell = cornersOf(grid);
  const count = width * height * layers;
  const perCell = shape === CELL_SHAPES.quad ? 4 : 8;
  const connectivity = new Uint32Array(perCell * count);
  let at = 0;
  for (let layer = 0; layer < layers; layer++)
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        connectivity.set(nodesOf(ofCell((layer * (height + 1) + row) * (width + 1) + column)), at);
        at += perCell;
      }
  return {
    shapes: new Uint8Array(count).fill(shape),
    connectivity,
    offsets: Uint32Array.from({ length: count + 1 }, (_, cell) => perCell * cell),
  };
}

/** Lines of two nodes each between the centres of cells that follow each other. */
function lines(grid: Grid): Cells {
  const corner = cornerOf(grid);
  const nodes = Array.from({ length: grid.width }, (_, column) => [...corner(column + 0.5, 0.5), 0]).flat();
  const count = grid.width - 1;
  return {
    nodes: Float64Array.from(nodes),
    shapes: new Uint8Array(count).fill(CELL_SHAPES.line),
    connectivity: Uint32Array.from({ length: 2 * count }, (_, n) => Math.ceil(n / 2)),
    offsets: Uint32Array.from({ length: count + 1 }, (_, cell) => 2 * cell),
  };
}
