import type { Affine, Grid, MultiArray } from 'hydrofiles/data';

/** A box in the coordinate system of the data; its edges belong to it. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Neighbouring rows or columns. */
export interface Span {
  readonly first: number;
  readonly length: number;
}

/** Rows and columns that hold all cells whose centres lie in a box; of grids that are not aligned, others too. */
export type CellSpans = readonly [rows: Span, columns: Span];

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
  window(box: Bounds): CellSpans;
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
  const aligned = b === 0 && c === 0;
  const centreX = (column: number, row: number) => x0 + (column + 0.5) * a + (row + 0.5) * b;
  const centreY = (column: number, row: number) => y0 + (column + 0.5) * c + (row + 0.5) * d;
  /** Place in the grid, in cells. */
  const columnAt = (x: number, y: number) => ((x - x0) * d - (y - y0) * b) / determinant;
  const rowAt = (x: number, y: number) => ((y - y0) * a - (x - x0) * c) / determinant;
  return {
    width,
    height,
    aligned,
    x: centreX,
    y: centreY,
    find(x, y) {
      const column = cellAt(columnAt(x, y), width);
      const row = cellAt(rowAt(x, y), height);
      return column === undefined || row === undefined ? undefined : { column, row };
    },
    window({ west, south, east, north }) {
      if (aligned)
        return [
          alongAxis((row) => centreY(0, row), height, south, north),
          alongAxis((column) => centreX(column, 0), width, west, east),
        ];
      const corners = [west, east].flatMap((x) => [south, north].map((y) => [x, y] as const));
      return [
        spanOf(
          corners.map(([x, y]) => rowAt(x, y)),
          height,
        ),
        spanOf(
          corners.map(([x, y]) => columnAt(x, y)),
          width,
        ),
      ];
    },
  };
}

/** The rows or columns that fractional indices lie in or between. */
function spanOf(indices: readonly number[], count: number): Span {
  const within = (index: number) => Math.max(0, Math.min(count, index));
  const first = within(Math.floor(Math.min(...indices) - tolerance));
  return { first, length: Math.max(0, within(Math.ceil(Math.max(...indices) + tolerance)) - first) };
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
  const [meanX, meanY] = [mean(nodeX), mean(nodeY)];
  return {
    width,
    height,
    aligned: false,
    x: meanX,
    y: meanY,
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
    window({ west, south, east, north }) {
      let [left, right, top, bottom] = [width, 0, height, 0];
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const [x, y] = [meanX(column, row), meanY(column, row)];
          if (!(x >= west && x <= east && y >= south && y <= north)) continue;
          left = Math.min(left, column);
          right = Math.max(right, column + 1);
          top = Math.min(top, row);
          bottom = row + 1;
        }
      return [
        { first: top, length: Math.max(0, bottom - top) },
        { first: left, length: Math.max(0, right - left) },
      ];
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
function alongAxis(centre: (index: number) => number, count: number, from: number, to: number): Span {
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
