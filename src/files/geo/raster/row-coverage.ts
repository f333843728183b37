import type { EdgesByRow } from './edges-by-row.ts';

/** Shares of a cell below this are rounding errors. */
const noise = 1e-13;

/** Called for cells `first … end - 1` of a row, of which the share `weight` (above 0, at most 1) is covered. */
export type AddSpan = (first: number, end: number, weight: number) => void;

/**
 * Computes which share of each cell of a row polygons cover, exactly but for rounding: each edge adds its signed area
 * within the cells it crosses and its height to all cells to the right; cells without an edge are covered wholly or
 * not at all.
 */
export class RowCoverage {
  readonly #width: number;
  /** Sum of heights and areas of the edges in each column; column -1, left of the grid, is the first. */
  readonly #heights: Float64Array;
  readonly #areas: Float64Array;
  readonly #crossed: Uint8Array;

  constructor(width: number) {
    this.#width = width;
    this.#heights = new Float64Array(width + 1);
    this.#areas = new Float64Array(width + 1);
    this.#crossed = new Uint8Array(width + 1);
  }

  /**
   * @param signs per ring 1 or -1, so that with it outer rings run one way and holes the other
   * @param left, right columns that the polygons reach: `left … right - 1`
   */
  scan(
    { ends, ring }: EdgesByRow,
    edges: Uint32Array,
    signs: Int8Array,
    row: number,
    [left, right]: readonly [number, number],
    add: AddSpan,
  ): void {
    for (const edge of edges) {
      const [ax, ay, bx, by] = [ends[4 * edge]!, ends[4 * edge + 1]!, ends[4 * edge + 2]!, ends[4 * edge + 3]!];
      if (ay === by) {
        if (ay > row && ay < row + 1) this.#addPiece(ax, bx, 0);
        continue;
      }
      const fromY = Math.min(Math.max(ay, row), row + 1);
      const toY = Math.min(Math.max(by, row), row + 1);
      if (fromY === toY) continue;
      const slope = (bx - ax) / (by - ay);
      const fromX = fromY === ay ? ax : ax + (fromY - ay) * slope;
      const toX = toY === by ? bx : ax + (toY - ay) * slope;
      this.#addPiece(within(fromX, ax, bx), within(toX, ax, bx), signs[ring[edge]!]! * (toY - fromY));
    }
    this.#emit(left, right, add);
  }

  /** A piece of an edge within the row, from `ax` to `bx`, of a signed height. */
  #addPiece(ax: number, bx: number, height: number): void {
    const [low, high] = ax < bx ? [ax, bx] : [bx, ax];
    if (low >= this.#width) return;
    if (high <= 0) {
      this.#heights[0]! += height;
      return;
    }
    const last = high === low ? Math.floor(low) : Math.ceil(high) - 1;
    let column = Math.floor(low);
    if (column === last) {
      this.#add(column, height, height * (column + 1 - (low + high) / 2));
      return;
    }
    const perColumn = height / (high - low);
    let x = low;
    let rest = height;
    if (low < 0) {
      this.#heights[0]! += -low * perColumn;
      rest -= -low * perColumn;
      x = column = 0;
    }
    for (; column < last && column < this.#width; column++) {
      const part = (column + 1 - x) * perColumn;
      this.#add(column, part, (part * (column + 1 - x)) / 2);
      rest -= part;
      x = column + 1;
    }
    if (column < this.#width) this.#add(column, rest, rest * (column + 1 - (x + high) / 2));
  }

  #add(column: number, height: number, area: number): void {
    this.#heights[column + 1]! += height;
    this.#areas[column + 1]! += area;
    this.#crossed[column + 1] = 1;
  }

  /** Reports the covered cells and clears the sums. */
  #emit(left: number, right: number, add: AddSpan): void {
    let sum = this.#heights[0]!;
    this.#heights[0] = 0;
    let whole = -1;
    for (let column = left; column < right; column++) {
      let share: number;
      if (this.#crossed[column + 1] === 0) share = Math.abs(sum) > 0.5 ? 1 : 0;
      else {
        share = Math.abs(sum + this.#areas[column + 1]!);
        sum += this.#heights[column + 1]!;
        this.#heights[column + 1] = this.#areas[column + 1] = this.#crossed[column + 1] = 0;
      }
      if (share > 1 - noise) {
        if (whole < 0) whole = column;
        continue;
      }
      if (whole >= 0) add(whole, column, 1);
      whole = -1;
      if (share > noise) add(column, column + 1, share);
    }
    if (whole >= 0) add(whole, right, 1);
  }
}

const within = (x: number, a: number, b: number): number =>
  a < b ? Math.min(Math.max(x, a), b) : Math.min(Math.max(x, b), a);
