import type { Samples } from '../../data/item.ts';

/** Source rows in memory: `samples` begins with row `first`. Places whose upper row is one of `from … to - 1` are worked now. */
export interface Piece {
  samples: Samples;
  first: number;
  from: number;
  to: number;
  /** Of the whole source. */
  width: number;
  height: number;
}

/**
 * Where a rectangle of target cells lies in the source, `side` places to a row, and where its values go: the first one to `out[at]`, the
 * next row `width` further.
 */
export interface Places {
  px: Float64Array;
  py: Float64Array;
  side: number;
  columns: number;
  rows: number;
  out: Samples;
  at: number;
  width: number;
  /** All lie between the centres of four cells of the source, whose rows are worked now. */
  amid: boolean;
}

/** Values that mean "nothing": from `low` to `high`, or NaN when those are NaN. */
export interface Nothing {
  low: number;
  high: number;
}

/**
 * A way to make values; leaves alone what has none. It looks at `reach - 1` rows above a place's upper row, and at `reach` below. Plain
 * data, so that it can be sent to another thread.
 */
export type Kernel =
  | { way: 'nearest'; reach: 1 }
  | { way: 'bilinear'; reach: 1; nothing: Nothing }
  /** Target cells per source cell, at most 1. */
  | { way: 'wideBilinear'; reach: number; nothing: Nothing; xScale: number; yScale: number };

const never: Nothing = { low: Infinity, high: -Infinity };

/** The value of the cell in which a place lies. */
export const nearest: Kernel = { way: 'nearest', reach: 1 };

/**
 * Between the four nearest cell centres; towards a border, the outermost value. As in GDAL, a place inside a cell that means "nothing"
 * stays without a value; beside one, the others' weights are raised to 1 together.
 */
export const bilinear = (nothing: Nothing = never): Kernel => ({ way: 'bilinear', reach: 1, nothing });

/**
 * What GDAL calls bilinear where the target has fewer cells than the source along an axis: the triangle of weights grows
 * with the source cells that one target cell stands for. `xScale`, `yScale`: target cells per source cell, at most 1.
 */
export const wideBilinear = (xScale: number, yScale: number, nothing: Nothing = never): Kernel => ({
  way: 'wideBilinear',
  reach: Math.ceil(1 / yScale),
  nothing,
  xScale,
  yScale,
});

export function resample(kernel: Kernel, piece: Piece, places: Places): void {
  if (kernel.way === 'nearest') takeNearest(piece, places);
  else if (kernel.way === 'wideBilinear') mixMany(piece, places, kernel);
  else mixFour(piece, places, kernel.nothing);
}

function isNothing(value: number, low: number, high: number, nan: boolean): boolean {
  return nan ? Number.isNaN(value) : value >= low && value <= high;
}

/** GDAL takes a place this little beyond a border as on it. */
const edge = 1e-10;

/** NaN lies outside. */
const inside = (x: number, y: number, width: number, height: number) =>
  x >= 0 && y >= 0 && x + edge <= width && y + edge <= height;

/** The upper of the two rows between whose centres a place lies: its row, for which it waits. */
export const upperRow = (y: number) => (y < 0.5 ? 0 : Math.floor(y - 0.5));

function takeNearest(piece: Piece, { px, py, side, columns, rows, out, at, width: outWidth }: Places): void {
  const { samples, first, from, to, width, height } = piece;
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
      out[at + r * outWidth + c] = samples[(row - first) * width + column]!;
    }
}

/** Weights below this in sum do not make a value. */
const leastWeight = 1e-5;

function mixFour(piece: Piece, places: Places, { low, high }: Nothing): void {
  const { samples, first, from, to, width, height } = piece;
  const { px, py, side, columns, rows, out, at, width: outWidth, amid } = places;
  const nan = Number.isNaN(low);
  for (let r = 0; r < rows; r++)
    for (let i = r * side, o = at + r * outWidth, end = i + columns; i < end; i++, o++) {
      const x = px[i]!;
      const y = py[i]!;
      if (!amid && !inside(x, y, width, height)) continue;
      const row = amid ? Math.floor(y - 0.5) : upperRow(y);
      if (!amid && (row < from || row >= to)) continue;
      const column = amid ? Math.floor(x - 0.5) : upperRow(x);
      const u = amid || x >= 0.5 ? x - 0.5 - column : 0;
      const v = amid || y >= 0.5 ? y - 0.5 - row : 0;
      const upper = (row - first) * width + column;
      const lower = amid || row + 1 < height ? upper + width : upper;
      const right = amid || column + 1 < width ? 1 : 0;
      const a = samples[upper]!;
      const b = samples[upper + right]!;
      const c = samples[lower]!;
      const d = samples[lower + right]!;
      const noA = isNothing(a, low, high, nan);
      const noB = isNothing(b, low, high, nan);
      const noC = isNothing(c, low, high, nan);
      const noD = isNothing(d, low, high, nan);
      if (!(noA || noB || noC || noD)) {
        out[o] = (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v;
        continue;
      }
      // The cell in which the place itself lies.
      if (u < 0.5 ? (v < 0.5 ? noA : noC) : v < 0.5 ? noB : noD) continue;
      const wa = noA ? 0 : (1 - u) * (1 - v);
      const wb = noB ? 0 : u * (1 - v);
      const wc = noC ? 0 : (1 - u) * v;
      const wd = noD ? 0 : u * v;
      const sum = wa + wb + wc + wd;
      if (sum < leastWeight) continue;
      out[o] = ((noA ? 0 : a * wa) + (noB ? 0 : b * wb) + (noC ? 0 : c * wc) + (noD ? 0 : d * wd)) / sum;
    }
}

function mixMany(piece: Piece, places: Places, kernel: Extract<Kernel, { way: 'wideBilinear' }>): void {
  const { samples, first, from, to, width, height } = piece;
  const { px, py, side, columns, rows, out, at, width: outWidth } = places;
  const { reach, xScale, yScale } = kernel;
  const { low, high } = kernel.nothing;
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
          (Math.min(Math.floor(y + edge), height - 1) - first) * width + Math.min(Math.floor(x + edge), width - 1)
        ]!;
      if (isNothing(own, low, high, nan)) continue;
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
        const line = (row - first) * width;
        for (let column = left; column <= right; column++) {
          const value = samples[line + column]!;
          if (isNothing(value, low, high, nan)) continue;
          const share = w * weights[column - left]!;
          sum += value * share;
          weight += share;
        }
      }
      if (weight >= leastWeight) out[o] = sum / weight;
    }
}
