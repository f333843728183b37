import type { Affine } from '../../data/grid.ts';
import type { LinePoints } from './points-along.ts';

/** Which values make up those of points: `value[point[n]] += weight[n] · values[place[n]]`, in the order of places. */
export interface Weights {
  readonly points: Uint32Array;
  readonly places: Float64Array;
  readonly weights: Float64Array;
  /** 1 for points outside of the data. */
  readonly outside: Uint8Array;
}

export type ProfileMethod = 'bilinear' | 'nearest';

/** Collects weights in any order. */
export class WeightList {
  readonly #entries: [place: number, point: number, weight: number][] = [];
  readonly #outside: Uint8Array;

  constructor(points: number) {
    this.#outside = new Uint8Array(points).fill(1);
  }

  add(place: number, point: number, weight: number): void {
    if (weight !== 0) this.#entries.push([place, point, weight]);
    this.#outside[point] = 0;
  }

  has(point: number): boolean {
    return this.#outside[point] === 0;
  }

  sorted(): Weights {
    const entries = this.#entries.sort((a, b) => a[0] - b[0]);
    return {
      places: Float64Array.from(entries, ([place]) => place),
      points: Uint32Array.from(entries, ([, point]) => point),
      weights: Float64Array.from(entries, ([, , weight]) => weight),
      outside: this.#outside,
    };
  }
}

/**
 * Weights of cells: bilinear between four centres, beyond the outer centres as they are; or of the cell that holds the
 * point. A place is `row · width + column`.
 */
export function gridWeights(
  { width, height, affine }: { readonly width: number; readonly height: number; readonly affine: Affine },
  { x, y }: LinePoints,
  method: ProfileMethod,
): Weights {
  const [x0, a, b, y0, c, d] = affine;
  const determinant = a * d - b * c;
  const list = new WeightList(x.length);
  for (let n = 0; n < x.length; n++) {
    const column = (d * (x[n]! - x0) - b * (y[n]! - y0)) / determinant;
    const row = (a * (y[n]! - y0) - c * (x[n]! - x0)) / determinant;
    if (!(column >= 0 && column <= width && row >= 0 && row <= height)) continue;
    if (method === 'nearest') {
      list.add(Math.min(height - 1, Math.floor(row)) * width + Math.min(width - 1, Math.floor(column)), n, 1);
      continue;
    }
    const [left, u] = between(column - 0.5, width);
    const [upper, v] = between(row - 0.5, height);
    list.add(upper * width + left, n, (1 - u) * (1 - v));
    list.add(upper * width + left + 1, n, u * (1 - v));
    list.add((upper + 1) * width + left, n, (1 - u) * v);
    list.add((upper + 1) * width + left + 1, n, u * v);
  }
  return list.sorted();
}

/** The centre before a position, and the share of the next one: 0 at and beyond the outer ones. */
function between(position: number, count: number): [centre: number, share: number] {
  const clamped = Math.max(0, Math.min(count - 1, position));
  const centre = Math.floor(clamped);
  return [centre, clamped - centre];
}
