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
  /** x and y of each vertex. */
  #xy = new Float64Array(2048);
  /**
   * Of each vertex the next one, of a free one the next free one; and of the first and the last vertex of a chain the
   * other one. Numbers of a vertex stand side by side, as chains lead all over the memory.
   */
  #links = new Int32Array(2048);
  /** 1: the vertex is an end of a line. */
  #isEnd = new Uint8Array(1024);
  #used = 0;
  #free = -1;
  /** Vertices of the chain that is taken out. */
  #taken = new Float64Array(2048);

  /** @param isEnd no more than one link will lead to the vertex or from it */
  add(x: number, y: number, isEnd = false): number {
    let vertex = this.#free;
    if (vertex >= 0) this.#free = this.#links[2 * vertex]!;
    else {
      vertex = this.#used++;
      if (vertex === this.#isEnd.length) this.#grow();
    }
    this.#xy[2 * vertex] = x;
    this.#xy[2 * vertex + 1] = y;
    this.#links[2 * vertex] = -1;
    this.#links[2 * vertex + 1] = vertex;
    this.#isEnd[vertex] = isEnd ? 1 : 0;
    return vertex;
  }

  /** Links two vertices, and returns the chain if that made it whole: a ring, or a line between two ends. */
  link(from: number, to: number): WholeChain | undefined {
    const links = this.#links;
    const first = links[2 * from + 1]!;
    const last = links[2 * to + 1]!;
    links[2 * from] = to;
    if (first === to) return this.#take(to, from, true);
    links[2 * first + 1] = last;
    links[2 * last + 1] = first;
    return this.#isEnd[first] === 1 && this.#isEnd[last] === 1 ? this.#take(first, last, false) : undefined;
  }

  #take(first: number, last: number, closed: boolean): WholeChain {
    const [xy, links] = [this.#xy, this.#links];
    let taken = this.#taken;
    let at = 0;
    for (let vertex = first; ; vertex = links[2 * vertex]!) {
      // With room for the first vertex of a ring once more.
      if (at + 4 > taken.length) {
        this.#taken = new Float64Array(2 * taken.length);
        this.#taken.set(taken);
        taken = this.#taken;
      }
      taken[at++] = xy[2 * vertex]!;
      taken[at++] = xy[2 * vertex + 1]!;
      if (vertex === last) break;
    }
    if (closed) {
      taken[at++] = taken[0]!;
      taken[at++] = taken[1]!;
    }
    links[2 * last] = this.#free;
    this.#free = first;
    return { closed, xy: taken.slice(0, at) };
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
    this.#xy = grown(this.#xy);
    this.#links = grown(this.#links);
    this.#isEnd = grown(this.#isEnd);
  }
}
