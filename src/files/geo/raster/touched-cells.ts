import type { Chain } from '../vector/edge-tree.ts';
import type { Rows } from './edges-by-row.ts';

/** Called for cells `first … end - 1` of a row; they may lie beside the grid. */
export type AddCells = (row: number, first: number, end: number) => void;

/** An edge of a polygon so near the border between cells, in cells, touches neither of them (as GDAL). */
const onBorder = 1e-4;

/**
 * All cells that the segments of chains pass. Coordinates are in cells, from the outer corner of the first cell.
 * @param rings edges along the border between cells touch none of them
 */
export function touchedCells(chains: readonly Chain[], window: Rows, rings: boolean, add: AddCells): void {
  for (const { xy } of chains)
    for (let at = 0; at + 3 < xy.length; at += 2) {
      const [ax, ay, bx, by] = [xy[at]!, xy[at + 1]!, xy[at + 2]!, xy[at + 3]!];
      if (rings && (alongBorder(ax, bx) || alongBorder(ay, by))) continue;
      const [low, high] = ay < by ? [ay, by] : [by, ay];
      const last = Math.min(lastCell(low, high), window.bottom - 1);
      for (let row = Math.max(Math.floor(low), window.top); row <= last; row++) {
        const from = xAt(Math.max(low, row), ax, ay, bx, by);
        const to = xAt(Math.min(high, row + 1), ax, ay, bx, by);
        const [left, right] = ay === by ? [Math.min(ax, bx), Math.max(ax, bx)] : from < to ? [from, to] : [to, from];
        add(row, Math.floor(left), lastCell(left, right) + 1);
      }
    }
}

/** The last cell that an interval passes; one that ends at a border does not pass the cell behind it. */
const lastCell = (low: number, high: number): number => Math.max(Math.floor(low), Math.ceil(high) - 1);

const alongBorder = (a: number, b: number): boolean =>
  Math.abs(a - Math.round(a)) < onBorder && Math.abs(b - Math.round(b)) < onBorder && Math.round(a) === Math.round(b);

function xAt(y: number, ax: number, ay: number, bx: number, by: number): number {
  if (y === ay) return ax;
  return y === by ? bx : ax + ((y - ay) * (bx - ax)) / (by - ay);
}

/**
 * The cells of lines by Bresenham's algorithm, between the cells of their vertices: one cell per column or row. Walks
 * only through the columns and rows of the window, however far a line leads beside it.
 */
export function lineCells(chains: readonly Chain[], window: Rows, width: number, add: AddCells): void {
  for (const { xy } of chains)
    for (let at = 0; at + 3 < xy.length; at += 2) {
      const [x, y] = [Math.floor(xy[at]!), Math.floor(xy[at + 1]!)];
      const [endX, endY] = [Math.floor(xy[at + 2]!), Math.floor(xy[at + 3]!)];
      const [across, down] = [Math.abs(endX - x), Math.abs(endY - y)];
      if (across >= down) {
        const end = Math.min(Math.max(x, endX) + 1, width);
        for (let column = Math.max(Math.min(x, endX), 0); column < end; column++) {
          const row = y + Math.sign(endY - y) * stepsAside(Math.abs(column - x), down, across);
          if (row >= window.top && row < window.bottom) add(row, column, column + 1);
        }
      } else {
        const end = Math.min(Math.max(y, endY) + 1, window.bottom);
        for (let row = Math.max(Math.min(y, endY), window.top); row < end; row++) {
          const column = x + Math.sign(endX - x) * stepsAside(Math.abs(row - y), across, down);
          add(row, column, column + 1);
        }
      }
    }
}

/** How many steps aside a line is after some steps ahead: the nearest whole number, of a half the greater one. */
const stepsAside = (steps: number, aside: number, ahead: number): number =>
  steps === 0 ? 0 : Math.floor((2 * aside * steps + ahead) / (2 * ahead));
