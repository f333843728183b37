import type { Geometry } from './types.ts';

/**
 * Twice the signed area of a ring of vertices `first … end`: positive when it runs counter-clockwise. Coordinates are taken from the
 * first vertex, so that large ones do not swallow small areas.
 */
export function signedArea(coordinates: Float64Array, stride: number, first: number, end: number): number {
  const x0 = coordinates[first * stride]!;
  const y0 = coordinates[first * stride + 1]!;
  let sum = 0;
  let px = 0;
  let py = 0;
  for (let i = (first + 1) * stride; i < end * stride; i += stride) {
    const x = coordinates[i]! - x0;
    const y = coordinates[i + 1]! - y0;
    sum += px * y - x * py;
    px = x;
    py = y;
  }
  return sum;
}

/** Copies a ring, turned round if asked. Returns the vertex after the last one written. */
export function copyRing(
  from: Float64Array,
  stride: number,
  first: number,
  end: number,
  to: Float64Array,
  at: number,
  turn: boolean,
): number {
  if (!turn) to.set(from.subarray(first * stride, end * stride), at * stride);
  else
    for (let i = end - 1, o = at * stride; i >= first; i--)
      for (let k = 0; k < stride; k++) to[o++] = from[i * stride + k]!;
  return at + end - first;
}

interface Ring {
  first: number;
  end: number;
  area: number;
  box: readonly [number, number, number, number];
  /** Of the ring around it: -1 for an outer ring. */
  owner: number;
}

/**
 * Rings in any order, as a shapefile has them, made into a polygon or several. Outer rings run clockwise; a ring that runs the other way
 * is a hole of the smallest outer ring around it. Where that does not work out (no clockwise ring, or a hole that lies in none), the
 * winding is not trusted and rings are outer or hole by turns, from the outside in.
 */
export function polygonOf(coordinates: Float64Array, stride: number, parts: Uint32Array): Geometry {
  const vertices = coordinates.length / stride;
  if (parts.length === 1) return { type: 'Polygon', coordinates, parts };
  const rings: Ring[] = [];
  for (let n = 0; n < parts.length; n++) {
    const [first, end] = [parts[n]!, parts[n + 1] ?? vertices];
    if (end > first)
      rings.push({
        first,
        end,
        area: signedArea(coordinates, stride, first, end),
        box: boxOf(coordinates, stride, first, end),
        owner: -1,
      });
  }
  const outer = rings.filter(({ area }) => area < 0);
  if (outer.length === 1 && outer[0] === rings[0]) {
    // One outer ring, in front: GDAL, too, takes all others for its holes without looking.
    return { type: 'Polygon', coordinates, parts: Uint32Array.from(rings, ({ first }) => first) };
  }
  if (outer.length < rings.length && !ownersByWinding(rings, coordinates, stride))
    ownersByNesting(rings, coordinates, stride);
  return ordered(rings, coordinates, stride);
}

function ownersByWinding(rings: Ring[], coordinates: Float64Array, stride: number): boolean {
  const outer = rings.flatMap(({ area }, n) => (area < 0 ? [n] : [])).sort((a, b) => rings[b]!.area - rings[a]!.area);
  for (const ring of rings) {
    if (ring.area < 0) continue;
    const owner = outer.find((n) => -rings[n]!.area >= ring.area && contains(rings[n]!, ring, coordinates, stride));
    if (owner === undefined) return false;
    ring.owner = owner;
  }
  return true;
}

function ownersByNesting(rings: Ring[], coordinates: Float64Array, stride: number): void {
  const bySize = rings.map((_, n) => n).sort((a, b) => Math.abs(rings[b]!.area) - Math.abs(rings[a]!.area));
  for (const [rank, n] of bySize.entries()) {
    rings[n]!.owner = -1;
    for (let r = rank - 1; r >= 0; r--) {
      const around = bySize[r]!;
      if (!contains(rings[around]!, rings[n]!, coordinates, stride)) continue;
      // The smallest ring around it: in an outer one it is a hole, in a hole it is an island.
      if (rings[around]!.owner === -1) rings[n]!.owner = around;
      break;
    }
  }
}

/** Each outer ring, in the order of the file, followed by its holes. */
function ordered(rings: Ring[], coordinates: Float64Array, stride: number): Geometry {
  const holes = new Map<number, Ring[]>();
  for (const ring of rings) {
    if (ring.owner < 0) continue;
    const list = holes.get(ring.owner);
    if (list === undefined) holes.set(ring.owner, [ring]);
    else list.push(ring);
  }
  const sequence: Ring[] = [];
  const polygons: number[] = [];
  for (const [n, ring] of rings.entries()) {
    if (ring.owner >= 0) continue;
    polygons.push(sequence.length);
    sequence.push(ring, ...(holes.get(n) ?? []));
  }
  const total = rings.reduce((sum, { first, end }) => sum + end - first, 0);
  const sorted = new Float64Array(total * stride);
  const parts = new Uint32Array(sequence.length);
  let at = 0;
  for (const [n, { first, end }] of sequence.entries()) {
    parts[n] = at;
    at = copyRing(coordinates, stride, first, end, sorted, at, false);
  }
  if (polygons.length === 1) return { type: 'Polygon', coordinates: sorted, parts };
  return { type: 'MultiPolygon', coordinates: sorted, parts, polygons: Uint32Array.from(polygons) };
}

function boxOf(coordinates: Float64Array, stride: number, first: number, end: number): Ring['box'] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = first * stride; i < end * stride; i += stride) {
    const [x, y] = [coordinates[i]!, coordinates[i + 1]!];
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  return [west, south, east, north];
}

/** Whether `inner` lies in `outer`, told by the first of its vertices that is not on the other's boundary. */
function contains(outer: Ring, inner: Ring, coordinates: Float64Array, stride: number): boolean {
  const [a, b] = [outer.box, inner.box];
  if (b[0] < a[0] || b[1] < a[1] || b[2] > a[2] || b[3] > a[3]) return false;
  for (let i = inner.first; i < inner.end; i++) {
    const side = sideOf(outer, coordinates, stride, coordinates[i * stride]!, coordinates[i * stride + 1]!);
    if (side !== 0) return side > 0;
  }
  // All vertices are shared: the middle of a side tells.
  const [i, j] = [inner.first * stride, (inner.first + 1) * stride];
  const x = (coordinates[i]! + coordinates[j]!) / 2;
  const y = (coordinates[i + 1]! + coordinates[j + 1]!) / 2;
  return sideOf(outer, coordinates, stride, x, y) >= 0;
}

/** 1 inside, -1 outside, 0 on the boundary. */
function sideOf({ first, end }: Ring, coordinates: Float64Array, stride: number, x: number, y: number): number {
  let inside = false;
  for (let i = first, j = end - 1; i < end; j = i++) {
    const [xi, yi] = [coordinates[i * stride]!, coordinates[i * stride + 1]!];
    const [xj, yj] = [coordinates[j * stride]!, coordinates[j * stride + 1]!];
    const cross = (xj - xi) * (y - yi) - (yj - yi) * (x - xi);
    if (cross === 0 && x >= Math.min(xi, xj) && x <= Math.max(xi, xj) && y >= Math.min(yi, yj) && y <= Math.max(yi, yj))
      return 0;
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside ? 1 : -1;
}
