import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import {
  type ApproximateTransform,
  intsPerSquare,
  isInterpolated,
  largestSquare,
  pixelRange,
  pixelsOfSquare,
} from './approximate-transformer.ts';
import { type Kernel, resample, type SourceWindow, upperRow } from './resample.ts';

/**
 * Some target rows to compute, with all that a thread needs for it. Plain data, so that it can be posted to a worker
 * thread.
 */
export interface WarpTask {
  transform: ApproximateTransform;
  source: SourceWindow;
  kernel: Kernel;
  rows: number;
  width: number;
  type: SampleType;
  /** Memory for the result. */
  out: ArrayBuffer;
  /** Initial value of all cells; absent: `out` holds results for other source rows, which stay. */
  fill?: number | undefined;
}

const px = new Float64Array(largestSquare * largestSquare);
const py = new Float64Array(largestSquare * largestSquare);

/** Computes the cells whose source rows are in the window; leaves the others as they are. */
export function runWarpTask({ transform, source, kernel, rows, width, type, out, fill }: WarpTask): Samples {
  const samples: Samples = new sampleArrays[type](out, 0, rows * width);
  if (fill !== undefined) samples.fill(fill);
  const block = { px, py, side: 0, columns: 0, rows: 0, out: samples, at: 0, width, interior: false };
  for (let n = 0; n < transform.squares.length; n += intsPerSquare) {
    const [column, row, size, at] = transform.squares.subarray(n, n + intsPerSquare) as unknown as [
      number,
      number,
      number,
      number,
    ];
    const overlap = overlapOf(transform, at, size, source);
    if (overlap === 'none') continue;
    block.interior = overlap === 'interior';
    block.side = size;
    block.columns = Math.min(size, width - column);
    block.rows = Math.min(size, rows - row);
    block.at = row * width + column;
    pixelsOfSquare(transform.positions, at, size, block.rows, px, py);
    resample(kernel, source, block);
  }
  return samples;
}

/**
 * Whether the pixels of a square need rows of the window: none of them, some, or all with four source cells around
 * each.
 */
function overlapOf(
  { positions }: ApproximateTransform,
  at: number,
  size: number,
  { from, to, width, height }: SourceWindow,
): 'none' | 'some' | 'interior' {
  const [left, right] = pixelRange(positions, at, size, 'x');
  const [top, bottom] = pixelRange(positions, at, size, 'y');
  if (!(right >= 0 && left <= width && bottom >= 0 && top <= height)) return 'none';
  if (upperRow(top) >= to || upperRow(bottom) < from) return 'none';
  // A square that is not interpolated may have cells without a source pixel.
  const within = isInterpolated(size) && left >= 0.5 && right < width - 0.5 && top >= 0.5 && bottom < height - 0.5;
  return within && upperRow(top) >= from && upperRow(bottom) < to ? 'interior' : 'some';
}

/**
 * Range `from … to - 1` of the upper rows (see `upperRow`) of all pixels, rounded outwards; undefined when all lie
 * outside the source.
 */
export function upperRowsOf(
  transform: ApproximateTransform,
  width: number,
  height: number,
): { from: number; to: number } | undefined {
  let low = Infinity;
  let high = -Infinity;
  const { squares, positions } = transform;
  for (let n = 0; n < squares.length; n += intsPerSquare) {
    const [, , size, at] = squares.subarray(n, n + intsPerSquare) as unknown as [number, number, number, number];
    const [left, right] = pixelRange(positions, at, size, 'x');
    const [top, bottom] = pixelRange(positions, at, size, 'y');
    if (!(right >= 0 && left <= width && bottom >= 0 && top <= height)) continue;
    if (top < low) low = top;
    if (bottom > high) high = bottom;
  }
  if (low > high) return undefined;
  return { from: upperRow(Math.max(0, low)), to: Math.min(height, upperRow(Math.min(height, high)) + 1) };
}
