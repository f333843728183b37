import type { Rings } from './rings.ts';

/** Rings with fewer edges are not indexed. */
const few = 64;
/** Maximum number of strips in which an edge is listed, on average. */
const maxStripsPerEdge = 4;

/**
 * Locates points relative to a ring. From the second point on, the edges of a large ring are indexed by horizontal
 * strips.
 */
export class PointInRing {
  /** Edges that the last `locate` tested. */
  visited = 0;
  readonly #first: number;
  readonly #end: number;
  readonly #south: number;
  readonly #north: number;
  readonly #coordinates: Float64Array;
  readonly #stride: number;
  #located = 0;
  /** Edges of strip `n`: `edges[starts[n]] … edges[starts[n + 1] - 1]`. */
  #strips: { starts: Uint32Array; edges: Uint32Array; height: number } | undefined;

  constructor(rings: Rings, n: number) {
    this.#first = rings.first(n);
    this.#end = rings.end(n);
    this.#south = rings.boxes[4 * n + 1]!;
    this.#north = rings.boxes[4 * n + 3]!;
    this.#coordinates = rings.coordinates;
    this.#stride = rings.stride;
  }

  get isLarge(): boolean {
    return this.#end - this.#first > few;
  }

  /** Returns 1 inside, -1 outside, 0 on the boundary. */
  locate(x: number, y: number): number {
    if (!(y >= this.#south && y <= this.#north)) {
      this.visited = 1;
      return -1;
    }
    if (this.#strips === undefined && this.isLarge && this.#located++ > 0) this.#strips = this.#index();
    let inside = false;
    const strips = this.#strips;
    if (strips === undefined) {
      this.visited = this.#end - this.#first;
      for (let i = this.#first; i < this.#end; i++) {
        const crossing = this.#crossing(i, x, y);
        if (crossing === 0) return 0;
        if (crossing > 0) inside = !inside;
      }
      return inside ? 1 : -1;
    }
    const strip = this.#stripOf(y, strips.height, strips.starts.length - 1);
    const end = strips.starts[strip + 1]!;
    this.visited = end - strips.starts[strip]! + 1;
    for (let k = strips.starts[strip]!; k < end; k++) {
      const crossing = this.#crossing(strips.edges[k]!, x, y);
      if (crossing === 0) return 0;
      if (crossing > 0) inside = !inside;
    }
    return inside ? 1 : -1;
  }

  /** Tests the edge that ends at vertex `i`: 0 if the point lies on it, 1 if a ray to the east crosses it, else -1. */
  #crossing(i: number, x: number, y: number): number {
    const coordinates = this.#coordinates;
    const a = i * this.#stride;
    const b = (i === this.#first ? this.#end - 1 : i - 1) * this.#stride;
    const xi = coordinates[a]!;
    const yi = coordinates[a + 1]!;
    const xj = coordinates[b]!;
    const yj = coordinates[b + 1]!;
    const cross = (xj - xi) * (y - yi) - (yj - yi) * (x - xi);
    if (cross === 0 && x >= Math.min(xi, xj) && x <= Math.max(xi, xj) && y >= Math.min(yi, yj) && y <= Math.max(yi, yj))
      return 0;
    return yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi ? 1 : -1;
  }

  #index() {
    const coordinates = this.#coordinates;
    const [first, end, stride] = [this.#first, this.#end, this.#stride];
    const count = end - first;
    const ringHeight = this.#north - this.#south;
    const yBefore = (i: number) => coordinates[(i === first ? end - 1 : i - 1) * stride + 1]!;
    let edgeHeights = 0;
    for (let i = first; i < end; i++) edgeHeights += Math.abs(coordinates[i * stride + 1]! - yBefore(i));
    const maxStrips = Math.floor(((maxStripsPerEdge - 1) * count * ringHeight) / edgeHeights);
    const strips = Math.max(1, Math.min(count, maxStrips) || 1);
    const height = ringHeight / strips;
    const starts = new Uint32Array(strips + 1);
    const eachStrip = (visit: (strip: number, edge: number) => void) => {
      for (let i = first; i < end; i++) {
        const a = this.#stripOf(coordinates[i * stride + 1]!, height, strips);
        const b = this.#stripOf(yBefore(i), height, strips);
        for (let strip = Math.min(a, b); strip <= Math.max(a, b); strip++) visit(strip, i);
      }
    };
    eachStrip((strip) => starts[strip + 1]!++);
    for (let strip = 0; strip < strips; strip++) starts[strip + 1]! += starts[strip]!;
    const edges = new Uint32Array(starts[strips]!);
    const next = starts.slice();
    eachStrip((strip, edge) => {
      edges[next[strip]!++] = edge;
    });
    return { starts, edges, height };
  }

  /**
   * Strip of a latitude. Monotonic in `y` despite rounding, so an edge is listed in every strip that contains one of
   * its points.
   */
  #stripOf(y: number, height: number, strips: number): number {
    const strip = Math.floor((y - this.#south) / height);
    return strip > 0 ? Math.min(strip, strips - 1) : 0;
  }
}
