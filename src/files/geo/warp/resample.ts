import type { Samples } from '../../data/item.ts';

/**
 * Source rows in memory: `samples` begins with row `first`. A task computes the pixels whose upper row is one of `from
 * … to - 1`.
 */
export interface SourceWindow {
  samples: Samples;
  first: number;
  from: number;
  to: number;
  /** First column in memory, and number of columns in memory. */
  left: number;
  stride: number;
  /** Size of the whole source. */
  width: number;
  height: number;
}

/**
 * Source pixels of a rectangle of target cells, `side` per row. The value of the first cell goes to `out[at]`, that of
 * the cell below it to `out[at + width]`.
 */
export interface PixelBlock {
  px: Float64Array;
  py: Float64Array;
  side: number;
  columns: number;
  rows: number;
  out: Samples;
  at: number;
  width: number;
  /**
   * Every pixel lies between the centres of four source cells, and its upper row is one of `from … to - 1`: no bounds
   * need checking.
   */
  interior: boolean;
}

/** Values that mean "no data": from `low` to `high`, or NaN if both are NaN. */
export interface NodataRange {
  low: number;
  high: number;
}

/**
 * A resampling method. It reads `reach - 1` rows above the upper row of a pixel and `reach` rows below it, and does not
 * write cells without data. Plain data, so that it can be posted to another thread.
 */
export type Kernel =
  | { method: 'nearest'; reach: 1 }
  | { method: 'bilinear'; reach: 1; nodata: NodataRange }
  /** Scales: target cells per source cell, at most 1. */
  | { method: 'wideBilinear'; reach: number; nodata: NodataRange; xScale: number; yScale: number };

const noNodata: NodataRange = { low: Infinity, high: -Infinity };

/** The value of the cell that contains the pixel. */
export const nearest: Kernel = { method: 'nearest', reach: 1 };

/**
 * Interpolates between the four nearest cell centres, or takes the outermost value beyond them. As in GDAL, a pixel
 * inside a nodata cell has no value; next to one, the weights of the other cells are scaled to a sum of 1.
 */
export const bilinear = (nodata: NodataRange = noNodata): Kernel => ({ method: 'bilinear', reach: 1, nodata });

/**
 * GDAL's bilinear resampling when the target has fewer cells than the source along an axis: the triangle of weights
 * covers proportionally more source cells. `xScale`, `yScale`: target cells per source cell, at most 1.
 */
export const wideBilinear = (xScale: number, yScale: number, nodata: NodataRange = noNodata): Kernel => ({
  method: 'wideBilinear',
  reach: Math.ceil(1 / yScale),
  nodata,
  xScale,
  yScale,
});

export function resample(kernel: Kernel, source: SourceWindow, pixels: PixelBlock): void {
  if (kernel.method === 'nearest') resampleNearest(source, pixels);
  else if (kernel.method === 'wideBilinear') resampleWideBilinear(source, pixels, kernel);
  else resampleBilinear(source, pixels, kernel.nodata);
}

function isNodata(value: number, low: number, high: number, nan: boolean): boolean {
  return nan ? Number.isNaN(value) : value >= low && value <= high;
}

/** As in GDAL, a pixel that is this close to a border lies on it. */
const edge = 1e-10;

/** False for NaN. */
const inside = (x: number, y: number, width: number, height: number) =>
  x >= 0 && y >= 0 && x + edge <= width && y + edge <= height;

/** The upper of the two rows between whose centres a pixel lies. */
export const upperRow = (y: number) => (y < 0.5 ? 0 : Math.floor(y - 0.5));

function resampleNearest(source: SourceWindow, pixels: PixelBlock): void {
  const { samples, first, from, to, left, stride, width, height } = source;
  const { px, py, side, columns, rows, out, at, width: outWidth } = pixels;
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const x = px[r * side + c]!;
      const y = py[r * side + c]!;
      if (!inside(x, y, width, height)) continue;
      const upper = upperRow(y);
      if (upper < from || upper >= to) continue;
      let column = Math.floor(x + edge);
      let row = Math.floor(y + edge);
      if (column === width) column--;
      if (row === height) row--;
      out[at + r * outWidth + c] = samples[(row - first) * stride + column - left]!;
    }
}

/** A cell has no value if the sum of its weights is lower. */
const minWeight = 1e-5;

function resampleBilinear(source: SourceWindow, pixels: PixelBlock, { low, high }: NodataRange): void {
  const { samples, first, from, to, left, stride, width, height } = source;
  const { px, py, side, columns, rows, out, at, width: outWidth, interior } = pixels;
  const nan = Number.isNaN(low);
  if (nan && interior && resampleFull(source, pixels)) return;
  for (let r = 0; r < rows; r++)
    for (let i = r * side, o = at + r * outWidth, end = i + columns; i < end; i++, o++) {
      const x = px[i]!;
      const y = py[i]!;
      if (!interior && !inside(x, y, width, height)) continue;
      const row = interior ? Math.floor(y - 0.5) : upperRow(y);
      if (!interior && (row < from || row >= to)) continue;
      const column = interior ? Math.floor(x - 0.5) : upperRow(x);
      const u = interior || x >= 0.5 ? x - 0.5 - column : 0;
      const v = interior || y >= 0.5 ? y - 0.5 - row : 0;
      const upper = (row - first) * stride + column - left;
      const lower = interior || row + 1 < height ? upper + stride : upper;
      const right = interior || column + 1 < width ? 1 : 0;
      const a = samples[upper]!;
      const b = samples[upper + right]!;
      const c = samples[lower]!;
      const d = samples[lower + right]!;
      const noA = isNodata(a, low, high, nan);
      const noB = isNodata(b, low, high, nan);
      const noC = isNodata(c, low, high, nan);
      const noD = isNodata(d, low, high, nan);
      if (!(noA || noB || noC || noD)) {
        out[o] = (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v;
        continue;
      }
      // The cell that contains the pixel has no data.
      if (u < 0.5 ? (v < 0.5 ? noA : noC) : v < 0.5 ? noB : noD) continue;
      const wa = noA ? 0 : (1 - u) * (1 - v);
      const wb = noB ? 0 : u * (1 - v);
      const wc = noC ? 0 : (1 - u) * v;
      const wd = noD ? 0 : u * v;
      const sum = wa + wb + wc + wd;
      if (sum < minWeight) continue;
      out[o] = ((noA ? 0 : a * wa) + (noB ? 0 : b * wb) + (noC ? 0 : c * wc) + (noD ? 0 : d * wd)) / sum;
    }
}

/**
 * Interpolates a block inside of a source whose cells without data are NaN. False if some pixels need other weights,
 * which stay as they are.
 */
function resampleFull({ samples, first, left, stride }: SourceWindow, pixels: PixelBlock): boolean {
  const { px, py, side, columns, rows, out, at, width: outWidth } = pixels;
  let full = true;
  for (let r = 0; r < rows; r++)
    for (let i = r * side, o = at + r * outWidth, end = i + columns; i < end; i++, o++) {
      const x = px[i]! - 0.5;
      const y = py[i]! - 0.5;
      // `|` rounds down, because both are positive.
      const column = x | 0;
      const row = y | 0;
      const u = x - column;
      const v = y - row;
      const upper = (row - first) * stride + column - left;
      const lower = upper + stride;
      const value =
        (samples[upper]! * (1 - u) + samples[upper + 1]! * u) * (1 - v) +
        (samples[lower]! * (1 - u) + samples[lower + 1]! * u) * v;
      if (Number.isNaN(value)) full = false;
      else out[o] = value;
    }
  return full;
}

function resampleWideBilinear(
  source: SourceWindow,
  pixels: PixelBlock,
  kernel: Extract<Kernel, { method: 'wideBilinear' }>,
): void {
  const { samples, first, from, to, left: leftmost, stride, width, height } = source;
  const { px, py, side, columns, rows, out, at, width: outWidth } = pixels;
  const { reach, xScale, yScale } = kernel;
  const { low, high } = kernel.nodata;
  const nan = Number.isNaN(low);
  const xReach = Math.ceil(1 / xScale);
  const weights = new Float64Array(2 * xReach);
  for (let r = 0; r < rows; r++)
    for (let i = r * side, o = at + r * outWidth, end = i + columns; i < end; i++, o++) {
      const x = px[i]!;
      const y = py[i]!;
      if (!inside(x, y, width, height)) continue;
      const upper = upperRow(y);
      if (upper < from || upper >= to) continue;
      const own =
        samples[
          (Math.min(Math.floor(y + edge), height - 1) - first) * stride +
            Math.min(Math.floor(x + edge), width - 1) -
            leftmost
        ]!;
      if (isNodata(own, low, high, nan)) continue;
      const left = Math.max(0, Math.floor(x - 0.5) + 1 - xReach);
      const right = Math.min(width - 1, Math.floor(x - 0.5) + xReach);
      for (let column = left; column <= right; column++) {
        weights[column - left] = Math.max(0, 1 - Math.abs(column + 0.5 - x) * xScale);
      }
      const top = Math.max(0, Math.floor(y - 0.5) + 1 - reach);
      const bottom = Math.min(height - 1, Math.floor(y - 0.5) + reach);
      let sum = 0;
      let weight = 0;
      for (let row = top; row <= bottom; row++) {
        const w = Math.max(0, 1 - Math.abs(row + 0.5 - y) * yScale);
        const line = (row - first) * stride - leftmost;
        for (let column = left; column <= right; column++) {
          const value = samples[line + column]!;
          if (isNodata(value, low, high, nan)) continue;
          const share = w * weights[column - left]!;
          sum += value * share;
          weight += share;
        }
      }
      if (weight >= minWeight) out[o] = sum / weight;
    }
}
