import { incircle } from 'robust-predicates';
import { grown } from '../../data/number-list.ts';
import { orient2d } from '../vector/orient2d.ts';

/** What a triangulation starts with. Triangles run counter-clockwise. */
export interface InitialTriangulation {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
  /** Three vertices per triangle. Half-edge 3 · t + k runs from vertex k of triangle t to the next one. */
  readonly triangles: Int32Array;
  /** For each half-edge, its twin in the neighbouring triangle; -1 on the outer boundary. */
  readonly halfedges: Int32Array;
  /** Number of the input segment of which each half-edge is a part; -1 for none. */
  readonly segments: Int32Array;
  /** Number of the region of each triangle; -1 outside. */
  readonly regions: Int32Array;
}

export const nextEdge = (edge: number): number => (edge % 3 === 2 ? edge - 2 : edge + 1);
export const previousEdge = (edge: number): number => (edge % 3 === 0 ? edge + 2 : edge - 1);

/**
 * A constrained Delaunay triangulation to which vertices can be added (Lawson 1977). Parts of segments are never
 * flipped.
 */
export class Triangulation {
  x: Float64Array;
  y: Float64Array;
  z: Float64Array;
  triangles: Int32Array;
  halfedges: Int32Array;
  segments: Int32Array;
  regions: Int32Array;
  /** Segment on which an added vertex lies; -1 for the vertices of the start and for those inside. */
  segmentOf: Int32Array;
  vertexCount: number;
  triangleCount: number;

  constructor({ x, y, z, triangles, halfedges, segments, regions }: InitialTriangulation) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.triangles = triangles;
    this.halfedges = halfedges;
    this.segments = segments;
    this.regions = regions;
    this.segmentOf = new Int32Array(x.length).fill(-1);
    this.vertexCount = x.length;
    this.triangleCount = regions.length;
  }

  /** Adds a vertex inside a triangle. Returns a half-edge that starts at it. */
  splitTriangle(triangle: number, x: number, y: number): number {
    const { triangles } = this;
    const e = 3 * triangle;
    const [a, b, c] = [triangles[e]!, triangles[e + 1]!, triangles[e + 2]!];
    const p = this.#addVertex(x, y, this.#heightIn(a, b, c, x, y), -1);
    const [second, third] = [this.#addTriangle(triangle), this.#addTriangle(triangle)];
    const [beyondB, beyondC] = [this.halfedges[e + 1]!, this.halfedges[e + 2]!];
    const [segmentB, segmentC] = [this.segments[e + 1]!, this.segments[e + 2]!];
    this.#setVertices(triangle, a, b, p);
    this.#setVertices(second, b, c, p);
    this.#setVertices(third, c, a, p);
    this.#link(3 * second, beyondB, segmentB);
    this.#link(3 * third, beyondC, segmentC);
    this.#link(e + 1, 3 * second + 2, -1);
    this.#link(3 * second + 1, 3 * third + 2, -1);
    this.#link(3 * third + 1, e + 2, -1);
    this.#legalize([e, 3 * second, 3 * third]);
    return this.edgeFrom(p, triangle, second, third);
  }

  /** Adds a vertex on an edge. Returns a half-edge that starts at it. */
  splitEdge(edge: number, x: number, y: number): number {
    const { triangles } = this;
    const [a, b] = [triangles[edge]!, triangles[nextEdge(edge)]!];
    const opposite = this.halfedges[edge]!;
    const segment = this.segments[edge]!;
    const share = this.#distance(a, x, y) / (this.#distance(a, x, y) + this.#distance(b, x, y) || 1);
    const p = this.#addVertex(x, y, this.z[a]! + share * (this.z[b]! - this.z[a]!), segment);
    const outer: number[] = [];
    const upper = this.#splitSide(edge, p, outer);
    if (opposite >= 0) {
      const lower = this.#splitSide(opposite, p, outer);
      // Half-edges a → p and p → b, and their opposites.
      this.#link(upper.first, lower.second, segment);
      this.#link(upper.second, lower.first, segment);
    } else {
      this.#link(upper.first, -1, segment);
      this.#link(upper.second, -1, segment);
    }
    this.#legalize(outer);
    return this.edgeFrom(p, Math.floor(upper.first / 3), Math.floor(upper.second / 3));
  }

  /**
   * Splits the triangle of a half-edge from its opposite corner to `p`. Returns the half-edges from its start to p, and
   * from p to its end.
   */
  #splitSide(edge: number, p: number, outer: number[]): { first: number; second: number } {
    const { triangles } = this;
    const triangle = Math.floor(edge / 3);
    const [to, from] = [nextEdge(edge), previousEdge(edge)];
    const [a, b, c] = [triangles[edge]!, triangles[to]!, triangles[from]!];
    const [beyondTo, beyondFrom] = [this.halfedges[to]!, this.halfedges[from]!];
    const [segmentTo, segmentFrom] = [this.segments[to]!, this.segments[from]!];
    const other = this.#addTriangle(triangle);
    this.#setVertices(triangle, a, p, c);
    this.#setVertices(other, p, b, c);
    this.#link(3 * triangle + 2, beyondFrom, segmentFrom);
    this.#link(3 * other + 1, beyondTo, segmentTo);
    this.#link(3 * triangle + 1, 3 * other + 2, -1);
    outer.push(3 * triangle + 2, 3 * other + 1);
    return { first: 3 * triangle, second: 3 * other };
  }

  /** A half-edge that starts at a vertex of one of these triangles. Flips keep a triangle at a new vertex. */
  edgeFrom(vertex: number, ...candidates: readonly number[]): number {
    for (const triangle of candidates)
      for (let edge = 3 * triangle; edge < 3 * triangle + 3; edge++) if (this.triangles[edge] === vertex) return edge;
    throw new Error(`No triangle has the vertex ${vertex}.`);
  }

  /** Half-edges that start at the same vertex as the given one, those without a triangle left out. */
  edgesAround(edge: number): number[] {
    const edges = [edge];
    // Counter-clockwise, then from the start clockwise where the border was met.
    let at = this.halfedges[previousEdge(edge)]!;
    for (; at >= 0 && at !== edge; at = this.halfedges[previousEdge(at)]!) edges.push(at);
    if (at === edge) return edges;
    for (let back = this.halfedges[edge]!; back >= 0; ) {
      const found = nextEdge(back);
      edges.push(found);
      back = this.halfedges[found]!;
    }
    return edges;
  }

  /** Positive if the vertex at (x, y) lies inside the circle through the corners of a triangle. */
  inCircumcircle(triangle: number, x: number, y: number): number {
    const [a, b, c] = [
      this.triangles[3 * triangle]!,
      this.triangles[3 * triangle + 1]!,
      this.triangles[3 * triangle + 2]!,
    ];
    return incircle(this.x[a]!, this.y[a]!, this.x[b]!, this.y[b]!, this.x[c]!, this.y[c]!, x, y);
  }

  /** On which side of a half-edge a point lies: positive on that of its triangle. */
  sideOf(edge: number, x: number, y: number): number {
    const [a, b] = [this.triangles[edge]!, this.triangles[nextEdge(edge)]!];
    return orient2d(this.x[a]!, this.y[a]!, this.x[b]!, this.y[b]!, x, y);
  }

  #legalize(stack: number[]): void {
    for (let edge = stack.pop(); edge !== undefined; edge = stack.pop()) {
      const opposite = this.halfedges[edge]!;
      if (opposite < 0 || this.segments[edge]! >= 0) continue;
      const far = this.triangles[previousEdge(opposite)]!;
      if (this.inCircumcircle(Math.floor(edge / 3), this.x[far]!, this.y[far]!) <= 0) continue;
      this.#flip(edge, opposite);
      // The half-edges that now lie opposite of the corner that the edge was tested from.
      stack.push(edge, nextEdge(opposite));
    }
  }

  /**
   * Replaces the edge a → b between the corners p and q by p → q. Afterwards `edge` runs q → b … as set below, beside
   * corner p.
   */
  #flip(edge: number, opposite: number): void {
    const { triangles, halfedges, segments } = this;
    const [t, u] = [Math.floor(edge / 3), Math.floor(opposite / 3)];
    const [toP, fromP] = [nextEdge(edge), previousEdge(edge)];
    const [toQ, fromQ] = [nextEdge(opposite), previousEdge(opposite)];
    const [a, b] = [triangles[edge]!, triangles[toP]!];
    const [p, q] = [triangles[fromP]!, triangles[fromQ]!];
    const around = [fromP, toQ, fromQ, toP].map((one) => [halfedges[one]!, segments[one]!] as const);
    const offset = edge - 3 * t;
    const other = opposite - 3 * u;
    // Triangle t becomes (a, q, p) with `edge` as a → q; triangle u becomes (q, b, p) with the edge after `opposite` as
    // q → b.
    const [tEdges, uEdges] = [
      [0, 1, 2].map((k) => 3 * t + ((offset + k) % 3)),
      [0, 1, 2].map((k) => 3 * u + ((other + k) % 3)),
    ];
    triangles[tEdges[0]!] = a;
    triangles[tEdges[1]!] = q;
    triangles[tEdges[2]!] = p;
    triangles[uEdges[0]!] = p;
    triangles[uEdges[1]!] = q;
    triangles[uEdges[2]!] = b;
    this.#link(tEdges[2]!, ...around[0]!); // p → a
    this.#link(tEdges[0]!, ...around[1]!); // a → q
    this.#link(uEdges[1]!, ...around[2]!); // q → b
    this.#link(uEdges[2]!, ...around[3]!); // b → p
    this.#link(tEdges[1]!, uEdges[0]!, -1); // q → p
  }

  #heightIn(a: number, b: number, c: number, x: number, y: number): number {
    const area = (i: number, j: number) => (this.x[i]! - x) * (this.y[j]! - y) - (this.x[j]! - x) * (this.y[i]! - y);
    const [wa, wb, wc] = [area(b, c), area(c, a), area(a, b)];
    const sum = wa + wb + wc;
    return sum === 0 ? this.z[a]! : (wa * this.z[a]! + wb * this.z[b]! + wc * this.z[c]!) / sum;
  }

  #distance(vertex: number, x: number, y: number): number {
    return Math.hypot(this.x[vertex]! - x, this.y[vertex]! - y);
  }

  #setVertices(triangle: number, a: number, b: number, c: number): void {
    this.triangles[3 * triangle] = a;
    this.triangles[3 * triangle + 1] = b;
    this.triangles[3 * triangle + 2] = c;
  }

  #link(edge: number, opposite: number, segment: number): void {
    this.halfedges[edge] = opposite;
    this.segments[edge] = segment;
    if (opposite < 0) return;
    this.halfedges[opposite] = edge;
    this.segments[opposite] = segment;
  }

  #addVertex(x: number, y: number, z: number, segment: number): number {
    if (this.vertexCount === this.x.length) {
      this.x = grown(this.x);
      this.y = grown(this.y);
      this.z = grown(this.z);
      this.segmentOf = grown(this.segmentOf);
    }
    const vertex = this.vertexCount++;
    this.x[vertex] = x;
    this.y[vertex] = y;
    this.z[vertex] = z;
    this.segmentOf[vertex] = segment;
    return vertex;
  }

  /** In the region of another triangle. */
  #addTriangle(like: number): number {
    if (this.triangleCount === this.regions.length) {
      this.regions = grown(this.regions);
      this.triangles = grown(this.triangles);
      this.halfedges = grown(this.halfedges);
      this.segments = grown(this.segments);
    }
    const triangle = this.triangleCount++;
    this.regions[triangle] = this.regions[like]!;
    return triangle;
  }
}
