import type { Chain } from '../vector/edge-tree.ts';
import { EdgeTree } from '../vector/edge-tree.ts';

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
  readonly #width: number;
  readonly #height: number;

  constructor(groups: readonly (readonly Chain[])[], width: number, height: number) {
    this.#tree = new EdgeTree(groups.flat());
    this.#width = width;
    this.#height = height;
    this.window = windowOf(groups, width, height);
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
    if (cellAt(low, this.#height) > row || cellAt(high, this.#height) < row) return;
    const xAt = (y: number) => (ay === by ? ax : ax + ((y - ay) * (bx - ax)) / (by - ay));
    const from = ay === by ? ax : xAt(Math.max(low, row));
    const to = ay === by ? bx : xAt(Math.min(high, row + 1));
    found.push([cellAt(Math.min(from, to), this.#width), cellAt(Math.max(from, to), this.#width) + 1]);
  }
}

/** Cells whose centres lie in an interval, both ends included. */
const between = (from: number, to: number): [number, number] => [Math.ceil(from - 0.5), Math.floor(to - 0.5) + 1];

/** Around all chains of one group; groups lie apart, and some of them beside the grid. */
function windowOf(groups: readonly (readonly Chain[])[], width: number, height: number): CellWindow | undefined {
  const window = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const group of groups) {
    const columns = cellsOf(group, 0, width);
    const rows = cellsOf(group, 1, height);
    if (columns.first >= columns.end || rows.first >= rows.end) continue;
    window.left = Math.min(window.left, columns.first);
    window.right = Math.max(window.right, columns.end);
    window.top = Math.min(window.top, rows.first);
    window.bottom = Math.max(window.bottom, rows.end);
  }
  return window.left < window.right ? window : undefined;
}

/** Columns (`axis` 0) or rows of the grid that the box of some chains touches. */
function cellsOf(chains: readonly Chain[], axis: 0 | 1, count: number): { first: number; end: number } {
  let first = Infinity;
  let end = -Infinity;
  for (const { xy, polygon } of chains) {
    let [low, high] = [Infinity, -Infinity];
    for (let at = axis; at < xy.length; at += 2) {
      low = Math.min(low, xy[at]!);
      high = Math.max(high, xy[at]!);
    }
    first = Math.min(first, polygon < 0 ? cellAt(low, count) : Math.floor(low + rounding));
    end = Math.max(end, polygon < 0 ? cellAt(high, count) + 1 : Math.ceil(high - rounding));
  }
  // What is thinner than rounding lies in one cell.
  return { first: Math.max(first, 0), end: Math.min(Math.max(end, first + 1), count) };
}

/** The cell at a place; the outer border of a grid belongs to its last cells. */
const cellAt = (place: number, count: number): number => (place === count ? count - 1 : Math.floor(place));
