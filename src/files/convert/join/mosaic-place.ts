import { type Affine, cellSize, type Grid } from '../../data/grid.ts';
import { ConversionError } from '../../errors.ts';

/** Maximum offset of a file from the cells of the first one, as a share of a cell. */
const TOLERANCE = 0.01;
/** Maximum number of columns or rows of a mosaic: typed arrays of a row stay below a gigabyte. */
const MOST_CELLS = 2 ** 26;

type Placed = Pick<Grid, 'affine' | 'width' | 'height'>;

/** Cells of a file within the mosaic, or from the corner of the first file. */
export interface Window {
  column: number;
  row: number;
  width: number;
  height: number;
}

/**
 * The cells of a file, counted from the corner of the first one.
 * @throws ConversionError unless cells have the same size and direction, and lie a whole number of cells apart
 */
export function windowIn(first: Placed, other: Placed): Window {
  const { width, height } = other;
  const [x0, a, b, y0, c, d] = first.affine;
  const size = cellSize(first);
  // a difference of the cell sizes adds up over the file
  const lengths = [0, width, height, 0, width, height];
  if (first.affine.some((value, n) => Math.abs(value - other.affine[n]!) * lengths[n]! > TOLERANCE * size))
    throw new ConversionError(
      `It has cells of ${cellText(other.affine)}, and the first file of ${cellText(first.affine)}. Only files with the same cells are joined; resample it first (resampleTransformation).`,
    );
  const [dx, dy] = [other.affine[0] - x0, other.affine[3] - y0];
  const determinant = a * d - b * c;
  const [columns, rows] = [(dx * d - dy * b) / determinant, (dy * a - dx * c) / determinant];
  const [column, row] = [Math.round(columns), Math.round(rows)];
  const beside = Math.max(Math.abs(columns - column), Math.abs(rows - row));
  if (!(beside <= TOLERANCE))
    throw new ConversionError(
      `Its cells lie ${Number(beside.toPrecision(2))} of a cell beside those of the first file. Only whole numbers of cells apart are joined; resample it first (resampleTransformation).`,
    );
  return { column, row, width, height };
}

function cellText([, a, b, , c, d]: Affine): string {
  const number = (value: number) => String(Number(value.toPrecision(12)));
  const turned = b === 0 && c === 0 ? '' : `, rotated by ${number((Math.atan2(c, a) * 180) / Math.PI)}°`;
  return `${number(Math.hypot(a, c))} × ${number(Math.hypot(b, d))}${d > 0 ? ', first row in the south' : ''}${turned}`;
}

/** The grid that covers all windows, and the windows in it. */
export function union(first: Placed, windows: readonly Window[]): Placed & { windows: Window[] } {
  const end = (one: Window) => [one.column + one.width, one.row + one.height] as const;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const window of windows) {
    left = Math.min(left, window.column);
    top = Math.min(top, window.row);
    right = Math.max(right, end(window)[0]);
    bottom = Math.max(bottom, end(window)[1]);
  }
  const [width, height] = [right - left, bottom - top];
  if (width > MOST_CELLS || height > MOST_CELLS)
    throw new ConversionError(
      `The files lie so far apart that the mosaic would have ${width} × ${height} cells; at most ${MOST_CELLS} columns and rows are written.`,
    );
  const [x, a, b, y, c, d] = first.affine;
  return {
    width,
    height,
    affine: [x + left * a + top * b, a, b, y + left * c + top * d, c, d],
    windows: windows.map((one) => ({ ...one, column: one.column - left, row: one.row - top })),
  };
}

/** Whether the windows leave no cell of the grid empty. */
export function isCovered({ width, height }: Pick<Grid, 'width' | 'height'>, windows: readonly Window[]): boolean {
  // between two of these rows the same windows cover each row
  const rows = [...new Set([0, ...windows.flatMap((one) => [one.row, one.row + one.height])])].sort((a, b) => a - b);
  const byColumn = windows.toSorted((one, other) => one.column - other.column);
  for (const row of rows) {
    if (row >= height) break;
    let covered = 0;
    for (const one of byColumn) {
      if (one.row > row || one.row + one.height <= row) continue;
      if (one.column > covered) return false;
      covered = Math.max(covered, one.column + one.width);
    }
    if (covered < width) return false;
  }
  return true;
}

/** The greatest number of windows that a row crosses. */
export function mostAcross(windows: readonly Window[]): number {
  const changes = windows.flatMap(({ row, height }) => [
    { row, change: 1 },
    { row: row + height, change: -1 },
  ]);
  let [across, most] = [0, 0];
  // in the same row, windows end before others begin
  for (const { change } of changes.sort((one, other) => one.row - other.row || one.change - other.change)) {
    across += change;
    most = Math.max(most, across);
  }
  return most;
}
