import type { Chain } from '../vector/edge-tree.ts';

/** Rows `top … bottom - 1`. */
export interface Rows {
  readonly top: number;
  readonly bottom: number;
}

/**
 * The edges of rings by the rows of a grid that they pass, for a scan from row to row. Coordinates are in cells, from
 * the outer corner of the first cell. Rings may be open; the closing edge is added.
 */
export class EdgesByRow implements Rows {
  /** x and y of both ends of each edge, in the direction of its ring. */
  readonly ends: Float64Array;
  /** Number of the ring of each edge, in the order of `rings`. */
  readonly ring: Uint32Array;
  /** The rows of the window that any ring reaches; none if `top >= bottom`. */
  readonly top: number;
  readonly bottom: number;
  readonly #last: Int32Array;
  /** First edge that begins in a row, and the next edge of the same row; -1 for none. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #active: Uint32Array;
  #count = 0;

  constructor(rings: readonly Chain[], window: Rows) {
    const most = rings.reduce((sum, { xy }) => sum + xy.length / 2, 0);
    this.ends = new Float64Array(4 * most);
    this.ring = new Uint32Array(most);
    this.#last = new Int32Array(most);
    this.#next = new Int32Array(most);
    const firsts = new Int32Array(most);
    let [edges, top, bottom] = [0, window.bottom, window.top];
    for (const [n, { xy }] of rings.entries())
      for (let from = 0; from < xy.length; from += 2) {
        const to = from + 2 < xy.length ? from + 2 : 0;
        const [ay, by] = [xy[from + 1]!, xy[to + 1]!];
        const [low, high] = ay < by ? [ay, by] : [by, ay];
        // The closing edge of a closed ring has no length.
        if (!(high >= window.top && low <= window.bottom) || (ay === by && xy[from] === xy[to])) continue;
        this.ends[4 * edges] = xy[from]!;
        this.ends[4 * edges + 1] = ay;
        this.ends[4 * edges + 2] = xy[to]!;
        this.ends[4 * edges + 3] = by;
        this.ring[edges] = n;
        firsts[edges] = Math.min(Math.max(Math.floor(low), window.top), window.bottom - 1);
        this.#last[edges] = Math.min(Math.floor(high), window.bottom - 1);
        top = Math.min(top, firsts[edges]!);
        bottom = Math.max(bottom, this.#last[edges]! + 1);
        edges++;
      }
    this.top = top;
    this.bottom = bottom;
    this.#heads = new Int32Array(Math.max(0, bottom - top)).fill(-1);
    for (let edge = edges - 1; edge >= 0; edge--) {
      const row = firsts[edge]! - top;
      this.#next[edge] = this.#heads[row]!;
      this.#heads[row] = edge;
    }
    this.#active = new Uint32Array(edges);
  }

  /** The edges that reach a row. Call with each row once, from `top` on. */
  enter(row: number): Uint32Array {
    let kept = 0;
    for (let n = 0; n < this.#count; n++)
      if (this.#last[this.#active[n]!]! >= row) this.#active[kept++] = this.#active[n]!;
    for (let edge = this.#heads[row - this.top]!; edge >= 0; edge = this.#next[edge]!) this.#active[kept++] = edge;
    this.#count = kept;
    return this.#active.subarray(0, kept);
  }
}
