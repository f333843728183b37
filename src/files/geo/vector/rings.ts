import { Box } from '../../data/box.ts';

/**
 * Twice the signed area of the ring of vertices `first … end - 1` (the shoelace formula), positive when it runs
 * counter-clockwise. Coordinates are relative to the first vertex: large ones would cost a small area its digits.
 */
export function doubleSignedArea(coordinates: Float64Array, stride: number, first: number, end: number): number {
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

/** Whether the ring of vertices `first … end - 1` ends where it begins. */
export const isClosed = (coordinates: Float64Array, stride: number, first: number, end: number): boolean =>
  coordinates[first * stride] === coordinates[(end - 1) * stride] &&
  coordinates[first * stride + 1] === coordinates[(end - 1) * stride + 1];

/** Copies a ring, reversed when `turn`. Returns the vertex after the last one written. */
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
  /** Twice the signed area of each ring: negative when it runs clockwise. */
  readonly doubleArea: Float64Array;
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
    this.doubleArea = new Float64Array(parts.length);
    this.boxes = new Float64Array(4 * parts.length);
    this.owner = new Int32Array(parts.length).fill(-1);
    for (let n = 0; n < parts.length; n++) {
      this.doubleArea[n] = doubleSignedArea(coordinates, stride, this.first(n), this.end(n));
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
    return this.doubleArea[n]! < 0;
  }
}
