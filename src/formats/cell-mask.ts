import type { Chain } from './edge-tree.ts';
import { EdgeTree } from './edge-tree.ts';

/** Shares of a cell that are taken for rounding where an outline runs along the borders of cells. */
const rounding = 1e-6;

/** Cells of a grid, half open. */
export interface CellWindow {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * The cells of a grid that a geometry takes, given in cells from the outer corner of the first one: those whose centre lies in or on a
 * polygon, those that a line goes through, and the one that holds a point.
 */
export class CellMask {
  /** The smallest part of the grid around the geometry; undefined when they lie apart. */
  readonly window: CellWindow | undefined;
  readonly #tree: EdgeTree;
  readonly #height: number;

  constructor(chains: readonly Chain[], width: number, height: number) {
    this.#tree = new EdgeTree(chains);
    this.#height = height;
    this.window = windowOf(chains, width, height);
  }

  /** Columns of a row within the window, as runs: first, end, first, end … in order and apart from each other. */
  runs(row: number): number[] {
    const found = this.#found(row);
    const { left, right } = this.window!;
    const runs: number[] = [];
    for (const [first, end] of found.sort((a, b) => a[0] - b[0])) {
      const from = Math.max(first, left);
      const to = Math.min(end, right);
      if (from >= to) continue;
      if (runs.length > 0 && from <= runs.at(-1)!) runs[runs.length - 1] = Math.max(runs.at(-1)!, to);
      else runs.push(from, to);
    }
    return runs;
  }

  #found(row: number): [first: number, end: number][] {
    const { ends, polygon } = this.#tree;
    const y = row + 0.5;
    const found: [number, number][] = [];
    const crossed: { polygon: number; x: number }[] = [];
    this.#tree.some(-Infinity, row, Infinity, row + 1, (edge) => {
      const at = 4 * edge;
      const [ax, ay, bx, by] = [ends[at]!, ends[at + 1]!, ends[at + 2]!, ends[at + 3]!];
      if (polygon[edge]! < 0) this.#addLine(row, [ax, ay, bx, by], found);
      else if ((ay <= y && by >= y) || (ay >= y && by <= y)) {
        if (ay === by) found.push(between(Math.min(ax, bx), Math.max(ax, bx)));
        else {
          const x = ax + ((y - ay) * (bx - ax)) / (by - ay);
          if (ay > y !== by > y) crossed.push({ polygon: polygon[edge]!, x });
          // On the outline itself, where the polygon may only touch the row.
          else found.push(between(x, x));
        }
      }
      return false;
    });
    crossed.sort((a, b) => a.polygon - b.polygon || a.x - b.x);
    for (let n = 0; n + 1 < crossed.length; n += 2) found.push(between(crossed[n]!.x, crossed[n + 1]!.x));
    return found;
  }

  #addLine(row: number, [ax, ay, bx, by]: readonly [number, number, number, number], found: [number, number][]): void {
    const [low, high] = [Math.min(ay, by), Math.max(ay, by)];
    // What lies on the border of two rows belongs to the lower one, in the end to the last.
    if (high < row || (low >= row + 1 && !(low === this.#height && row + 1 === this.#height))) return;
    const xAt = (y: number) => (ay === by ? ax : ax + ((y - ay) * (bx - ax)) / (by - ay));
    const from = ay === by ? ax : xAt(Math.max(low, row));
    const to = ay === by ? bx : xAt(Math.min(high, row + 1));
    found.push([Math.floor(Math.min(from, to)), Math.floor(Math.max(from, to)) + 1]);
  }
}

/** Cells whose centres lie in an interval, both ends included. */
const between = (from: number, to: number): [number, number] => [Math.ceil(from - 0.5), Math.floor(to - 0.5) + 1];

function windowOf(chains: readonly Chain[], width: number, height: number): CellWindow | undefined {
  const window = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { xy, polygon } of chains) {
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < xy.length; at += 2) {
      west = Math.min(west, xy[at]!);
      east = Math.max(east, xy[at]!);
      north = Math.min(north, xy[at + 1]!);
      south = Math.max(south, xy[at + 1]!);
    }
    // A polygon that only shares a border with the grid takes no cell of it; a line on its outer border takes those beside it.
    const border = polygon < 0 ? 0 : -rounding;
    if (!(west <= width + border && east >= -border && north <= height + border && south >= -border)) continue;
    const [firstColumn, endColumn] = cellsOf(west, east, width, polygon);
    const [firstRow, endRow] = cellsOf(north, south, height, polygon);
    window.left = Math.min(window.left, firstColumn);
    window.right = Math.max(window.right, endColumn);
    window.top = Math.min(window.top, firstRow);
    window.bottom = Math.max(window.bottom, endRow);
  }
  return window.left < window.right ? window : undefined;
}

function cellsOf(low: number, high: number, count: number, polygon: number): [first: number, end: number] {
  const first = Math.floor(low + (polygon < 0 ? 0 : rounding));
  const end = polygon < 0 ? Math.floor(high) + 1 : Math.ceil(high - rounding);
  const from = Math.min(Math.max(first, 0), count - 1);
  return [from, Math.min(Math.max(end, from + 1), count)];
}
