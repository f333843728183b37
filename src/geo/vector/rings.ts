import { Box } from '../../data/box.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { ownersByNesting, ownersByWinding } from './ring-nesting.ts';

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

/** The rings of a geometry, in numbers side by side: there may be a million of them. */
export class Rings {
  readonly coordinates: Float64Array;
  readonly stride: number;
  /** Twice its area, below 0 when it runs clockwise. */
  readonly area: Float64Array;
  /** West, south, east, north. */
  readonly boxes: Float64Array;
  /** The ring around it; -1 for an outer ring. */
  readonly owner: Int32Array;
  readonly #parts: Uint32Array;

  /** `parts` says where each begins; none is empty. */
  constructor(coordinates: Float64Array, stride: number, parts: Uint32Array) {
    this.coordinates = coordinates;
    this.stride = stride;
    this.#parts = parts;
    this.area = new Float64Array(parts.length);
    this.boxes = new Float64Array(4 * parts.length);
    this.owner = new Int32Array(parts.length).fill(-1);
    for (let n = 0; n < parts.length; n++) {
      this.area[n] = signedArea(coordinates, stride, this.first(n), this.end(n));
      const box = new Box();
      box.add(coordinates, stride, this.first(n), this.end(n));
      this.boxes.set([box.west, box.south, box.east, box.north], 4 * n);
    }
  }

  first(n: number): number {
    return this.#parts[n]!;
  }

  end(n: number): number {
    return this.#parts[n + 1] ?? this.coordinates.length / this.stride;
  }

  isOuter(n: number): boolean {
    return this.area[n]! < 0;
  }
}

/**
 * Rings in any order, as a shapefile has them, made into a polygon or several. Outer rings run clockwise; a ring that runs the other way
 * is a hole of the smallest outer ring around it. Where that does not work out (no clockwise ring, or a hole that lies in none), the
 * winding is not trusted and rings are outer or hole by turns, from the outside in.
 */
export function polygonOf(coordinates: Float64Array, stride: number, parts: Uint32Array): Geometry {
  if (parts.length === 1) return { type: 'Polygon', coordinates, parts };
  const rings = new Rings(coordinates, stride, parts);
  const outer = rings.area.reduce((sum, area) => sum + Number(area < 0), 0);
  // One outer ring, in front: GDAL, too, takes all others for its holes without looking.
  if (outer === 1 && rings.isOuter(0)) return { type: 'Polygon', coordinates, parts };
  if (outer < parts.length && !ownersByWinding(rings)) ownersByNesting(rings);
  return ordered(rings);
}

/** Each outer ring, in the order of the file, followed by its holes. */
function ordered(rings: Rings): Geometry {
  const { coordinates, stride, owner } = rings;
  // Of each ring the first of its holes, and of each hole the next of the same ring.
  const holes = new Int32Array(owner.length).fill(-1);
  const next = new Int32Array(owner.length);
  for (let n = owner.length - 1; n >= 0; n--) {
    const around = owner[n]!;
    if (around < 0) continue;
    next[n] = holes[around]!;
    holes[around] = n;
  }
  const sorted = new Float64Array(coordinates.length);
  const parts = new Uint32Array(owner.length);
  const polygons: number[] = [];
  let at = 0;
  let count = 0;
  const put = (n: number) => {
    parts[count++] = at;
    at = copyRing(coordinates, stride, rings.first(n), rings.end(n), sorted, at, false);
  };
  for (let n = 0; n < owner.length; n++) {
    if (owner[n]! >= 0) continue;
    polygons.push(count);
    put(n);
    for (let hole = holes[n]!; hole >= 0; hole = next[hole]!) put(hole);
  }
  if (polygons.length === 1) return { type: 'Polygon', coordinates: sorted, parts };
  return { type: 'MultiPolygon', coordinates: sorted, parts, polygons: Uint32Array.from(polygons) };
}
