import type { Levels } from './levels.ts';
import { VertexChains, type WholeChain } from './vertex-chains.ts';

/** A corner of a cell or the end of an edge, with its value and the number of the value among the levels. */
export interface Corner {
  readonly x: number;
  readonly y: number;
  readonly value: number;
  readonly number: number;
}

/** A contour, or a ring around a part of a band, with the number of its level or of the band's lower level. */
export interface NumberedChain extends WholeChain {
  readonly number: number;
}

/**
 * Edge where a segment begins and edge where it ends, by the corners that are not below the level (bits 1, 2, 4, 8), of
 * a square or (bits 1, 2, 4) a triangle. Corners run clockwise, edge n leads from corner n to the next. A segment
 * leads from where a clockwise walk goes down to where it goes up, so higher ground is to its right.
 */
const squareFrom = Int8Array.of(-1, 0, 1, 1, 2, -1, 2, 2, 3, 0, -1, 1, 3, 0, 3, -1);
const squareTo = Int8Array.of(-1, 3, 0, 3, 1, -1, 0, 3, 2, 2, -1, 2, 1, 1, 0, -1);
const triangleFrom = Int8Array.of(-1, 0, 1, 1, 2, 0, 2, -1);
const triangleTo = Int8Array.of(-1, 2, 0, 2, 1, 1, 0, -1);

/** Initial length of the list of vertices. */
const initialLength = 1024;

/**
 * Links the segments of contours in cells to lines, or to the rings of the bands between levels. A vertex keeps a
 * small distance to the ends of its edge and to its neighbours, so that rings neither touch nor cross each other,
 * whatever the values are. Coordinates have y downwards, as rows of a grid.
 */
export class ContourBuilder {
  readonly levels: Levels;
  readonly bands: boolean;
  /** Lines and rings that are whole; the caller empties the list. */
  readonly whole: NumberedChain[] = [];
  readonly #chains = new VertexChains();
  /** Vertices per crossing: of a line; of the ring in the upper band and the one in the lower band. */
  readonly #perCrossing: number;
  /** Per edge the number of its lowest level, then its vertices by level. */
  #edges = new Int32Array(initialLength);
  #length = 0;
  /** The edges of the present cell. */
  readonly #sides = new Int32Array(4);

  /** @param bands whether to make rings around bands instead of lines */
  constructor(levels: Levels, bands: boolean) {
    this.levels = levels;
    this.bands = bands;
    this.#perCrossing = bands ? 2 : 1;
  }

  /** The end of the list of edges. */
  get mark(): number {
    return this.#length;
  }

  /** Forgets all edges but those between two marks, and returns by how much the numbers of these decrease. */
  keep(from: number, to: number): number {
    this.#edges.copyWithin(0, from, to);
    this.#length = to - from;
    return from;
  }

  /**
   * Makes the vertices where levels cross an edge, and returns the number of the edge.
   * @param apart the least distance of vertices to the ends and to each other, as a share of the edge
   * @param onBorder whether the data end at the edge
   */
  edge(p: Corner, q: Corner, apart: number, onBorder: boolean): number {
    return this.edgeBetween(p.x, p.y, p.value, p.number, q.x, q.y, q.value, q.number, apart, onBorder);
  }

  /** As `edge`, by the members of both corners: a grid has so many that making objects of them takes long. */
  edgeBetween(
    px: number,
    py: number,
    pValue: number,
    pNumber: number,
    qx: number,
    qy: number,
    qValue: number,
    qNumber: number,
    apart: number,
    onBorder: boolean,
  ): number {
    // From the lower end of the edge, so that shares increase with the level.
    if (pNumber > qNumber) return this.edgeBetween(qx, qy, qValue, qNumber, px, py, pValue, pNumber, apart, onBorder);
    const edge = this.#length;
    const count = qNumber - pNumber;
    this.#reserve(1 + count * this.#perCrossing);
    this.#edges[this.#length++] = pNumber + 1;
    for (let n = 0; n < count; n++) {
      const share = (this.levels.at(pNumber + 1 + n) - pValue) / (qValue - pValue);
      const from = Math.max(apart * (n + 1), Number.isNaN(share) ? 0 : share);
      const t = count === 1 ? Math.min(from, 1 - apart) : this.#apartFromLast(from, n, count, apart);
      this.#crossing(pNumber + 1 + n, px + t * (qx - px), py + t * (qy - py), onBorder);
    }
    return edge;
  }

  #last = 0;

  #apartFromLast(share: number, n: number, count: number, apart: number): number {
    const least = n === 0 ? share : Math.max(share, this.#last + apart);
    // Where too many levels cross an edge for that distance, they share it evenly.
    const most = 1 - apart * (count - n);
    this.#last = apart * (count + 1) < 1 ? Math.min(least, most) : (n + 1) / (count + 1);
    return this.#last;
  }

  #crossing(level: number, x: number, y: number, onBorder: boolean): void {
    if (!this.bands) this.#edges[this.#length++] = this.#chains.add(x, y, onBorder);
    else
      for (const band of [level, level - 1])
        this.#edges[this.#length++] = this.levels.isBand(band) ? this.#chains.add(x, y) : -1;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#edges.length) return;
    const grown = new Int32Array(Math.max(2 * this.#edges.length, this.#length + count));
    grown.set(this.#edges);
    this.#edges = grown;
  }

  /** A vertex on the border of the data; -1 if its value lies in no band. */
  borderVertex(x: number, y: number, band: number): number {
    return this.levels.isBand(band) ? this.#chains.add(x, y) : -1;
  }

  /** A place for the number of a vertex among the edges. */
  storeVertex(vertex: number): number {
    this.#reserve(1);
    this.#edges[this.#length] = vertex;
    return this.#length++;
  }

  storedVertex(at: number): number {
    return this.#edges[at]!;
  }

  /** Segments in a square, whose corners and edges run clockwise. `middle` is the mean of its corners. */
  square(
    a: number,
    b: number,
    c: number,
    d: number,
    middle: number,
    ab: number,
    bc: number,
    cd: number,
    da: number,
  ): void {
    const sides = this.#sides;
    sides[0] = ab;
    sides[1] = bc;
    sides[2] = cd;
    sides[3] = da;
    const end = Math.max(a, b, c, d);
    for (let level = Math.min(a, b, c, d) + 1; level <= end; level++) {
      const high = (a >= level ? 1 : 0) | (b >= level ? 2 : 0) | (c >= level ? 4 : 0) | (d >= level ? 8 : 0);
      if (high === 5 || high === 10) {
        // A saddle: if its middle is high, the segments cut off the low corners, else the high ones.
        const first = high === 5 ? 0 : 1;
        const step = this.levels.numberOf(middle) >= level ? 1 : 3;
        this.#segment(level, first, (first + step) & 3);
        this.#segment(level, first + 2, (first + 2 + step) & 3);
      } else this.#segment(level, squareFrom[high]!, squareTo[high]!);
    }
  }

  /** Segments in a triangle, whose corners and edges run clockwise. */
  triangle(a: number, b: number, c: number, ab: number, bc: number, ca: number): void {
    const sides = this.#sides;
    sides[0] = ab;
    sides[1] = bc;
    sides[2] = ca;
    const end = Math.max(a, b, c);
    for (let level = Math.min(a, b, c) + 1; level <= end; level++) {
      const high = (a >= level ? 1 : 0) | (b >= level ? 2 : 0) | (c >= level ? 4 : 0);
      this.#segment(level, triangleFrom[high]!, triangleTo[high]!);
    }
  }

  #vertexAt(edge: number, level: number): number {
    return edge + 1 + (level - this.#edges[edge]!) * this.#perCrossing;
  }

  #segment(level: number, fromSide: number, toSide: number): void {
    const edges = this.#edges;
    const from = this.#vertexAt(this.#sides[fromSide]!, level);
    const to = this.#vertexAt(this.#sides[toSide]!, level);
    this.#link(level, edges[from]!, edges[to]!);
    if (this.bands) this.#link(level - 1, edges[to + 1]!, edges[from + 1]!);
  }

  /**
   * The parts of an edge on the border of the data, walked clockwise around its cell from one vertex to another.
   * @param p number of the value at its start
   * @param q number of the value at its end
   */
  border(edge: number, p: number, q: number, start: number, end: number): void {
    let from = start;
    for (let level = p + 1; level <= q; level++) {
      const at = this.#vertexAt(edge, level);
      this.#link(level - 1, from, this.#edges[at + 1]!);
      from = this.#edges[at]!;
    }
    for (let level = p; level > q; level--) {
      const at = this.#vertexAt(edge, level);
      this.#link(level, from, this.#edges[at]!);
      from = this.#edges[at + 1]!;
    }
    this.#link(q, from, end);
  }

  #link(number: number, from: number, to: number): void {
    if (from < 0 || to < 0) return;
    const chain = this.#chains.link(from, to);
    if (chain !== undefined) this.whole.push({ ...chain, number });
  }
}
