import { FormatError } from '../../errors.ts';
import { EdgeTree } from '../vector/edge-tree.ts';
import { orient2d } from '../vector/orient2d.ts';

/** Vertices without duplicates; a segment is a pair of vertex indices. */
export interface PlanarGraph {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
  readonly segments: Int32Array;
}

/** Vertices with the same x and y become one, with the first of their heights. */
export class VertexSet {
  readonly x: number[] = [];
  readonly y: number[] = [];
  readonly z: number[] = [];
  readonly #numbers = new Map<number, Map<number, number>>();

  /** Adds a vertex unless one has this x and y. Returns its index. */
  add(x: number, y: number, z: number): number {
    let column = this.#numbers.get(x);
    if (column === undefined) {
      column = new Map();
      this.#numbers.set(x, column);
    }
    const known = column.get(y);
    if (known !== undefined) return known;
    const number = this.x.length;
    column.set(y, number);
    this.x.push(x);
    this.y.push(y);
    this.z.push(z);
    return number;
  }
}

/**
 * The segments as a planar graph: each once, and split where a vertex lies on it, so that shared borders have the same
 * vertices.
 * @throws FormatError with the place where two segments cross
 */
export function planarGraph(
  { x, y, z }: VertexSet,
  ends: readonly number[],
  ownerOf: (segment: number) => string,
): PlanarGraph {
  const tree = new EdgeTree(
    Array.from({ length: ends.length / 2 }, (_, n) => ({
      xy: Float64Array.of(x[ends[2 * n]!]!, y[ends[2 * n]!]!, x[ends[2 * n + 1]!]!, y[ends[2 * n + 1]!]!),
      polygon: n,
    })),
  );
  const found = new Map<number, [number, number]>();
  for (let segment = 0; segment < ends.length / 2; segment++) {
    const [from, to] = [ends[2 * segment]!, ends[2 * segment + 1]!];
    if (from === to) continue;
    const between = new Set<number>();
    const [west, east] = x[from]! < x[to]! ? [x[from]!, x[to]!] : [x[to]!, x[from]!];
    const [south, north] = y[from]! < y[to]! ? [y[from]!, y[to]!] : [y[to]!, y[from]!];
    tree.some(west, south, east, north, (edge) => {
      const other = tree.polygon[edge]!;
      const [c, d] = [ends[2 * other]!, ends[2 * other + 1]!];
      const sides = [c, d].map((vertex) => sideOf(x, y, from, to, vertex));
      for (const [n, vertex] of [c, d].entries())
        if (sides[n] === 0 && vertex !== from && vertex !== to && isBetween(x, y, from, to, vertex))
          between.add(vertex);
      if (other > segment && sides[0]! * sides[1]! < 0 && crosses(x, y, c, d, from, to))
        throw crossing({ x, y }, [from, to, c, d], ownerOf(segment), ownerOf(other));
      return false;
    });
    const along = [...between].sort((a, b) => squareTo(x, y, from, a) - squareTo(x, y, from, b));
    for (const [n, vertex] of [...along, to].entries()) {
      const before = n === 0 ? from : along[n - 1]!;
      const pair: [number, number] = before < vertex ? [before, vertex] : [vertex, before];
      found.set(pair[0] * x.length + pair[1], pair);
    }
  }
  return {
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    z: Float64Array.from(z),
    segments: Int32Array.from([...found.values()].flat()),
  };
}

type Coordinates = readonly number[];

const sideOf = (x: Coordinates, y: Coordinates, a: number, b: number, c: number): number =>
  Math.sign(orient2d(x[a]!, y[a]!, x[b]!, y[b]!, x[c]!, y[c]!));

const crosses = (x: Coordinates, y: Coordinates, a: number, b: number, c: number, d: number): boolean =>
  sideOf(x, y, a, b, c) * sideOf(x, y, a, b, d) < 0;

/** Whether a vertex on the line through two others lies between them. */
const isBetween = (x: Coordinates, y: Coordinates, a: number, b: number, c: number): boolean =>
  (x[c]! - x[a]!) * (x[c]! - x[b]!) <= 0 && (y[c]! - y[a]!) * (y[c]! - y[b]!) <= 0;

const squareTo = (x: Coordinates, y: Coordinates, a: number, b: number): number =>
  (x[a]! - x[b]!) ** 2 + (y[a]! - y[b]!) ** 2;

function crossing(
  { x, y }: { x: Coordinates; y: Coordinates },
  [a, b, c, d]: readonly [number, number, number, number],
  one: string,
  other: string,
): FormatError {
  const [dx, dy, ex, ey] = [x[b]! - x[a]!, y[b]! - y[a]!, x[d]! - x[c]!, y[d]! - y[c]!];
  const share = ((x[c]! - x[a]!) * ey - (y[c]! - y[a]!) * ex) / (dx * ey - dy * ex);
  const place = `(${x[a]! + share * dx}, ${y[a]! + share * dy})`;
  return new FormatError(
    one === other
      ? `The border of ${one} crosses itself at ${place}. Repair the polygon.`
      : `The borders of ${one} and ${other} cross at ${place}. Polygons of a mesh may touch, but not overlap.`,
  );
}
