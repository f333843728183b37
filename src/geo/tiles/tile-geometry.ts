import type { Geometry } from '../../data/feature-collection.ts';
import type { TileGeometryType } from './mvt.ts';
import { BUFFER, EXTENT } from './mvt.ts';

const [LOW, HIGH] = [-BUFFER, EXTENT + BUFFER];

/** Paths of one type in whole units of a tile. */
export interface TilePaths {
  readonly type: TileGeometryType;
  readonly paths: Int32Array[];
}

/**
 * Clips a geometry to a tile and its buffer and simplifies it by a unit.
 * @param geometry its coordinates are x and y in units of the tile
 */
export function clippedToTile(geometry: Geometry): TilePaths[] {
  const { type, coordinates, parts, polygons, members = [] } = geometry;
  switch (type) {
    case 'Point':
    case 'MultiPoint': {
      const points = pointsInside(coordinates);
      return points.length === 0 ? [] : [{ type: 1, paths: [points] }];
    }
    case 'LineString':
    case 'MultiLineString': {
      const paths = partsOf(coordinates, parts).flatMap((line) =>
        clippedLine(line).flatMap((piece) => snapped(piece, 2)),
      );
      return paths.length === 0 ? [] : [{ type: 2, paths }];
    }
    case 'Polygon':
    case 'MultiPolygon': {
      const rings = partsOf(coordinates, parts);
      const firsts = new Set(polygons === undefined ? [0] : polygons);
      const paths = polygonPaths(rings, firsts);
      return paths.length === 0 ? [] : [{ type: 3, paths }];
    }
    case 'GeometryCollection':
      return members.flatMap((member) => clippedToTile(member));
  }
}

function partsOf(coordinates: Float64Array, parts: Uint32Array | undefined): Float64Array[] {
  if (parts === undefined || parts.length === 0) return coordinates.length === 0 ? [] : [coordinates];
  return Array.from(parts, (first, n) => coordinates.subarray(2 * first, 2 * (parts[n + 1] ?? coordinates.length / 2)));
}

function pointsInside(points: Float64Array): Int32Array {
  const kept: number[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i]!, points[i + 1]!];
    if (x >= LOW && y >= LOW && x <= HIGH && y <= HIGH) kept.push(Math.round(x), Math.round(y));
  }
  return Int32Array.from(kept);
}

/** The pieces of a line inside of the buffer (Liang and Barsky 1984). */
function clippedLine(line: Float64Array): number[][] {
  const pieces: number[][] = [];
  let piece: number[] = [];
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [x0, y0, x1, y1] = line.subarray(i, i + 4) as unknown as [number, number, number, number];
    let [from, to] = [0, 1];
    for (const [distance, room] of [
      [x0 - x1, x0 - LOW],
      [x1 - x0, HIGH - x0],
      [y0 - y1, y0 - LOW],
      [y1 - y0, HIGH - y0],
    ] as const) {
      if (distance === 0) {
        if (room < 0) to = -1;
      } else if (distance < 0) from = Math.max(from, room / distance);
      else to = Math.min(to, room / distance);
    }
    if (!(from <= to)) {
      if (piece.length > 0) pieces.push(piece);
      piece = [];
      continue;
    }
    if (piece.length === 0) piece.push(x0 + from * (x1 - x0), y0 + from * (y1 - y0));
    piece.push(x0 + to * (x1 - x0), y0 + to * (y1 - y0));
    if (to < 1) {
      pieces.push(piece);
      piece = [];
    }
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}

/** Exterior rings turn clockwise on the screen, holes the other way. Rings without an area are left out, and their holes. */
function polygonPaths(rings: readonly Float64Array[], firsts: ReadonlySet<number>): Int32Array[] {
  const paths: Int32Array[] = [];
  let inside = false;
  for (const [n, ring] of rings.entries()) {
    const isExterior = firsts.has(n);
    if (!isExterior && !inside) continue;
    const [path] = snapped(clippedRing(ring), 3);
    const area = path === undefined ? 0 : doubleArea(path);
    if (isExterior) inside = area !== 0;
    if (path === undefined || area === 0) continue;
    // With y to the bottom, a positive area is clockwise.
    paths.push(area > 0 === isExterior ? path : reversed(path));
  }
  return paths;
}

/** The part of a ring inside of the buffer (Sutherland and Hodgman 1974); without its closing point. */
function clippedRing(ring: Float64Array): ArrayLike<number> {
  const closed = ring.length >= 4 && ring[0] === ring.at(-2) && ring[1] === ring.at(-1);
  let points: ArrayLike<number> = closed ? ring.subarray(0, -2) : ring;
  for (const [axis, limit, sign] of [
    [0, LOW, 1],
    [0, HIGH, -1],
    [1, LOW, 1],
    [1, HIGH, -1],
  ] as const) {
    const inside = (i: number) => sign * (points[i + axis]! - limit) >= 0;
    let all = true;
    for (let i = 0; i < points.length && all; i += 2) all = inside(i);
    if (all) continue;
    const kept: number[] = [];
    for (let i = 0, before = points.length - 2; i < points.length; before = i, i += 2) {
      if (inside(i) !== inside(before)) {
        const share = (limit - points[before + axis]!) / (points[i + axis]! - points[before + axis]!);
        const at = (k: 0 | 1) => points[before + k]! + share * (points[i + k]! - points[before + k]!);
        kept.push(axis === 0 ? limit : at(0), axis === 1 ? limit : at(1));
      }
      if (inside(i)) kept.push(points[i]!, points[i + 1]!);
    }
    points = kept;
  }
  return points;
}

/** Whole units, without points that lie within a unit of the line (Douglas and Peucker 1973). A list, empty if too few points are left. */
function snapped(points: ArrayLike<number>, least: 2 | 3): Int32Array[] {
  const whole: number[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [Math.round(points[i]!), Math.round(points[i + 1]!)];
    if (whole.length > 0 && whole.at(-2) === x && whole.at(-1) === y) continue;
    whole.push(x, y);
  }
  if (least === 3) while (whole.length > 2 && whole[0] === whole.at(-2) && whole[1] === whole.at(-1)) whole.length -= 2;
  const count = whole.length / 2;
  if (count < least) return [];
  if (count === least) return [Int32Array.from(whole)];
  const kept = new Uint8Array(count);
  kept[0] = 1;
  // A ring is cut at the point that is farthest from its first one.
  const middle = least === 3 ? farthestFrom(whole, 0) : count - 1;
  kept[middle] = 1;
  mark(whole, kept, 0, middle);
  if (least === 3) mark(whole, kept, middle, count);
  const simple: number[] = [];
  for (let n = 0; n < count; n++) if (kept[n] === 1) simple.push(whole[2 * n]!, whole[2 * n + 1]!);
  return simple.length / 2 < least ? [Int32Array.from(whole)] : [Int32Array.from(simple)];
}

function farthestFrom(points: readonly number[], from: number): number {
  let [farthest, most] = [from, -1];
  for (let n = 0; n < points.length / 2; n++) {
    const distance = Math.hypot(points[2 * n]! - points[2 * from]!, points[2 * n + 1]! - points[2 * from + 1]!);
    if (distance > most) [farthest, most] = [n, distance];
  }
  return farthest;
}

/** Marks the points between two that a simpler line needs. The end may be the first point of a ring. */
function mark(points: readonly number[], kept: Uint8Array, first: number, last: number): void {
  const count = points.length / 2;
  const stack: [number, number][] = [[first, last]];
  for (let range = stack.pop(); range !== undefined; range = stack.pop()) {
    const [from, to] = range;
    const [x0, y0] = [points[2 * from]!, points[2 * from + 1]!];
    const [dx, dy] = [points[2 * (to % count)]! - x0, points[2 * (to % count) + 1]! - y0];
    const length = dx * dx + dy * dy;
    let [farthest, most] = [-1, 1];
    for (let n = from + 1; n < to; n++) {
      const [px, py] = [points[2 * n]! - x0, points[2 * n + 1]! - y0];
      const share = length === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / length));
      const distance = (px - share * dx) ** 2 + (py - share * dy) ** 2;
      if (distance > most) [farthest, most] = [n, distance];
    }
    if (farthest < 0) continue;
    kept[farthest] = 1;
    stack.push([from, farthest], [farthest, to]);
  }
}

/** Twice the area by the surveyor's formula. */
function doubleArea(path: Int32Array): number {
  let sum = 0;
  for (let i = 0, before = path.length - 2; i < path.length; before = i, i += 2)
    sum += path[before]! * path[i + 1]! - path[i]! * path[before + 1]!;
  return sum;
}

function reversed(path: Int32Array): Int32Array {
  const turned = new Int32Array(path.length);
  for (let i = 0; i < path.length; i += 2) {
    turned[i] = path[path.length - 2 - i]!;
    turned[i + 1] = path[path.length - 1 - i]!;
  }
  return turned;
}
