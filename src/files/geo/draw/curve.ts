/**
 * How values between two steps are drawn: on a straight line, or as steps that hold for the interval before or after
 * each.
 */
export type Joint = 'line' | 'before' | 'after';

interface Vertex {
  readonly x: number;
  readonly y: number;
}

/** Maximum number of points per pixel column; more are thinned out. */
const perColumn = 2;

/**
 * A line through many values in ascending order of x. Keeps the first, last, smallest and largest value of each pixel
 * column, which look the same as all values. Missing values interrupt the line.
 */
export class Curve {
  readonly #low: number;
  readonly #columnsPerUnit: number;
  readonly #dense: boolean;
  readonly #joint: Joint;
  readonly #pieces: number[][] = [];
  #piece: number[] | undefined;
  #column = -1;
  #kept: { first: Vertex; least: Vertex; most: Vertex; last: Vertex } | undefined;
  #before: Vertex | undefined;
  #gap = true;

  constructor({ low, high }: { low: number; high: number }, count: number, columns: number, joint: Joint = 'line') {
    this.#low = low;
    this.#columnsPerUnit = high > low ? columns / (high - low) : 0;
    this.#dense = count > perColumn * columns;
    this.#joint = joint;
  }

  /** NaN: a value that is missing. */
  add(x: number, y: number): void {
    const before = this.#before;
    if (Number.isNaN(y)) {
      // The value before the gap holds until here.
      if (this.#joint === 'after' && before !== undefined && !this.#gap) this.#vertex({ x, y: before.y });
      this.#gap = true;
      this.#before = { x, y };
      return;
    }
    const column = Math.floor((x - this.#low) * this.#columnsPerUnit);
    if (this.#gap && !(this.#dense && column - this.#column <= 1)) this.#break();
    if (before !== undefined && this.#joint === 'before') this.#vertex({ x: before.x, y });
    if (before !== undefined && this.#joint === 'after' && !this.#gap) this.#vertex({ x, y: before.y });
    this.#vertex({ x, y });
    this.#gap = false;
    this.#before = { x, y };
  }

  /** Alternating x and y of the points of each uninterrupted piece. */
  pieces(): readonly (readonly number[])[] {
    this.#break();
    return this.#pieces;
  }

  #vertex(vertex: Vertex): void {
    const column = Math.floor((vertex.x - this.#low) * this.#columnsPerUnit);
    const kept = this.#kept;
    if (!this.#dense || column !== this.#column || kept === undefined) {
      this.#flush();
      this.#column = column;
      this.#kept = { first: vertex, least: vertex, most: vertex, last: vertex };
      return;
    }
    if (vertex.y < kept.least.y) kept.least = vertex;
    if (vertex.y > kept.most.y) kept.most = vertex;
    kept.last = vertex;
  }

  #flush(): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    if (this.#piece === undefined) {
      this.#piece = [];
      this.#pieces.push(this.#piece);
    }
    const extremes = [kept.least, kept.most].sort((one, other) => one.x - other.x);
    let last: Vertex | undefined;
    for (const vertex of [kept.first, ...extremes, kept.last]) {
      if (vertex !== last) this.#piece.push(vertex.x, vertex.y);
      last = vertex;
    }
    this.#kept = undefined;
  }

  #break(): void {
    this.#flush();
    this.#piece = undefined;
  }
}
