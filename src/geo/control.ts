import type { Affine } from '../formats/types.ts';

/** Rows of the target that are worked at together; also the side of the largest control cell, in target cells. */
export const stripe = 32;

/** Smallest control cell that is still interpolated; below it each target cell is transformed by itself. */
const smallest = 8;

/** Largest error of an interpolated position, in source cells. GDAL's own default is 0.125. */
const tolerance = 0.0001;

/** Exact positions, in place: target coordinates in, source pixels (or NaN) out. */
export type Find = (x: Float64Array, y: Float64Array, count: number) => void;

interface Cell {
  column: number;
  row: number;
  size: number;
}

/** Shares of a cell's side at which its nine nodes and then its four proofs lie. */
const nodes = [0, 0.5, 1];
const proofs = [0.25, 0.75];
const perCell = nodes.length ** 2 + proofs.length ** 2;

/**
 * Source pixel of each cell centre of a stripe of target rows, row by row into `px` and `py`.
 *
 * The stripe is cut into cells of 32 × 32; in each the exact position is asked at nine nodes and laid through them as a
 * biquadratic. Four more exact positions prove it; a cell that fails is quartered, and below 8 × 8 all its positions are
 * exact. So are those around an edge of the projection, where nodes have no image.
 */
export function positionsOf(
  affine: Affine,
  firstRow: number,
  rows: number,
  width: number,
  find: Find,
  px: Float64Array,
  py: Float64Array,
): void {
  let cells: Cell[] = [];
  for (let column = 0; column < width; column += stripe) cells.push({ column, row: 0, size: stripe });
  const exact: Cell[] = [];
  while (cells.length > 0) {
    const failed: Cell[] = [];
    const [x, y] = askCells(affine, firstRow, cells, find);
    for (const [n, cell] of cells.entries()) {
      if (proven(x, n * perCell) && proven(y, n * perCell)) {
        interpolate(x, n * perCell, cell, rows, width, px);
        interpolate(y, n * perCell, cell, rows, width, py);
      } else failed.push(cell);
    }
    cells = [];
    for (const { column, row, size } of failed) {
      const half = size / 2;
      for (const r of [row, row + half]) {
        for (const c of [column, column + half]) {
          if (r < rows && c < width) (half < smallest ? exact : cells).push({ column: c, row: r, size: half });
        }
      }
    }
  }
  if (exact.length > 0) askEach(affine, firstRow, exact, rows, width, find, px, py);
}

/** Nodes and proofs of all cells in one call. Cells reach past the last row and column; that does no harm. */
function askCells(affine: Affine, firstRow: number, cells: Cell[], find: Find): [Float64Array, Float64Array] {
  const x = new Float64Array(cells.length * perCell);
  const y = new Float64Array(cells.length * perCell);
  let i = 0;
  for (const { column, row, size } of cells) {
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

/** Weights of the three nodes of a side, at a share `t` of it. */
const weights = (t: number): [number, number, number] => [2 * (t - 0.5) * (t - 1), 4 * t * (1 - t), 2 * t * (t - 0.5)];

const proofWeights = proofs.map(weights);

function proven(values: Float64Array, at: number): boolean {
  let proof = at + 9;
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

function interpolate(
  values: Float64Array,
  at: number,
  cell: Cell,
  rows: number,
  width: number,
  out: Float64Array,
): void {
  const { column, row, size } = cell;
  const lastRow = Math.min(row + size, rows);
  const lastColumn = Math.min(column + size, width);
  const step = 1 / (size - 1);
  for (let r = row; r < lastRow; r++) {
    const [v0, v1, v2] = weights((r - row) * step);
    const a = v0 * values[at]! + v1 * values[at + 3]! + v2 * values[at + 6]!;
    const b = v0 * values[at + 1]! + v1 * values[at + 4]! + v2 * values[at + 7]!;
    const c = v0 * values[at + 2]! + v1 * values[at + 5]! + v2 * values[at + 8]!;
    // The parabola through a, b, c at 0, 1/2, 1 as a + t (p + t q).
    const q = (2 * (a + c) - 4 * b) * step * step;
    const p = (4 * b - 3 * a - c) * step;
    const line = r * width;
    for (let i = column; i < lastColumn; i++) {
      const t = i - column;
      out[line + i] = a + t * (p + t * q);
    }
  }
}

function askEach(
  affine: Affine,
  firstRow: number,
  cells: Cell[],
  rows: number,
  width: number,
  find: Find,
  px: Float64Array,
  py: Float64Array,
): void {
  const places: number[] = [];
  for (const { column, row, size } of cells) {
    for (let r = row; r < Math.min(row + size, rows); r++) {
      for (let c = column; c < Math.min(column + size, width); c++) places.push(r * width + c);
    }
  }
  const x = new Float64Array(places.length);
  const y = new Float64Array(places.length);
  for (const [i, place] of places.entries()) {
    const c = (place % width) + 0.5;
    const r = firstRow + Math.floor(place / width) + 0.5;
    x[i] = affine[0] + c * affine[1] + r * affine[2];
    y[i] = affine[3] + c * affine[4] + r * affine[5];
  }
  find(x, y, places.length);
  for (const [i, place] of places.entries()) {
    px[place] = x[i]!;
    py[place] = y[i]!;
  }
}
