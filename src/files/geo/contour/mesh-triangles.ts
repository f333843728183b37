import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { cellCount } from '../../data/mesh-cells.ts';
import { orient2d } from '../vector/orient2d.ts';

/** Triangles of a mesh, three nodes each, clockwise; and the cell that each is a part of. */
export interface Triangles {
  readonly corners: Uint32Array;
  readonly cells: Uint32Array;
}

/**
 * The cells of the plane as triangles. A quad is divided by its shorter diagonal (the one from its first node if both
 * are equally long, the one inside if it is not convex); larger polygons are fans around their first node. Cells
 * without an area are left out.
 */
export function trianglesOf({ nodes, shapes, connectivity, offsets }: Mesh): Triangles {
  const [corners, cells]: [number[], number[]] = [[], []];
  const turn = (a: number, b: number, c: number) =>
    orient2d(nodes[3 * a]!, nodes[3 * a + 1]!, nodes[3 * b]!, nodes[3 * b + 1]!, nodes[3 * c]!, nodes[3 * c + 1]!);
  const add = (cell: number, a: number, b: number, c: number) => {
    const side = turn(a, b, c);
    if (side === 0) return;
    corners.push(a, side < 0 ? b : c, side < 0 ? c : b);
    cells.push(cell);
  };
  const length = (a: number, b: number) =>
    Math.hypot(nodes[3 * a]! - nodes[3 * b]!, nodes[3 * a + 1]! - nodes[3 * b + 1]!);
  for (let cell = 0; cell < cellCount({ offsets }); cell++) {
    const around = connectivity.subarray(offsets[cell]!, offsets[cell + 1]!);
    const [a, b, c, d] = around as unknown as [number, number, number, number];
    if (shapes[cell] === CELL_SHAPES.triangle) add(cell, a, b, c);
    else if (shapes[cell] === CELL_SHAPES.quad) {
      // A diagonal lies inside if it has the two other corners on different sides.
      const fromFirst = Math.sign(turn(a, c, b)) * Math.sign(turn(a, c, d)) < 0;
      const fromSecond = Math.sign(turn(b, d, a)) * Math.sign(turn(b, d, c)) < 0;
      if (fromFirst && (!fromSecond || length(a, c) <= length(b, d))) {
        add(cell, a, b, c);
        add(cell, a, c, d);
      } else {
        add(cell, a, b, d);
        add(cell, b, c, d);
      }
    } else if (shapes[cell] === CELL_SHAPES.polygon)
      for (let n = 2; n < around.length; n++) add(cell, a, around[n - 1]!, around[n]!);
  }
  return { corners: Uint32Array.from(corners), cells: Uint32Array.from(cells) };
}

/**
 * For each edge of triangles (edge 3 t + k leads from corner k of triangle t to the next) the same edge of the
 * neighbour, which runs the other way; −1 for an edge of one triangle, or of more than two.
 */
export function twinEdges(corners: Uint32Array, nodeCount: number): Int32Array {
  const next = (edge: number) => (edge % 3 === 2 ? edge - 2 : edge + 1);
  const lower = (edge: number) => Math.min(corners[edge]!, corners[next(edge)]!);
  const higher = (edge: number) => Math.max(corners[edge]!, corners[next(edge)]!);
  // Edges by their lower node.
  const starts = new Uint32Array(nodeCount + 1);
  for (let edge = 0; edge < corners.length; edge++) starts[lower(edge) + 1]!++;
  for (let node = 0; node < nodeCount; node++) starts[node + 1]! += starts[node]!;
  const sorted = new Uint32Array(corners.length);
  const at = starts.slice();
  for (let edge = 0; edge < corners.length; edge++) sorted[at[lower(edge)]!++] = edge;
  const twins = new Int32Array(corners.length).fill(-1);
  for (let node = 0; node < nodeCount; node++) {
    const around = sorted.subarray(starts[node], starts[node + 1]).sort((a, b) => higher(a) - higher(b));
    for (let n = 0; n < around.length; ) {
      let end = n + 1;
      while (end < around.length && higher(around[end]!) === higher(around[n]!)) end++;
      const [one, other] = [around[n]!, around[n + 1]!];
      if (end === n + 2 && corners[one] !== corners[other]) {
        twins[one] = other;
        twins[other] = one;
      }
      n = end;
    }
  }
  return twins;
}
