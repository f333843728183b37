import type { Affine } from '../../data/grid.ts';

/** Rows of the target that are planned together; also the side of the largest square, in target cells. */
export const stripe = 32;

/** Smallest square whose positions are interpolated; in smaller ones each target cell is transformed by itself. */
const smallest = 8;

/** Largest error of an interpolated position, in source cells. GDAL's own default is 0.125. */
const tolerance = 0.0001;

/** Exact positions, in place: target coordinates in, source pixels (or NaN) out. */
export type Find = (x: Float64Array, y: Float64Array, count: number) => void;

/** A square of target cells; rows count from the first of the plan. It may reach past the last row and column. */
interface Square {
  column: number;
  row: number;
  size: number;
}

/**
 * Where some target rows lie in the source: a few exact positions, from which `positionsIn` makes those of all cells.
 * It can be sent to another thread.
 */
export interface Plan {
  /** Column, row, side and the place in `positions` of each square. */
  readonly squares: Int32Array;
  /** Of a square whose positions are interpolated: x of its nine nodes, then y. Of another: x of all its cells, then y. */
  readonly positions: Float64Array;
}

/** Numbers of a square in `Plan.squares`. */
export const perSquare = 4;

/** Shares of a square's side at which its nine nodes and then its four proofs lie. */
const nodes = [0, 0.5, 1];
const proofs = [0.25, 0.75];
const nodeCount = nodes.length ** 2;
const asked = nodeCount + proofs.length ** 2;

/**
 * Plans rows of the target, each cell centre of which has a place in the source.
 *
 * They are cut into squares of 32 × 32; in each the exact position is asked at nine nodes and laid through them as a
 * biquadratic. Four more exact positions prove it; a square that fails is quartered, and below 8 × 8 all its positions are
 * exact. So are those around an edge of the projection, where nodes have no image.
 */
export function planRows(affine: Affine, firstRow: number, rows: number, width: number, find: Find): Plan {
  const kept: { square: Square; from: Float64Array; at: number; count: number }[] = [];
  let squares: Square[] = [];
  for (let row = 0; row < rows; row += stripe)
    for (let column = 0; column < width; column += stripe) squares.push({ column, row, size: stripe });
  const exact: Square[] = [];
  while (squares.length > 0) {
    const failed: Square[] = [];
    const [x, y] = askNodes(affine, firstRow, squares, find);
    const from = new Float64Array(squares.length * 2 * nodeCount);
    for (const [n, square] of squares.entries()) {
      if (proven(x, n * asked) && proven(y, n * asked)) {
        const at = n * 2 * nodeCount;
        from.set(x.subarray(n * asked, n * asked + nodeCount), at);
        from.set(y.subarray(n * asked, n * asked + nodeCount), at + nodeCount);
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
    const [from, count] = askEach(affine, firstRow, exact, find);
    for (const [n, square] of exact.entries()) kept.push({ square, from, at: n * count, count });
  }
  const plan = {
    squares: new Int32Array(kept.length * perSquare),
    positions: new Float64Array(kept.reduce((sum, { count }) => sum + count, 0)),
  };
  let at = 0;
  for (const [n, { square, from, at: first, count }] of kept.entries()) {
    plan.squares.set([square.column, square.row, square.size, at], n * perSquare);
    plan.positions.set(from.subarray(first, first + count), at);
    at += count;
  }
  return plan;
}

/** Nodes and proofs of all squares in one call. */
function askNodes(affine: Affine, firstRow: number, squares: Square[], find: Find): [Float64Array, Float64Array] {
  const x = new Float64Array(squares.length * asked);
  const y = new Float64Array(squares.length * asked);
  let i = 0;
  for (const { column, row, size } of squares) {
    for (const shares of [nodes, proofs]) {
      for (const v of shares) {
        for (const u of shares) {
          // Between the centres of the first and the last target cell inside.
          const c = column + 0.5 + u * (size - 1);
          const r = firstRow + row + 0.5 + v * (size - 1);
          x[i] = affine[0] + c * affine[1] + r * affine[2];
          y[i] = affine[3] + c * affine[4] + r * affine[5];
          i++;
        }
      }
    }
  }
  find(x, y, i);
  return [x, y];
}

/** Positions of all cells of squares of one size, and how many numbers each square has. */
function askEach(affine: Affine, firstRow: number, squares: Square[], find: Find): [Float64Array, number] {
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
  find(x, y, i);
  const both = new Float64Array(2 * i);
  for (let n = 0; n < squares.length; n++) {
    both.set(x.subarray(n * cells, (n + 1) * cells), 2 * n * cells);
    both.set(y.subarray(n * cells, (n + 1) * cells), (2 * n + 1) * cells);
  }
  return [both, 2 * cells];
}

/** Weights of the three nodes of a side, at a share `t` of it. */
const weights = (t: number): [number, number, number] => [2 * (t - 0.5) * (t - 1), 4 * t * (1 - t), 2 * t * (t - 0.5)];

const proofWeights = proofs.map(weights);

function proven(values: Float64Array, at: number): boolean {
  let proof = at + nodeCount;
  for (const [v0, v1, v2] of proofWeights) {
    for (const [u0, u1, u2] of proofWeights) {
      let sum = v0 * (u0 * values[at]! + u1 * values[at + 1]! + u2 * values[at + 2]!);
      sum += v1 * (u0 * values[at + 3]! + u1 * values[at + 4]! + u2 * values[at + 5]!);
      sum += v2 * (u0 * values[at + 6]! + u1 * values[at + 7]! + u2 * values[at + 8]!);
      // Also false for NaN.
      if (!(Math.abs(sum - values[proof]!) < tolerance)) return false;
      proof++;
    }
  }
  return true;
}

/** Weights of all rows of a square of each size. */
const rowWeights = new Map<number, Float64Array>();
for (let size = smallest; size <= stripe; size *= 2)
  rowWeights.set(
    size,
    Float64Array.from(Array.from({ length: size }, (_, row) => weights(row * (1 / (size - 1)))).flat()),
  );

export const isInterpolated = (size: number): boolean => size >= smallest;

/** How many numbers each of x and y has. */
const countOf = (size: number) => (isInterpolated(size) ? nodeCount : size * size);

/**
 * Source positions of the cells of a square, row by row, as many in each row as the square is wide.
 * @param at place of its numbers in `Plan.positions`
 */
export function positionsIn(
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
    // The parabola through a, b, c at 0, 1/2, 1 as a + t (p + t q).
    const q = (2 * (a + c) - 4 * b) * step * step;
    const p = (4 * b - 3 * a - c) * step;
    const line = row * size;
    for (let t = 0; t < size; t++) out[line + t] = a + t * (p + t * q);
  }
}

/** A biquadratic leaves the middle of its nine nodes by no more than this share of what they do: the sum of its weights is 1.25². */
const overshoot = 1.5625;

/** Between which numbers the positions of a square lie along one axis; Infinity, −Infinity when none of them has an image. */
export function rangeOf(
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
