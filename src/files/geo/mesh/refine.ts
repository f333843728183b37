import { nextEdge, previousEdge, type Triangulation } from './triangulation.ts';

export interface RefinementLimits {
  /** In square units of the coordinates. */
  readonly maximumArea: number;
  /** Degrees. */
  readonly minimumAngle: number;
  /** Stops with `TooManyTriangles` beyond it. */
  readonly maximumTriangles: number;
}

export class TooManyTriangles extends Error {}

/** A split never makes parts of a segment shorter than this share of the size of the whole. */
const shortest = 1e-9;
/** Two added vertices have the same distance from a corner if their distances differ by less than this share. */
const sameShell = 1e-3;

/**
 * Ruppert's Delaunay refinement (1995): adds vertices until no triangle inside is larger or has a smaller angle than
 * allowed. A segment with a vertex in its diametral circle is split; a bad triangle gets a vertex at its circumcentre.
 * Angles between segments stay, and triangles across one that is too small are left as they are (concentric shells).
 */
export function refine(mesh: Triangulation, corners: Int32Array, limits: RefinementLimits, signal: AbortSignal): void {
  new Refinement(mesh, corners, limits, signal).run();
}

class Refinement {
  readonly #mesh: Triangulation;
  /** Both ends of each input segment. */
  readonly #corners: Int32Array;
  readonly #limits: RefinementLimits;
  readonly #signal: AbortSignal;
  /** Square of the cosine of the smallest angle. */
  readonly #cosine: number;
  readonly #tooShort: number;
  readonly #inputVertices: number;
  /**
   * Half-edges of encroached parts of segments, with their ends: a half-edge may be another one when its turn comes.
   */
  readonly #encroached: [edge: number, from: number, to: number][] = [];
  readonly #bad: [triangle: number, a: number, b: number, c: number][] = [];

  constructor(mesh: Triangulation, corners: Int32Array, limits: RefinementLimits, signal: AbortSignal) {
    this.#mesh = mesh;
    this.#corners = corners;
    this.#limits = limits;
    this.#signal = signal;
    this.#cosine = Math.cos((limits.minimumAngle * Math.PI) / 180);
    this.#inputVertices = mesh.vertexCount;
    let [least, most] = [Infinity, -Infinity];
    for (let n = 0; n < mesh.vertexCount; n++) {
      least = Math.min(least, mesh.x[n]!, mesh.y[n]!);
      most = Math.max(most, mesh.x[n]!, mesh.y[n]!);
    }
    this.#tooShort = shortest * Math.max(most - least, Math.abs(most), Math.abs(least));
  }

  run(): void {
    for (let edge = 0; edge < 3 * this.#mesh.triangleCount; edge++) this.#checkSegment(edge);
    for (let triangle = 0; triangle < this.#mesh.triangleCount; triangle++) this.#checkTriangle(triangle);
    // A queue of triangles: old ones first, so that the mesh becomes fine evenly.
    let first = 0;
    for (let rounds = 0; ; rounds++) {
      if (rounds % 4096 === 0) this.#signal.throwIfAborted();
      const segment = this.#encroached.pop();
      if (segment !== undefined) {
        this.#splitSegment(...segment);
        continue;
      }
      const triangle = this.#bad[first];
      if (triangle === undefined) return;
      first++;
      this.#improve(...triangle);
      if (first > 1 << 16 && first > this.#bad.length / 2) {
        this.#bad.splice(0, first);
        first = 0;
      }
    }
  }

  #isPart(edge: number, from: number, to: number): boolean {
    const { triangles, segments } = this.#mesh;
    return segments[edge]! >= 0 && triangles[edge] === from && triangles[nextEdge(edge)] === to;
  }

  #splitSegment(edge: number, from: number, to: number): void {
    const mesh = this.#mesh;
    if (!this.#isPart(edge, from, to)) return;
    const length = Math.hypot(mesh.x[to]! - mesh.x[from]!, mesh.y[to]! - mesh.y[from]!);
    if (length < 2 * this.#tooShort) return;
    const share = this.#shareOf(from, to, length);
    const x = mesh.x[from]! + share * (mesh.x[to]! - mesh.x[from]!);
    const y = mesh.y[from]! + share * (mesh.y[to]! - mesh.y[from]!);
    this.#room();
    this.#checkAround(mesh.splitEdge(edge, x, y));
  }

  /**
   * Where a part of a segment is split: in the middle, next to a corner at a power of two, so that shells of neighbours
   * meet.
   */
  #shareOf(from: number, to: number, length: number): number {
    const [fromCorner, toCorner] = [from < this.#inputVertices, to < this.#inputVertices];
    if (fromCorner === toCorner) return 0.5;
    const share = 2 ** Math.round(Math.log2(length / 2)) / length;
    return fromCorner ? share : 1 - share;
  }

  #room(): void {
    if (this.#mesh.triangleCount >= this.#limits.maximumTriangles) throw new TooManyTriangles();
  }

  /** Tests segments and triangles around a new vertex. */
  #checkAround(edge: number): void {
    for (const one of this.#mesh.edgesAround(edge)) {
      const first = 3 * Math.floor(one / 3);
      for (let side = first; side < first + 3; side++) {
        this.#checkSegment(side);
        const opposite = this.#mesh.halfedges[side]!;
        if (opposite >= 0 && this.#mesh.segments[side]! >= 0) this.#checkSegment(opposite);
      }
      this.#checkTriangle(first / 3);
    }
  }

  /** Whether the corner opposite of a part of a segment lies in its diametral circle: there the angle is obtuse. */
  #checkSegment(edge: number): void {
    const { triangles, segments, regions, x, y } = this.#mesh;
    if (segments[edge]! < 0 || regions[Math.floor(edge / 3)]! < 0) return;
    const [from, to] = [triangles[edge]!, triangles[nextEdge(edge)]!];
    const corner = triangles[previousEdge(edge)]!;
    if (this.#inDiametralCircle(from, to, x[corner]!, y[corner]!)) this.#encroached.push([edge, from, to]);
  }

  #inDiametralCircle(from: number, to: number, px: number, py: number): boolean {
    const { x, y } = this.#mesh;
    return (x[from]! - px) * (x[to]! - px) + (y[from]! - py) * (y[to]! - py) < 0;
  }

  #checkTriangle(triangle: number): void {
    const { triangles, regions } = this.#mesh;
    if (regions[triangle]! < 0 || !this.#isBad(triangle)) return;
    const e = 3 * triangle;
    this.#bad.push([triangle, triangles[e]!, triangles[e + 1]!, triangles[e + 2]!]);
  }

  #isBad(triangle: number): boolean {
    const { triangles, x, y } = this.#mesh;
    const vertices = [triangles[3 * triangle]!, triangles[3 * triangle + 1]!, triangles[3 * triangle + 2]!];
    const [a, b, c] = vertices as [number, number, number];
    const doubleArea = (x[b]! - x[a]!) * (y[c]! - y[a]!) - (x[c]! - x[a]!) * (y[b]! - y[a]!);
    if (doubleArea > 2 * this.#limits.maximumArea) return true;
    // The smallest angle lies opposite of the shortest side.
    let least = Infinity;
    let at = 0;
    for (let n = 0; n < 3; n++) {
      const [p, q] = [vertices[n]!, vertices[(n + 1) % 3]!];
      const square = (x[p]! - x[q]!) ** 2 + (y[p]! - y[q]!) ** 2;
      if (square < least) [least, at] = [square, n];
    }
    const [p, q, apex] = [vertices[at]!, vertices[(at + 1) % 3]!, vertices[(at + 2) % 3]!];
    if (least < this.#tooShort ** 2) return false;
    const [px, py, qx, qy] = [x[p]! - x[apex]!, y[p]! - y[apex]!, x[q]! - x[apex]!, y[q]! - y[apex]!];
    const cosine = (px * qx + py * qy) / Math.sqrt((px * px + py * py) * (qx * qx + qy * qy));
    return cosine > this.#cosine && !this.#acrossCorner(p, q);
  }

  /**
   * Whether a side runs between two segments that meet in a corner, at the same distance from it: no split makes that
   * angle larger.
   */
  #acrossCorner(p: number, q: number): boolean {
    const { segmentOf, x, y } = this.#mesh;
    const [first, second] = [segmentOf[p]!, segmentOf[q]!];
    if (first < 0 || second < 0 || first === second) return false;
    for (const n of [2 * first, 2 * first + 1]) {
      const corner = this.#corners[n]!;
      if (corner !== this.#corners[2 * second] && corner !== this.#corners[2 * second + 1]) continue;
      const distance = (vertex: number) => Math.hypot(x[vertex]! - x[corner]!, y[vertex]! - y[corner]!);
      const [a, b] = [distance(p), distance(q)];
      if (Math.abs(a - b) <= sameShell * Math.max(a, b)) return true;
    }
    return false;
  }

  #improve(triangle: number, a: number, b: number, c: number): void {
    const mesh = this.#mesh;
    const e = 3 * triangle;
    if (mesh.triangles[e] !== a || mesh.triangles[e + 1] !== b || mesh.triangles[e + 2] !== c) return;
    const [x, y] = this.#circumcentre(a, b, c);
    const found = this.#locate(triangle, x, y);
    const { segments, edge } = found ?? { segments: [], edge: -1 };
    if (found === undefined) return;
    const blocking = segments.length > 0 ? segments : this.#blocking(Math.floor(edge / 3), x, y);
    if (blocking.length > 0) {
      for (const one of blocking) this.#encroached.push([one, mesh.triangles[one]!, mesh.triangles[nextEdge(one)]!]);
      // Once they are split the triangle may still be there. A segment that is too short for a split ends that.
      if (blocking.some((one) => this.#canSplit(one))) this.#bad.push([triangle, a, b, c]);
      return;
    }
    this.#room();
    const onEdge = [e0(edge), e0(edge) + 1, e0(edge) + 2].find((side) => mesh.sideOf(side, x, y) === 0);
    this.#checkAround(
      onEdge === undefined ? mesh.splitTriangle(Math.floor(edge / 3), x, y) : mesh.splitEdge(onEdge, x, y),
    );
  }

  #canSplit(edge: number): boolean {
    const { triangles, x, y } = this.#mesh;
    const [from, to] = [triangles[edge]!, triangles[nextEdge(edge)]!];
    return Math.hypot(x[to]! - x[from]!, y[to]! - y[from]!) >= 2 * this.#tooShort;
  }

  #circumcentre(a: number, b: number, c: number): [number, number] {
    const { x, y } = this.#mesh;
    const [bx, by, cx, cy] = [x[b]! - x[a]!, y[b]! - y[a]!, x[c]! - x[a]!, y[c]! - y[a]!];
    const double = 2 * (bx * cy - by * cx);
    const [bb, cc] = [bx * bx + by * by, cx * cx + cy * cy];
    return [x[a]! + (cy * bb - by * cc) / double, y[a]! + (bx * cc - cx * bb) / double];
  }

  /**
   * Walks from a triangle to a point: a half-edge of the triangle that holds it, or the part of a segment in between.
   */
  #locate(start: number, x: number, y: number): { edge: number; segments: number[] } | undefined {
    const mesh = this.#mesh;
    if (!Number.isFinite(x) || !Number.isFinite(y)) return undefined;
    let edge = 3 * start;
    for (let steps = 0; steps <= mesh.triangleCount; steps++) {
      const first = e0(edge);
      // The side with the point farthest beyond it; any would do, this one cannot walk in circles in a Delaunay
      // triangulation.
      let beyond = -1;
      for (let side = first; side < first + 3; side++)
        if (side !== edge || steps === 0) if (mesh.sideOf(side, x, y) < 0) beyond = side;
      if (beyond < 0) return { edge: first, segments: [] };
      if (mesh.segments[beyond]! >= 0) return { edge: beyond, segments: [beyond] };
      edge = mesh.halfedges[beyond]!;
      if (edge < 0) return undefined;
    }
    return undefined;
  }

  /**
   * Parts of segments around the triangles whose circumcircle holds a point, with the point in their diametral circle.
   */
  #blocking(start: number, x: number, y: number): number[] {
    const mesh = this.#mesh;
    const seen = new Set([start]);
    const blocking: number[] = [];
    for (const triangle of seen)
      for (let edge = 3 * triangle; edge < 3 * triangle + 3; edge++) {
        if (mesh.segments[edge]! >= 0) {
          const [from, to] = [mesh.triangles[edge]!, mesh.triangles[nextEdge(edge)]!];
          if (this.#inDiametralCircle(from, to, x, y)) blocking.push(edge);
          continue;
        }
        const next = Math.floor(mesh.halfedges[edge]! / 3);
        if (next >= 0 && !seen.has(next) && mesh.inCircumcircle(next, x, y) > 0) seen.add(next);
      }
    return blocking;
  }
}

/** The first half-edge of the triangle of a half-edge. */
const e0 = (edge: number): number => edge - (edge % 3);
