import { CELL_SHAPES, type Mesh, type MeshLayers } from './mesh.ts';

/** Number of layers: that of the file, or of the tallest column if the file declares fewer. */
export function layerCount({ maximum, columns }: MeshLayers): number {
  let most = maximum;
  for (let column = 0; column + 1 < columns.length; column++)
    most = Math.max(most, columns[column + 1]! - columns[column]!);
  return most;
}

/**
 * Layer of each cell, from 0 at the bottom. The top cells of all columns are in the last layer: a column of fewer cells
 * (sigma-z) lacks the lowest layers.
 */
export function layersOfCells(layers: MeshLayers): Int32Array {
  const { columns } = layers;
  const count = layerCount(layers);
  const layerOf = new Int32Array(columns.at(-1) ?? 0);
  for (let column = 0; column + 1 < columns.length; column++) {
    const end = columns[column + 1]!;
    for (let cell = columns[column]!; cell < end; cell++) layerOf[cell] = count - (end - cell);
  }
  return layerOf;
}

/** The layers of a mesh, and which of them each cell is in; without `of` all cells are in the only one. */
export interface CellLayers {
  readonly count: number;
  readonly of?: Int32Array;
}

/** Layers of the file; else layers of stacked cells, such as the cells of an array in space. */
export function cellLayers(mesh: Pick<Mesh, 'nodes' | 'layers'> & MeshCells): CellLayers {
  if (mesh.layers !== undefined) return { count: layerCount(mesh.layers), of: layersOfCells(mesh.layers) };
  return mesh.shapes.some((shape) => flatShapes[shape] !== undefined) ? standingCells(mesh) : { count: 1 };
}

/** As in the columns of a file, the top cells of all columns are in the last layer. */
function standingCells({ nodes, shapes, connectivity, offsets }: Pick<Mesh, 'nodes'> & MeshCells): CellLayers {
  const byLowerFace = new Map<string, number>();
  const upperFaces: (string | undefined)[] = [];
  for (let cell = 0; cell < shapes.length; cell++) {
    if (flatShapes[shapes[cell]!] === undefined) {
      upperFaces.push(undefined);
      continue;
    }
    const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
    const middle = (first + end) / 2;
    const faces = [connectivity.slice(first, middle), connectivity.slice(middle, end)];
    const [one, other] = faces.map((face) => face.reduce((sum, node) => sum + nodes[3 * node + 2]!, 0)) as [
      number,
      number,
    ];
    // An axis of the array may point down.
    const [lower, upper] = (one <= other ? faces : faces.toReversed()).map((face) => face.sort().join());
    byLowerFace.set(lower!, cell);
    upperFaces.push(upper);
  }
  const heights = new Int32Array(shapes.length);
  const above = upperFaces.map((face) => (face === undefined ? undefined : byLowerFace.get(face)));
  const isTop = new Uint8Array(shapes.length).fill(1);
  const below = new Map<number, number>();
  for (const [cell, upper] of above.entries())
    if (upper !== undefined && upper !== cell) {
      isTop[cell] = 0;
      below.set(upper, cell);
    }
  let count = 1;
  for (let cell = 0; cell < shapes.length; cell++) {
    if (isTop[cell] === 0) continue;
    let depth = 0;
    for (let next: number | undefined = cell; next !== undefined; next = below.get(next)) heights[next] = depth++;
    count = Math.max(count, depth);
  }
  return { count, of: heights.map((depth) => count - 1 - depth) };
}

const flatShapes: Readonly<Record<number, number>> = {
  [CELL_SHAPES.wedge]: CELL_SHAPES.triangle,
  [CELL_SHAPES.hexahedron]: CELL_SHAPES.quad,
};

export type MeshCells = Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'>;

/** The lower faces of layered cells, as cells of a flat mesh; flat cells stay as they are. */
export function footprints({ shapes, connectivity, offsets }: MeshCells): MeshCells {
  if (!shapes.some((shape) => flatShapes[shape] !== undefined)) return { shapes, connectivity, offsets };
  const flat = Uint8Array.from(shapes, (shape) => flatShapes[shape] ?? shape);
  const starts = new Uint32Array(offsets.length);
  for (let cell = 0; cell < shapes.length; cell++) {
    const nodes = offsets[cell + 1]! - offsets[cell]!;
    starts[cell + 1] = starts[cell]! + (flat[cell] === shapes[cell] ? nodes : nodes / 2);
  }
  const lower = new Uint32Array(starts.at(-1) ?? 0);
  for (let cell = 0; cell < shapes.length; cell++)
    lower.set(connectivity.subarray(offsets[cell]!, offsets[cell]! + starts[cell + 1]! - starts[cell]!), starts[cell]!);
  return { shapes: flat, connectivity: lower, offsets: starts };
}

/**
 * Index of the first cell of each column, then the number of cells. A cell belongs to the column of the cell before it
 * if its lower nodes are the upper nodes of that cell.
 */
export function stackedColumns({ shapes, connectivity, offsets }: MeshCells): Uint32Array {
  const firsts: number[] = [];
  for (let cell = 0; cell < shapes.length; cell++) {
    const standing = cell > 0 && shapes[cell] === shapes[cell - 1];
    if (!standing || !standsOn(connectivity, offsets[cell]!, offsets[cell - 1]!, offsets[cell + 1]! - offsets[cell]!))
      firsts.push(cell);
  }
  return Uint32Array.from([...firsts, shapes.length]);
}

/** Whether the lower face of the cell at `above` is the upper face of the one at `below`; both have `count` nodes. */
function standsOn(connectivity: Uint32Array, above: number, below: number, count: number): boolean {
  const half = count / 2;
  for (let n = 0; n < half; n++) {
    // Quads of a profile go around: lower left, lower right, upper right, upper left.
    const upper = count === 4 ? 3 - n : half + n;
    if (connectivity[above + n] !== connectivity[below + upper]) return false;
  }
  return true;
}
