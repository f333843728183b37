import type { HeldRows } from './held-rows.ts';

/** Whether a sample has no data: NaN, or within a range. */
export interface Nodata {
  readonly low: number;
  readonly high: number;
}

/**
 * The value at a position in the source (columns and rows, corner based); NaN for no data. All rows from `reach` above
 * the row of the position to `reach` below it are held.
 */
export type Sampler = (source: HeldRows, x: number, y: number) => number;

/** As in GDAL, a position that is this close to a border lies on it. */
const EDGE = 1e-10;
/** GDAL's limits: a cell has no value if the sum of its weights is lower. */
const [MIN_WEIGHT, MIN_WIDE_WEIGHT] = [1e-5, 1e-6];

const isEmpty = (value: number, { low, high }: Nodata): boolean =>
  Number.isNaN(value) || (value >= low && value <= high);

const inside = (x: number, size: number): boolean => x >= 0 && x + EDGE <= size;

/** The sample of the cell that contains the position. */
export const nearest =
  (nodata: Nodata): Sampler =>
  ({ samples, first, width, height }, x, y) => {
    if (!inside(x, width) || !inside(y, height)) return Number.NaN;
    const column = Math.min(Math.floor(x + EDGE), width - 1);
    const row = Math.min(Math.floor(y + EDGE), height - 1);
    const value = samples[(row - first) * width + column]!;
    return isEmpty(value, nodata) ? Number.NaN : value;
  };

/**
 * Between the four nearest centres; beyond the outermost ones, their values. A position in a cell without data has
 * none; beside one, the weights of the other cells count.
 */
export function bilinear(nodata: Nodata): Sampler {
  const own = nearest(nodata);
  return (source, x, y) => {
    if (Number.isNaN(own(source, x, y))) return Number.NaN;
    const { samples, first, width, height } = source;
    const [column, row] = [Math.floor(x - 0.5), Math.floor(y - 0.5)];
    const [u, v] = [x - 0.5 - column, y - 0.5 - row];
    let [sum, weight] = [0, 0];
    for (let j = 0; j < 2; j++)
      for (let i = 0; i < 2; i++) {
        const [c, r] = [column + i, row + j];
        if (c < 0 || c >= width || r < 0 || r >= height) continue;
        const value = samples[(r - first) * width + c]!;
        if (isEmpty(value, nodata)) continue;
        const share = (i === 0 ? 1 - u : u) * (j === 0 ? 1 - v : v);
        sum += value * share;
        weight += share;
      }
    return weight < MIN_WEIGHT ? Number.NaN : sum / weight;
  };
}

/** The convolution of Keys (1981) with a = −1/2. */
function cubicWeight(distance: number): number {
  const d = Math.abs(distance);
  if (d <= 1) return 1.5 * d * d * d - 2.5 * d * d + 1;
  return d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0;
}

/** Between the sixteen nearest centres; at borders and beside cells without data bilinear. */
export function cubic(nodata: Nodata): Sampler {
  const plain = bilinear(nodata);
  return (source, x, y) => {
    const { samples, first, width, height } = source;
    const [column, row] = [Math.floor(x - 0.5), Math.floor(y - 0.5)];
    if (column < 1 || column + 2 >= width || row < 1 || row + 2 >= height) return plain(source, x, y);
    let sum = 0;
    for (let r = row - 1; r <= row + 2; r++) {
      let line = 0;
      for (let c = column - 1; c <= column + 2; c++) {
        const value = samples[(r - first) * width + c]!;
        if (isEmpty(value, nodata)) return plain(source, x, y);
        line += value * cubicWeight(c + 0.5 - x);
      }
      sum += line * cubicWeight(r + 0.5 - y);
    }
    return sum;
  };
}

/** A kernel that covers proportionally more source cells where the target has larger ones. */
export function stretched(
  method: 'bilinear' | 'cubic',
  nodata: Nodata,
  { xScale, yScale }: { readonly xScale: number; readonly yScale: number },
): Sampler {
  const own = nearest(nodata);
  const weightAt = method === 'cubic' ? cubicWeight : (distance: number) => Math.max(0, 1 - Math.abs(distance));
  const xReach = reachOf(method, xScale);
  const yReach = reachOf(method, yScale);
  const weights = new Float64Array(2 * xReach);
  return (source, x, y) => {
    if (Number.isNaN(own(source, x, y))) return Number.NaN;
    const { samples, first, width, height } = source;
    const left = Math.max(0, Math.floor(x - 0.5) + 1 - xReach);
    const right = Math.min(width - 1, Math.floor(x - 0.5) + xReach);
    for (let c = left; c <= right; c++) weights[c - left] = weightAt((c + 0.5 - x) * xScale);
    const top = Math.max(0, Math.floor(y - 0.5) + 1 - yReach);
    const bottom = Math.min(height - 1, Math.floor(y - 0.5) + yReach);
    let [sum, weight] = [0, 0];
    for (let r = top; r <= bottom; r++) {
      const rowWeight = weightAt((r + 0.5 - y) * yScale);
      if (rowWeight === 0) continue;
      const line = (r - first) * width;
      for (let c = left; c <= right; c++) {
        const value = samples[line + c]!;
        if (isEmpty(value, nodata)) continue;
        const share = rowWeight * weights[c - left]!;
        sum += value * share;
        weight += share;
      }
    }
    return weight < MIN_WIDE_WEIGHT ? Number.NaN : sum / weight;
  };
}

/** Rows above and below the row of a position that a kernel needs. */
export const reachOf = (method: 'nearest' | 'bilinear' | 'cubic', scale: number): number =>
  method === 'nearest' ? 1 : Math.ceil((method === 'cubic' ? 2 : 1) / Math.min(1, scale));
