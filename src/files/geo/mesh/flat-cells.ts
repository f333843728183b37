import type { Mesh } from '../../data/mesh.ts';
import { cellCount } from '../../data/mesh-cells.ts';
import { nthSmallest } from '../../data/nth-smallest.ts';
import { orient2d } from '../vector/orient2d.ts';

type Cells = Pick<Mesh, 'nodes' | 'connectivity' | 'offsets'>;

/** Whether a point lies in or on a flat, convex cell. */
export function cellHolds({ nodes, connectivity, offsets }: Cells, cell: number, x: number, y: number): boolean {
  const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
  let side = 0;
  for (let n = first; n < end; n++) {
    const [a, b] = [3 * connectivity[n]!, 3 * connectivity[n + 1 === end ? first : n + 1]!];
    const turn = orient2d(nodes[a]!, nodes[a + 1]!, nodes[b]!, nodes[b + 1]!, x, y);
    if (turn === 0) continue;
    if (side !== 0 && turn > 0 !== side > 0) return false;
    side = turn;
  }
  return side !== 0;
}

/** West, south, east and north of a cell. */
export function cellBox({ nodes, connectivity, offsets }: Cells, cell: number): [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) {
    const at = 3 * connectivity[n]!;
    box[0] = Math.min(box[0], nodes[at]!);
    box[1] = Math.min(box[1], nodes[at + 1]!);
    box[2] = Math.max(box[2], nodes[at]!);
    box[3] = Math.max(box[3], nodes[at + 1]!);
  }
  return box;
}

/** The first cell that holds each point; -1 for none. */
export function cellsAt(cells: Cells, points: readonly { readonly x: number; readonly y: number }[]): Int32Array {
  const found = new Int32Array(points.length).fill(-1);
  for (let cell = 0; cell + 1 < cells.offsets.length; cell++) {
    const [west, south, east, north] = cellBox(cells, cell);
    for (const [n, { x, y }] of points.entries())
      if (found[n]! < 0 && x >= west && x <= east && y >= south && y <= north && cellHolds(cells, cell, x, y))
        found[n] = cell;
  }
  return found;
}

/** Median of the areas of flat cells; 1 if none has an area. */
export function medianArea(cells: Cells): number {
  const areas = new Float64Array(cellCount(cells));
  let count = 0;
  for (let cell = 0; cell < areas.length; cell++) {
    const area = cellArea(cells, cell);
    if (area > 0) areas[count++] = area;
  }
  return count === 0 ? 1 : nthSmallest(areas.subarray(0, count), Math.floor(count / 2));
}

/** Area of a flat cell, without a sign. */
export function cellArea({ nodes, connectivity, offsets }: Cells, cell: number): number {
  const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
  const origin = 3 * connectivity[first]!;
  let double = 0;
  for (let n = first + 1; n + 1 < end; n++) {
    const [b, c] = [3 * connectivity[n]!, 3 * connectivity[n + 1]!];
    const [bx, by] = [nodes[b]! - nodes[origin]!, nodes[b + 1]! - nodes[origin + 1]!];
    double += bx * (nodes[c + 1]! - nodes[origin + 1]!) - (nodes[c]! - nodes[origin]!) * by;
  }
  return Math.abs(double) / 2;
}
