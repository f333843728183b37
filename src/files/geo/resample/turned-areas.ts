import type { AreaRow } from './areas.ts';
import type { HeldRows } from './held-rows.ts';
import type { Nodata } from './kernels.ts';

/** x and y of the corners of a polygon, in order. */
type Corners = readonly number[];

/**
 * Adds the source cells that a turned target cell covers, each by the area in common.
 * @param corners of the target cell in source columns and rows
 */
export function addTurnedCell(row: AreaRow, i: number, corners: Corners, source: HeldRows, nodata: Nodata): void {
  const { samples, first, width, height } = source;
  const [left, right] = rangeOf(corners, 0, width);
  const [top, bottom] = rangeOf(corners, 1, height);
  const sides = sidesOf(corners);
  for (let r = top; r < bottom; r++)
    for (let c = left; c < right; c++) {
      const value = samples[(r - first) * width + c]!;
      if (Number.isNaN(value) || (value >= nodata.low && value <= nodata.high)) continue;
      const inside = placeIn(sides, c, r);
      if (inside === 'none') continue;
      const area = inside === 'all' ? 1 : areaWithin(corners, c, r);
      if (area > 1e-10) row.addCell(i, value, area);
    }
}

/** Range `first … end - 1` of the cells along an axis. */
function rangeOf(corners: Corners, axis: 0 | 1, size: number): [number, number] {
  const along = corners.filter((_, n) => n % 2 === axis);
  return [Math.max(0, Math.floor(Math.min(...along))), Math.min(size, Math.ceil(Math.max(...along)))];
}

/**
 * The sides of a convex polygon: per side the factors of x and y and the constant of the distance of a point, which is
 * positive inside, and the greatest difference of it between the centre of a cell and the rest of the cell.
 */
function sidesOf(corners: Corners): Float64Array {
  const sides = new Float64Array(2 * corners.length);
  const turn = Math.sign(doubleArea(corners));
  for (let n = 0; n < corners.length; n += 2) {
    const next = (n + 2) % corners.length;
    const x = turn * (corners[n + 1]! - corners[next + 1]!);
    const y = turn * (corners[next]! - corners[n]!);
    sides.set([x, y, -x * corners[n]! - y * corners[n + 1]!, (Math.abs(x) + Math.abs(y)) / 2], 2 * n);
  }
  return sides;
}

/** How much of the cell at a column and row lies within the sides. */
function placeIn(sides: Float64Array, column: number, row: number): 'all' | 'some' | 'none' {
  let place: 'all' | 'some' = 'all';
  for (let n = 0; n < sides.length; n += 4) {
    const centre = sides[n]! * (column + 0.5) + sides[n + 1]! * (row + 0.5) + sides[n + 2]!;
    const reach = sides[n + 3]!;
    if (centre <= -reach) return 'none';
    if (centre < reach) place = 'some';
  }
  return place;
}

/** Area of the part of a convex polygon within the unit square at a column and row. */
function areaWithin(corners: Corners, column: number, row: number): number {
  let part = corners;
  for (const [axis, limit, sign] of [
    [0, column, 1],
    [0, column + 1, -1],
    [1, row, 1],
    [1, row + 1, -1],
  ] as const)
    part = clipped(part, axis, limit, sign);
  return Math.abs(doubleArea(part)) / 2;
}

/** Twice the area of a polygon, with the sign of its direction. */
function doubleArea(part: Corners): number {
  let double = 0;
  for (let n = 0; n < part.length; n += 2) {
    const next = (n + 2) % part.length;
    double += part[n]! * part[next + 1]! - part[next]! * part[n + 1]!;
  }
  return double;
}

/** The part of a convex polygon on one side of a line along an axis (Sutherland and Hodgman 1974). */
function clipped(corners: Corners, axis: 0 | 1, limit: number, sign: 1 | -1): number[] {
  const kept: number[] = [];
  for (let n = 0; n < corners.length; n += 2) {
    const next = (n + 2) % corners.length;
    const [here, there] = [(corners[n + axis]! - limit) * sign, (corners[next + axis]! - limit) * sign];
    if (here >= 0) kept.push(corners[n]!, corners[n + 1]!);
    if (here < 0 === there < 0) continue;
    const t = here / (here - there);
    kept.push(
      corners[n]! + t * (corners[next]! - corners[n]!),
      corners[n + 1]! + t * (corners[next + 1]! - corners[n + 1]!),
    );
  }
  return kept;
}
