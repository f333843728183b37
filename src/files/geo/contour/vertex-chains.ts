import { ConversionError } from '../../errors.ts';

/** Maximum number of vertices in memory at once, of 25 bytes each. */
const maxVertices = 2 ** 25;

/** A line or a ring that is whole, taken out of the memory. */
export interface WholeChain {
  readonly closed: boolean;
  /** x and y of the vertices; a ring ends where it begins. */
  readonly xy: Float64Array;
}

/**
 * Vertices that are linked to lines and rings in any order. Each has at most one next and one previous vertex. The
 * memory of whole chains is used again.
 */
export class VertexChains {
  #x = new Float64Array(1024);
  #y = new Float64Array(1024);
  /** The next vertex; of a free one the next free one. */
  #next = new Int32Array(1024);
  /** Of the first and the last vertex of a chain: the other one. */
  #otherEnd = new Int32Array(1024);
  /** 1: the vertex is an end of a line. */
  #isEnd = new Uint8Array(1024);
  #used = 0;
  #free = -1;

  /** @param isEnd no more than one link will lead to the vertex or from it */
  add(x: number, y: number, isEnd = false): number {
    let vertex = this.#free;
    if (vertex >= 0) this.#free = this.#next[vertex]!;
    else {
      vertex = this.#used++;
      if (vertex === this.#next.length) this.#grow();
    }
    this.#x[vertex] = x;
    this.#y[vertex] = y;
    this.#next[vertex] = -1;
    this.#otherEnd[vertex] = vertex;
    this.#isEnd[vertex] = isEnd ? 1 : 0;
    return vertex;
  }

  /** Links two vertices, and returns the chain if that made it whole: a ring, or a line between two ends. */
  link(from: number, to: number): WholeChain | undefined {
    const first = this.#otherEnd[from]!;
    const last = this.#otherEnd[to]!;
    this.#next[from] = to;
    if (first === to) return this.#take(to, from, true);
    this.#otherEnd[first] = last;
    this.#otherEnd[last] = first;
    return this.#isEnd[first] === 1 && this.#isEnd[last] === 1 ? this.#take(first, last, false) : undefined;
  }

  #take(first: number, last: number, closed: boolean): WholeChain {
    let count = closed ? 2 : 1;
    for (let vertex = first; vertex !== last; vertex = this.#next[vertex]!) count++;
    const xy = new Float64Array(2 * count);
    let at = 0;
    for (let vertex = first; ; vertex = this.#next[vertex]!) {
      xy[at++] = this.#x[vertex]!;
      xy[at++] = this.#y[vertex]!;
      if (vertex === last) break;
    }
    if (closed) {
      xy[at++] = xy[0]!;
      xy[at] = xy[1]!;
    }
    this.#next[last] = this.#free;
    this.#free = first;
    return { closed, xy };
  }

  #grow(): void {
    if (this.#used > maxVertices)
      throw new ConversionError(
        `The contours need more than ${maxVertices.toLocaleString('en')} points in memory at once. Use fewer levels, a part of the area, or larger cells.`,
      );
    const grown = <A extends Float64Array | Int32Array | Uint8Array>(from: A): A => {
      const to = new (from.constructor as new (length: number) => A)(2 * from.length);
      to.set(from);
      return to;
    };
    this.#x = grown(this.#x);
    this.#y = grown(this.#y);
    this.#next = grown(this.#next);
    this.#otherEnd = grown(this.#otherEnd);
    this.#isEnd = grown(this.#isEnd);
  }
}
