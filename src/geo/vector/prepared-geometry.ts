import { Box } from '../../data/box.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import type { Chain } from './edge-tree.ts';
import { EdgeTree } from './edge-tree.ts';
import { sideOf } from './orient2d.ts';

/** A geometry that many others are held against. What touches it intersects it; of polygons over each other all count. */
export class Place {
  readonly #tree: EdgeTree;
  /** Of each polygon, whether it was entered on the way; all 0 between two questions. */
  readonly #inside: Uint8Array;
  readonly #box: readonly [number, number, number, number];

  constructor(chains: readonly Chain[]) {
    this.#tree = new EdgeTree(chains);
    this.#inside = new Uint8Array(this.#tree.polygons);
    this.#box = this.#tree.box;
  }

  /** Whether the two have a point in common. Exact for the coordinates as they are; edges are straight in them. */
  intersects(geometry: Geometry, stride: number): boolean {
    if (geometry.type === 'GeometryCollection')
      return (geometry.members ?? []).some((member) => this.intersects(member, stride));
    const { type, coordinates } = geometry;
    const [west, south, east, north] = this.#box;
    const box = new Box();
    box.add(coordinates, stride);
    if (!(box.west <= east && box.east >= west && box.south <= north && box.north >= south)) return false;
    if (type === 'Point' || type === 'MultiPoint') return this.#meetsPoint(coordinates, stride);
    const parts = geometry.parts ?? [0];
    const vertices = coordinates.length / stride;
    for (let n = 0; n < parts.length; n++) {
      const at = parts[n]! * stride;
      if (this.holds(coordinates[at]!, coordinates[at + 1]!)) return true;
    }
    const closed = type.endsWith('Polygon');
    for (let n = 0; n < parts.length; n++)
      if (this.#crosses(coordinates, stride, parts[n]!, parts[n + 1] ?? vertices, closed)) return true;
    if (!closed) return false;
    // No edges meet: a part of this lies in one of its polygons as a whole or not at all.
    const { ends, isFirst } = this.#tree;
    return this.#tree.some(box.west, box.south, box.east, box.north, (edge) =>
      isFirst[edge] === 1 ? holds(geometry, stride, ends[4 * edge]!, ends[4 * edge + 1]!) : false,
    );
  }

  /** Whether a point lies in or on a polygon of this. */
  holds(x: number, y: number): boolean {
    const { ends, polygon } = this.#tree;
    const inside = this.#inside;
    const passedOnes: number[] = [];
    const on = this.#tree.some(x, y, Infinity, y, (edge) => {
      const owner = polygon[edge]!;
      if (owner < 0) return false;
      const at = 4 * edge;
      const passed = crossing(x, y, ends[at]!, ends[at + 1]!, ends[at + 2]!, ends[at + 3]!);
      if (passed === undefined) return true;
      if (passed) {
        inside[owner]! ^= 1;
        passedOnes.push(owner);
      }
      return false;
    });
    const within = passedOnes.some((owner) => inside[owner] === 1);
    for (const owner of passedOnes) inside[owner] = 0;
    return on || within;
  }

  #meetsPoint(coordinates: Float64Array, stride: number): boolean {
    for (let at = 0; at < coordinates.length; at += stride) {
      const [x, y] = [coordinates[at]!, coordinates[at + 1]!];
      if (this.holds(x, y) || this.#meets(x, y, x, y)) return true;
    }
    return false;
  }

  #crosses(coordinates: Float64Array, stride: number, first: number, end: number, closed: boolean): boolean {
    let [x, y] = [coordinates[first * stride]!, coordinates[first * stride + 1]!];
    const [x0, y0] = [x, y];
    if (first + 1 === end && this.#meets(x, y, x, y)) return true;
    for (let i = first + 1; i < end; i++) {
      const [nextX, nextY] = [coordinates[i * stride]!, coordinates[i * stride + 1]!];
      if (this.#meets(x, y, nextX, nextY)) return true;
      [x, y] = [nextX, nextY];
    }
    return closed && (x !== x0 || y !== y0) && this.#meets(x, y, x0, y0);
  }

  #meets(ax: number, ay: number, bx: number, by: number): boolean {
    const { ends } = this.#tree;
    const [west, east] = ax < bx ? [ax, bx] : [bx, ax];
    const [south, north] = ay < by ? [ay, by] : [by, ay];
    return this.#tree.some(west, south, east, north, (edge) => {
      const at = 4 * edge;
      return edgesMeet(ax, ay, bx, by, ends[at]!, ends[at + 1]!, ends[at + 2]!, ends[at + 3]!);
    });
  }
}

/** Whether two edges whose boxes meet have a point in common. */
function edgesMeet(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  const c = sideOf(ax, ay, bx, by, cx, cy);
  const d = sideOf(ax, ay, bx, by, dx, dy);
  if ((c > 0 && d > 0) || (c < 0 && d < 0)) return false;
  const a = sideOf(cx, cy, dx, dy, ax, ay);
  const b = sideOf(cx, cy, dx, dy, bx, by);
  // On one line their boxes tell.
  return !((a > 0 && b > 0) || (a < 0 && b < 0));
}

/** Whether the way east from a point crosses an edge; undefined when the point is on the edge. */
function crossing(x: number, y: number, ax: number, ay: number, bx: number, by: number): boolean | undefined {
  if ((ay > y && by > y) || (ay < y && by < y)) return false;
  if (ay === by) return (ax > x && bx > x) || (ax < x && bx < x) ? false : undefined;
  const side = sideOf(ax, ay, bx, by, x, y);
  if (side === 0) return undefined;
  return ay > y !== by > y && side > 0 === by > ay;
}

/** Whether a point lies in a polygon, or one of several. */
function holds({ coordinates, parts, polygons }: Geometry, stride: number, x: number, y: number): boolean {
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
        const passed = crossing(x, y, ax, ay, coordinates[at]!, coordinates[at + 1]!);
        if (passed === undefined) return true;
        if (passed) inside = !inside;
        before = at;
      }
    }
    if (inside) return true;
  }
  return false;
}
