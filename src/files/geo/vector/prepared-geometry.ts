import { Box } from '../../data/box.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { type Chain, EdgeTree } from './edge-tree.ts';
import { orient2d } from './orient2d.ts';

/**
 * A geometry indexed for many `intersects` tests, as in GEOS and JTS. Touching counts as intersecting. Polygons may
 * overlap.
 */
export class PreparedGeometry {
  readonly #tree: EdgeTree;
  /** Scratch of `covers`: parity of crossings per polygon; all 0 between calls. */
  readonly #inside: Uint8Array;
  readonly #box: readonly [number, number, number, number];

  constructor(chains: readonly Chain[]) {
    this.#tree = new EdgeTree(chains);
    this.#inside = new Uint8Array(this.#tree.polygons);
    this.#box = this.#tree.box;
  }

  /** Whether the two geometries share a point. Exact in floating-point coordinates; edges are straight lines. */
  intersects(geometry: Geometry, stride: number): boolean {
    if (geometry.type === 'GeometryCollection')
      return (geometry.members ?? []).some((member) => this.intersects(member, stride));
    const { type, coordinates } = geometry;
    const [west, south, east, north] = this.#box;
    const box = new Box();
    box.add(coordinates, stride);
    if (!(box.west <= east && box.east >= west && box.south <= north && box.north >= south)) return false;
    if (type === 'Point' || type === 'MultiPoint') return this.#touchesPoint(coordinates, stride);
    const parts = geometry.parts ?? [0];
    const vertices = coordinates.length / stride;
    for (let n = 0; n < parts.length; n++) {
      const at = parts[n]! * stride;
      if (this.covers(coordinates[at]!, coordinates[at + 1]!)) return true;
    }
    const closed = type.endsWith('Polygon');
    for (let n = 0; n < parts.length; n++)
      if (this.#touchesChain(coordinates, stride, parts[n]!, parts[n + 1] ?? vertices, closed)) return true;
    if (!closed) return false;
    // No edges intersect, so each chain of this geometry lies inside or outside of the other polygon as a whole.
    const { ends, isFirst } = this.#tree;
    return this.#tree.some(box.west, box.south, box.east, box.north, (edge) =>
      isFirst[edge] === 1 ? polygonCovers(geometry, stride, ends[4 * edge]!, ends[4 * edge + 1]!) : false,
    );
  }

  /** Whether a point lies in or on one of the polygons. */
  covers(x: number, y: number): boolean {
    return this.polygonAt(x, y) >= 0;
  }

  /** The last of the polygons that have a point in or on them; -1 for none. Counts crossings of a ray to the east. */
  polygonAt(x: number, y: number): number {
    const { ends, polygon } = this.#tree;
    const inside = this.#inside;
    const crossed: number[] = [];
    let found = -1;
    this.#tree.some(x, y, Infinity, y, (edge) => {
      const owner = polygon[edge]!;
      if (owner < 0) return false;
      const at = 4 * edge;
      const crosses = rayCrosses(x, y, ends[at]!, ends[at + 1]!, ends[at + 2]!, ends[at + 3]!);
      if (crosses === undefined) found = Math.max(found, owner);
      else if (crosses) {
        inside[owner]! ^= 1;
        crossed.push(owner);
      }
      return false;
    });
    for (const owner of crossed) if (inside[owner] === 1) found = Math.max(found, owner);
    for (const owner of crossed) inside[owner] = 0;
    return found;
  }

  #touchesPoint(coordinates: Float64Array, stride: number): boolean {
    for (let at = 0; at < coordinates.length; at += stride) {
      const [x, y] = [coordinates[at]!, coordinates[at + 1]!];
      if (this.covers(x, y) || this.#touchesEdge(x, y, x, y)) return true;
    }
    return false;
  }

  #touchesChain(coordinates: Float64Array, stride: number, first: number, end: number, closed: boolean): boolean {
    let [x, y] = [coordinates[first * stride]!, coordinates[first * stride + 1]!];
    const [x0, y0] = [x, y];
    if (first + 1 === end && this.#touchesEdge(x, y, x, y)) return true;
    for (let i = first + 1; i < end; i++) {
      const [nextX, nextY] = [coordinates[i * stride]!, coordinates[i * stride + 1]!];
      if (this.#touchesEdge(x, y, nextX, nextY)) return true;
      [x, y] = [nextX, nextY];
    }
    return closed && (x !== x0 || y !== y0) && this.#touchesEdge(x, y, x0, y0);
  }

  #touchesEdge(ax: number, ay: number, bx: number, by: number): boolean {
    const { ends } = this.#tree;
    const [west, east] = ax < bx ? [ax, bx] : [bx, ax];
    const [south, north] = ay < by ? [ay, by] : [by, ay];
    return this.#tree.some(west, south, east, north, (edge) => {
      const at = 4 * edge;
      return segmentsIntersect(ax, ay, bx, by, ends[at]!, ends[at + 1]!, ends[at + 2]!, ends[at + 3]!);
    });
  }
}

/** Whether two segments share a point. Their bounding boxes must intersect, which decides for collinear segments. */
function segmentsIntersect(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  const c = orient2d(ax, ay, bx, by, cx, cy);
  const d = orient2d(ax, ay, bx, by, dx, dy);
  if ((c > 0 && d > 0) || (c < 0 && d < 0)) return false;
  const a = orient2d(cx, cy, dx, dy, ax, ay);
  const b = orient2d(cx, cy, dx, dy, bx, by);
  return !((a > 0 && b > 0) || (a < 0 && b < 0));
}

/** Whether a ray from a point to the east crosses an edge; undefined if the point lies on the edge. */
function rayCrosses(x: number, y: number, ax: number, ay: number, bx: number, by: number): boolean | undefined {
  if ((ay > y && by > y) || (ay < y && by < y)) return false;
  if (ay === by) return (ax > x && bx > x) || (ax < x && bx < x) ? false : undefined;
  const orientation = orient2d(ax, ay, bx, by, x, y);
  if (orientation === 0) return undefined;
  return ay > y !== by > y && orientation > 0 === by > ay;
}

/** Whether a point lies in or on a polygon, or one of the polygons of a MultiPolygon. */
function polygonCovers({ coordinates, parts, polygons }: Geometry, stride: number, x: number, y: number): boolean {
  const rings = parts ?? [0];
  const firsts = polygons ?? [0];
  for (let p = 0; p < firsts.length; p++) {
    let inside = false;
    for (let n = firsts[p]!; n < (firsts[p + 1] ?? rings.length); n++) {
      const first = rings[n]!;
      const end = rings[n + 1] ?? coordinates.length / stride;
      let before = (end - 1) * stride;
      for (let i = first; i < end; i++) {
        const at = i * stride;
        const [ax, ay] = [coordinates[before]!, coordinates[before + 1]!];
        const crosses = rayCrosses(x, y, ax, ay, coordinates[at]!, coordinates[at + 1]!);
        if (crosses === undefined) return true;
        if (crosses) inside = !inside;
        before = at;
      }
    }
    if (inside) return true;
  }
  return false;
}
