import type { Affine } from '../../data/grid.ts';

/** Side of the largest square in target cells; transforms begin at multiples of as many rows. */
export const largestSquare = 32;

/** Side of the smallest square that is interpolated. In smaller ones each cell is transformed exactly. */
const smallest = 8;

/** Largest error of an interpolated position, in source cells. GDAL's own default is 0.125. */
const tolerance = 0.0001;

/** An exact transformer: replaces target coordinates by source pixels, or NaN where a point cannot be transformed. */
export type ToPixels = (x: Float64Array, y: Float64Array, count: number) => void;

/**
 * A square of target cells; rows count from the first row of the transform. It may extend past the last row and column.
 */
interface Square {
  column: number;
  row: number;
  size: number;
}

/**
 * Source pixels of some target rows, like GDAL's approximate transformer: a few exact pixels per square, between which
 * `pixelsOfSquare` interpolates. Plain data, so that it can be posted to another thread.
 */
export interface ApproximateTransform {
  /** Per square: column, row, side, index of its first number in `positions`. */
  readonly squares: Int32Array;
  /** Interpolated square: x of its nine nodes, then y. Exact square: x of all cells, then y. */
  readonly positions: Float64Array;
}

/** Numbers per square in `ApproximateTransform.squares`. */
export const intsPerSquare = 4;

/** Positions of the nine nodes and the four check points, as fractions of the side of a square. */
const nodes = [0, 0.5, 1];
const checks = [0.25, 0.75];
const nodeCount = nodes.length ** 2;
const pointsPerSquare = nodeCount + checks.length ** 2;

/**
 * Approximates the source pixels of target rows.
 *
 * Splits the rows into squares of 32 × 32 cells. Transforms nine nodes of each square exactly and interpolates between
 * them with a biquadratic. Four exact check points must agree to `tolerance`; a square that fails is split into four,
 * and below 8 × 8 cells all cells are transformed exactly. This also covers the border of a projection, where nodes are
 * NaN and every check fails.
 */
export function approximateTransform(
  affine: Affine,
  firstRow: number,
  rows: number,
  width: number,
  toPixels: ToPixels,
): ApproximateTransform {
  const kept: { square: Square; from: Float64Array; at: number; count: number }[] = [];
  let squares: Square[] = [];
  for (let row = 0; row < rows; row += largestSquare)
    for (let column = 0; column < width; column += largestSquare) squares.push({ column, row, size: largestSquare });
  const exact: Square[] = [];
  while (squares.length > 0) {
    const failed: Square[] = [];
    const [x, y] = transformNodes(affine, firstRow, squares, toPixels);
    const from = new Float64Array(squares.length * 2 * nodeCount);
    for (const [n, square] of squares.entries()) {
      if (isWithinTolerance(x, n * pointsPerSquare) && isWithinTolerance(y, n * pointsPerSquare)) {
        const at = n * 2 * nodeCount;
        from.set(x.subarray(n * pointsPerSquare, n * pointsPerSquare + nodeCount), at);
        from.set(y.subarray(n * pointsPerSquare, n * pointsPerSquare + nodeCount), at + nodeCount);
        kept.push({ square, from, at, count: 2 * nodeCount });
      } else failed.push(square);
    }
    squares = [];
    for (const { column, row, size } of failed) {
      const half = size / 2;
      for (const r of [row, row + half]) {
        for (const c of [column, column + half]) {
          if (r < rows && c < width) (half < smallest ? exact : squares).push({ column: c, row: r, size: half });
        }
      }
    }
  }
  if (exact.length > 0) {
    const [from, count] = transformCells(affine, firstRow, exact, toPixels);
    for (const [n, square] of exact.entries()) kept.push({ square, from, at: n * count, count });
  }
  const plan = {
    squares: new Int32Array(kept.length * intsPerSquare),
    positions: new Float64Array(kept.reduce((sum, { count }) => sum + count, 0)),
  };
  let at = 0;
  for (const [n, { square, from, at: first, count }] of kept.entries()) {
    plan.squares.set([square.column, square.row, square.size, at], n * intsPerSquare);
    plan.positions.set(from.subarray(first, first + count), at);
    at += count;
  }
  return plan;
}

/** Transforms the nodes and check points of all squares in one call. */
function transformNodes(
  affine: Affine,
  firstRow: number,
  squares: Square[],
  toPixels: ToPixels,
): [Float64Array, Float64Array] {
  const x = new Float64Array(squares.length * pointsPerSquare);
  const y = new Float64Array(squares.length * pointsPerSquare);
  let i = 0;
  for (const { column, row, size } of squares) {
    for (const shares of [nodes, checks]) {
      for (const v of shares) {
        for (const u of shares) {
          // From the centre of the first cell of the square to the centre of its last.
          const c = column + 0.5 + u * (size - 1);
          const r = firstRow + row + 0.5 + v * (size - 1);
          x[i] = affine[0] + c * affine[1] + r * affine[2];
          y[i] = affine[3] + c * affine[4] + r * affine[5];
          i++;
        }
      }
    }
  }
  toPixels(x, y, i);
  return [x, y];
}

/** Transforms all cells of squares of one size exactly. Returns the pixels and the count of numbers per square. */
function transformCells(
  affine: Affine,
  firstRow: number,
  squares: Square[],
  toPixels: ToPixels,
): [Float64Array, number] {
  const { size } = squares[0]!;
  const cells = size * size;
  const x = new Float64Array(squares.length * cells);
  const y = new Float64Array(squares.length * cells);
  let i = 0;
  for (const { column, row } of squares)
    for (let r = firstRow + row + 0.5; r < firstRow + row + size; r++)
      for (let c = column + 0.5; c < column + size; c++, i++) {
        x[i] = affine[0] + c * affine[1] + r * affine[2];
        y[i] = affine[3] + c * affine[4] + r * affine[5];
      }
  toPixels(x, y, i);
  const both = new Float64Array(2 * i);
  for (let n = 0; n < squares.length; n++) {
    both.set(x.subarray(n * cells, (n + 1) * cells), 2 * n * cells);
    both.set(y.subarray(n * cells, (n + 1) * cells), (2 * n + 1) * cells);
  }
  return [both, 2 * cells];
}

/** Weights of the three nodes of a side at fraction `t`: Lagrange polynomials through 0, 1/2 and 1. */
const weights = (t: number): [number, number, number] => [2 * (t - 0.5) * (t - 1), 4 * t * (1 - t), 2 * t * (t - 0.5)];

const checkWeights = checks.map(weights);

function isWithinTolerance(values: Float64Array, at: number): boolean {
  let check = at + nodeCount;
  for (const [v0, v1, v2] of checkWeights) {
    for (const [u0, u1, u2] of checkWeights) {
      let sum = v0 * (u0 * values[at]! + u1 * values[at + 1]! + u2 * values[at + 2]!);
      sum += v1 * (u0 * values[at + 3]! + u1 * values[at + 4]! + u2 * values[at + 5]!);
      sum += v2 * (u0 * values[at + 6]! + u1 * values[at + 7]! + u2 * values[at + 8]!);
      // Not `>=`, so that NaN fails too.
      if (!(Math.abs(sum - values[check]!) < tolerance)) return false;
      check++;
    }
  }
  return true;
}

/** By side of a square: the three node weights of each row. */
const rowWeights = new Map<number, Float64Array>();
for (let size = smallest; size <= largestSquare; size *= 2)
  rowWeights.set(
    size,
    Float64Array.from(Array.from({ length: size }, (_, row) => weights(row * (1 / (size - 1)))).flat()),
  );

export const isInterpolated = (size: number): boolean => size >= smallest;

/** Count of x (or y) values of a square. */
const countOf = (size: number) => (isInterpolated(size) ? nodeCount : size * size);

/**
 * Writes the source pixels of a square to `px` and `py`, row by row with `size` cells per row.
 * @param at index of its first number in `ApproximateTransform.positions`
 */
export function pixelsOfSquare(
  positions: Float64Array,
  at: number,
  size: number,
  rows: number,
  px: Float64Array,
  py: Float64Array,
): void {
  const count = countOf(size);
  if (!isInterpolated(size)) {
    px.set(positions.subarray(at, at + count));
    py.set(positions.subarray(at + count, at + 2 * count));
    return;
  }
  interpolate(positions, at, size, rows, px);
  interpolate(positions, at + count, size, rows, py);
}

function interpolate(values: Float64Array, at: number, size: number, rows: number, out: Float64Array): void {
  const byRow = rowWeights.get(size)!;
  const step = 1 / (size - 1);
  for (let row = 0; row < rows; row++) {
    const v0 = byRow[3 * row]!;
    const v1 = byRow[3 * row + 1]!;
    const v2 = byRow[3 * row + 2]!;
    const a = v0 * values[at]! + v1 * values[at + 3]! + v2 * values[at + 6]!;
    const b = v0 * values[at + 1]! + v1 * values[at + 4]! + v2 * values[at + 7]!;
    const c = v0 * values[at + 2]! + v1 * values[at + 5]! + v2 * values[at + 8]!;
    // The parabola through (0, a), (1/2, b), (1, c) is a + t (p + t q).
    const q = (2 * (a + c) - 4 * b) * step * step;
    const p = (4 * b - 3 * a - c) * step;
    const line = row * size;
    for (let t = 0; t < size; t++) out[line + t] = a + t * (p + t * q);
  }
}

/**
 * Bound of a biquadratic relative to the range of its nine nodes: the absolute values of its weights sum up to at most
 * 1.25².
 */
const overshoot = 1.5625;

/** Bounds of the pixels of a square along one axis, rounded outwards; Infinity and −Infinity if all are NaN. */
export function pixelRange(
  positions: Float64Array,
  at: number,
  size: number,
  axis: 'x' | 'y',
): [low: number, high: number] {
  const count = countOf(size);
  const from = axis === 'x' ? at : at + count;
  let low = Infinity;
  let high = -Infinity;
  for (let i = from; i < from + count; i++) {
    const value = positions[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const slack = (isInterpolated(size) ? ((overshoot - 1) * (high - low)) / 2 : 0) + 1e-6;
  return [low - slack, high + slack];
}
