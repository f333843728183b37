import type { Affine, Grid } from '../data/grid.ts';
import type { MultiArray } from '../data/multi-array.ts';

/** A box in the coordinate system of the data; its edges belong to it. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Cells in rows and columns. */
export interface CellGrid {
  readonly width: number;
  readonly height: number;
  /** Columns run along x and rows along y, at equal distances. */
  readonly aligned: boolean;
  x(column: number, row: number): number;
  y(column: number, row: number): number;
  /** The cell that contains a place; its edges belong to it, to the one of lower numbers where two meet. */
  find(x: number, y: number): { column: number; row: number } | undefined;
}

/** The cells of a grid or of the placed dimensions of an array. */
export function cellGridOf(data: Grid | MultiArray): CellGrid | undefined {
  if (data.kind === 'grid') return affineCells(data.width, data.height, data.affine);
  const { placement, axes } = data;
  if (placement === undefined) return undefined;
  const [width, height] = [axes[placement.x]!.values.length, axes[placement.y]!.values.length];
  return placement.by === 'affine'
    ? affineCells(width, height, placement.affine)
    : curvilinearCells(width, height, placement);
}

function affineCells(width: number, height: number, [x0, a, b, y0, c, d]: Affine): CellGrid {
  const determinant = a * d - b * c;
  return {
    width,
    height,
    aligned: b === 0 && c === 0,
    x: (column, row) => x0 + (column + 0.5) * a + (row + 0.5) * b,
    y: (column, row) => y0 + (column + 0.5) * c + (row + 0.5) * d,
    find(x, y) {
      const [dx, dy] = [x - x0, y - y0];
      const column = cellAt((dx * d - dy * b) / determinant, width);
      const row = cellAt((dy * a - dx * c) / determinant, height);
      return column === undefined || row === undefined ? undefined : { column, row };
    },
  };
}

/** Relative to a cell: coordinates of edges are rounded. */
const tolerance = 1e-9;

/** The cell at a fractional index. */
function cellAt(index: number, count: number): number | undefined {
  if (!(index >= -tolerance && index <= count + tolerance)) return undefined;
  const whole = Math.round(index);
  const onEdge = Math.abs(index - whole) <= tolerance;
  return Math.max(0, Math.min(count - 1, onEdge ? whole - 1 : Math.floor(index)));
}

function curvilinearCells(
  width: number,
  height: number,
  { nodeX, nodeY }: { nodeX: Float64Array; nodeY: Float64Array },
): CellGrid {
  const corners = (column: number, row: number) => {
    const first = row * (width + 1) + column;
    return [first, first + 1, first + width + 2, first + width + 1];
  };
  const mean = (of: Float64Array) => (column: number, row: number) => {
    const [first, ...rest] = corners(column, row);
    return of[first!]! + rest.reduce((sum, corner) => sum + of[corner]! - of[first!]!, 0) / 4;
  };
  return {
    width,
    height,
    aligned: false,
    x: mean(nodeX),
    y: mean(nodeY),
    find(x, y) {
      const ring = { x: new Float64Array(4), y: new Float64Array(4) };
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const first = row * (width + 1) + column;
          if (isBeyond(x, nodeX, first, width) || isBeyond(y, nodeY, first, width)) continue;
          for (const [n, corner] of corners(column, row).entries()) {
            ring.x[n] = nodeX[corner]!;
            ring.y[n] = nodeY[corner]!;
          }
          if (isWithin(ring.x, ring.y, 4, x, y)) return { column, row };
        }
      return undefined;
    },
  };
}

/** Whether a coordinate lies on one side of all four corners of a cell. */
function isBeyond(value: number, of: Float64Array, first: number, width: number): boolean {
  const [a, b, c, d] = [of[first]!, of[first + 1]!, of[first + width + 1]!, of[first + width + 2]!];
  return (value < a && value < b && value < c && value < d) || (value > a && value > b && value > c && value > d);
}

/** Whether a place lies within a polygon or on its edges; of coordinates that are not numbers: no. */
export function isWithin(xs: ArrayLike<number>, ys: ArrayLike<number>, count: number, x: number, y: number): boolean {
  let inside = false;
  for (let n = 0, before = count - 1; n < count; before = n++) {
    const [x1, y1, x2, y2] = [xs[before]!, ys[before]!, xs[n]!, ys[n]!];
    const side = (x - x1) * (y2 - y1) - (y - y1) * (x2 - x1);
    const between = Math.min(x1, x2) <= x && x <= Math.max(x1, x2) && Math.min(y1, y2) <= y && y <= Math.max(y1, y2);
    if (side === 0 && between) return true;
    if (y1 > y !== y2 > y && side > 0 === y2 > y1) inside = !inside;
  }
  return inside;
}

/** Columns or rows of an aligned grid whose centres lie from `from` to `to`, as first index and number. */
export function alongAxis(
  centre: (index: number) => number,
  count: number,
  from: number,
  to: number,
): { first: number; length: number } {
  const step = count > 1 ? centre(1) - centre(0) : 1;
  const isIn = (index: number) => centre(index) >= from && centre(index) <= to;
  const near = (value: number) => Math.max(0, Math.min(count, Math.round((value - centre(0)) / step)));
  const ends = [near(from), near(to)];
  let first = Math.max(0, Math.min(...ends) - 2);
  let end = Math.min(count, Math.max(...ends) + 3);
  while (first < end && !isIn(first)) first++;
  while (end > first && !isIn(end - 1)) end--;
  return { first, length: end - first };
}
