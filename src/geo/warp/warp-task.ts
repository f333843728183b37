import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import type { Plan } from './approximate-transformer.ts';
import { isInterpolated, perSquare, positionsIn, rangeOf, stripe } from './approximate-transformer.ts';
import type { Kernel, Piece, Places } from './resample.ts';
import { resample, upperRow } from './resample.ts';

/** Rows of the target that are computed at a time, by whichever thread. Plain data. */
export interface WarpTask {
  plan: Plan;
  piece: Piece;
  kernel: Kernel;
  rows: number;
  width: number;
  type: SampleType;
  /** Memory of the result. */
  out: ArrayBuffer;
  /** What all cells hold before; absent: what they hold already. */
  fill?: number | undefined;
}

const px = new Float64Array(stripe * stripe);
const py = new Float64Array(stripe * stripe);

/** Computes the cells whose source rows are in the piece; leaves the others alone. */
export function runWarpTask({ plan, piece, kernel, rows, width, type, out, fill }: WarpTask): Samples {
  const samples: Samples = new sampleArrays[type](out, 0, rows * width);
  if (fill !== undefined) samples.fill(fill);
  const places = { px, py, side: 0, columns: 0, rows: 0, out: samples, at: 0, width, amid: false };
  for (let n = 0; n < plan.squares.length; n += perSquare) {
    const [column, row, size, at] = plan.squares.subarray(n, n + perSquare) as unknown as [
      number,
      number,
      number,
      number,
    ];
    if (!liesIn(plan, at, size, piece, places)) continue;
    places.side = size;
    places.columns = Math.min(size, width - column);
    places.rows = Math.min(size, rows - row);
    places.at = row * width + column;
    positionsIn(plan.positions, at, size, places.rows, px, py);
    resample(kernel, piece, places);
  }
  return samples;
}

/** Whether a square has to do with the piece; notes whether it lies amid it. */
function liesIn({ positions }: Plan, at: number, size: number, piece: Piece, places: Places): boolean {
  const { from, to, width, height } = piece;
  const [left, right] = rangeOf(positions, at, size, 'x');
  const [top, bottom] = rangeOf(positions, at, size, 'y');
  if (!(right >= 0 && left <= width && bottom >= 0 && top <= height)) return false;
  if (upperRow(top) >= to || upperRow(bottom) < from) return false;
  // Among exact positions some may have no image.
  const within = isInterpolated(size) && left >= 0.5 && right < width - 0.5 && top >= 0.5 && bottom < height - 0.5;
  places.amid = within && upperRow(top) >= from && upperRow(bottom) < to;
  return true;
}

/** Upper rows of all places, the first and the last + 1, or a little more; undefined when all lie outside the source. */
export function upperRowsOf(plan: Plan, width: number, height: number): { from: number; to: number } | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (let n = 0; n < plan.squares.length; n += perSquare) {
    const [, , size, at] = plan.squares.subarray(n, n + perSquare) as unknown as [number, number, number, number];
    const [left, right] = rangeOf(plan.positions, at, size, 'x');
    const [top, bottom] = rangeOf(plan.positions, at, size, 'y');
    if (!(right >= 0 && left <= width && bottom >= 0 && top <= height)) continue;
    if (top < low) low = top;
    if (bottom > high) high = bottom;
  }
  if (low > high) return undefined;
  return { from: upperRow(Math.max(0, low)), to: Math.min(height, upperRow(Math.min(height, high)) + 1) };
}
