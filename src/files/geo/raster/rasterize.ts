import { type Chain, EdgeTree } from '../vector/edge-tree.ts';

/** Tolerance in cells for outlines that run along cell borders. */
const rounding = 1e-6;

/** A window of cells: columns `left … right - 1`, rows `top … bottom - 1`. */
export interface CellWindow {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * The cells of a grid that a geometry covers: cells whose centre lies in or on a polygon, cells that a line crosses,
 * and the cell that contains a point. Coordinates of chains are in cells, from the outer corner of the first cell.
 */
export class RasterizedGeometry {
  /** The smallest window of the grid that contains the geometry; undefined if they do not overlap. */
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

  /** Covered columns of a row within the window, as sorted disjoint spans: first, end, first, end … */
  spans(row: number): number[] {
    const { left, right } = this.window!;
    const spans: number[] = [];
    for (const [first, end] of this.#overlappingSpans(row).sort((a, b) => a[0] - b[0])) {
      const from = Math.max(first, left);
      const to = Math.min(end, right);
      if (from >= to) continue;
      if (spans.length > 0 && from <= spans.at(-1)!) spans[spans.length - 1] = Math.max(spans.at(-1)!, to);
      else spans.push(from, to);
    }
    return spans;
  }

  /**
   * A scanline through the centre of a row: one span per line, per pair of polygon crossings, and per edge on the
   * scanline.
   */
  #overlappingSpans(row: number): [first: number, end: number][] {
    const { ends, polygon } = this.#tree;
    const y = row + 0.5;
    const spans: [number, number][] = [];
    const crossings: { polygon: number; x: number }[] = [];
    this.#tree.some(-Infinity, row, Infinity, row + 1, (edge) => {
      const at = 4 * edge;
      const [ax, ay, bx, by] = [ends[at]!, ends[at + 1]!, ends[at + 2]!, ends[at + 3]!];
      if (polygon[edge]! < 0) this.#addLine(row, [ax, ay, bx, by], spans);
      else if ((ay <= y && by >= y) || (ay >= y && by <= y)) {
        if (ay === by) spans.push(centresIn(Math.min(ax, bx), Math.max(ax, bx)));
        else {
          const x = ax + ((y - ay) * (bx - ax)) / (by - ay);
          if (ay > y !== by > y) crossings.push({ polygon: polygon[edge]!, x });
          // A vertex on the scanline, where the polygon may only touch it: the outline belongs to the polygon.
          else spans.push(centresIn(x, x));
        }
      }
      return false;
    });
    crossings.sort((a, b) => a.polygon - b.polygon || a.x - b.x);
    for (let n = 0; n + 1 < crossings.length; n += 2) spans.push(centresIn(crossings[n]!.x, crossings[n + 1]!.x));
    return spans;
  }

  #addLine(row: number, [ax, ay, bx, by]: readonly [number, number, number, number], spans: [number, number][]): void {
    const [low, high] = [Math.min(ay, by), Math.max(ay, by)];
    if (cellAt(low, this.#height) > row || cellAt(high, this.#height) < row) return;
    const xAt = (y: number) => (ay === by ? ax : ax + ((y - ay) * (bx - ax)) / (by - ay));
    const from = ay === by ? ax : xAt(Math.max(low, row));
    const to = ay === by ? bx : xAt(Math.min(high, row + 1));
    spans.push([cellAt(Math.min(from, to), this.#width), cellAt(Math.max(from, to), this.#width) + 1]);
  }
}

/** Span of the cells whose centres lie in a closed interval. */
const centresIn = (from: number, to: number): [number, number] => [Math.ceil(from - 0.5), Math.floor(to - 0.5) + 1];

/** The window around all groups of chains that overlap the grid. */
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

/** Columns (`axis` 0) or rows (`axis` 1) of the grid that the bounding box of the chains touches. */
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
  // A polygon thinner than the tolerance still covers one cell.
  return { first: Math.max(first, 0), end: Math.min(Math.max(end, first + 1), count) };
}

/** The cell that contains a coordinate. The outer border of the grid belongs to its last cells. */
const cellAt = (coordinate: number, count: number): number =>
  coordinate === count ? count - 1 : Math.floor(coordinate);
