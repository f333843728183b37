import { EdgeColumns, orientation, type TileRings } from './polygon-edges.ts';
import { EdgeSum, type NodedEdges, noded, pixelEdges } from './polygon-noding.ts';
import { PolygonValidity } from './polygon-validity.ts';

type Ring = number[];

interface Polygon {
  readonly exterior: Ring;
  readonly holes: Ring[];
}

/** Whether a point is inside, by the winding numbers of the exterior rings and of the holes around it. */
type Rule = (outer: number, inner: number) => boolean;

/** For one polygon: a ring that crosses itself keeps its whole enclosed area. */
const withoutHoles: Rule = (outer, inner) => outer !== 0 && inner === 0;
/** For several valid polygons, which may overlap. */
const union: Rule = (outer) => outer > 0;

const validity = new PolygonValidity();

/** Polygons as they are drawn: valid, and the same area but for roundings by about a unit. May have no rings. */
export function validRings(rings: TileRings): TileRings {
  if (validity.isValid(rings)) return rings;
  const starts = rings.exterior.flatMap((is, ring) => (is ? ring : []));
  const polygons = starts.map((first, n) => part(rings, first, starts[n + 1] ?? rings.ends.length));
  const repaired = polygons.map((one) =>
    polygons.length > 1 && validity.isValid(one) ? one : rebuilt(edgesOf(one, true), withoutHoles),
  );
  const [first, ...others] = repaired as [TileRings, ...TileRings[]];
  if (others.length === 0) return first;
  const all = joined(repaired);
  return all.ends.length === 0 || validity.isValid(all) ? all : rebuilt(edgesOf(all, false), union);
}

function part({ points, ends, exterior }: TileRings, first: number, end: number): TileRings {
  const from = first === 0 ? 0 : ends[first - 1]!;
  return {
    points: points.subarray(2 * from, 2 * ends[end - 1]!),
    ends: ends.slice(first, end).map((one) => one - from),
    exterior: exterior.slice(first, end),
  };
}

function joined(all: readonly TileRings[]): TileRings {
  let before = 0;
  const ends = all.flatMap((one) => {
    const own = one.ends.map((end) => end + before);
    before = own.at(-1) ?? before;
    return own;
  });
  const points = new Int32Array(2 * before);
  let at = 0;
  for (const one of all) {
    const length = 2 * (one.ends.at(-1) ?? 0);
    points.set(one.points.subarray(0, length), at);
    at += length;
  }
  return { points, ends, exterior: all.flatMap((one) => one.exterior) };
}

/** @param apart whether holes are counted for themselves */
function edgesOf({ points, ends, exterior }: TileRings, apart: boolean): NodedEdges {
  const sum = new EdgeSum();
  for (let ring = 0, at = 0; ring < ends.length; ring++) {
    const end = 2 * ends[ring]!;
    const isHole = apart && !exterior[ring];
    let [x, y] = [points[end - 2]!, points[end - 1]!];
    for (; at < end; at += 2) {
      sum.add(x, y, points[at]!, points[at + 1]!, isHole ? 0 : 1, isHole ? 1 : 0);
      [x, y] = [points[at]!, points[at + 1]!];
    }
  }
  return sum.edges();
}

/** The polygons of the area that a rule says is inside. */
function rebuilt(edges: NodedEdges, rule: Rule): TileRings {
  const split = noded(edges);
  const polygons =
    split === undefined ? polygonsOf(boundaryOf(pixelEdges(edges, rule), union)) : polygonsOf(boundaryOf(split, rule));
  const rings = polygons.flatMap(({ exterior, holes }) => [exterior, ...holes]);
  let end = 0;
  return {
    points: Int32Array.from(rings.flat()),
    ends: rings.map((ring) => {
      end += ring.length / 2;
      return end;
    }),
    exterior: polygons.flatMap(({ holes }) => [true, ...holes.map(() => false)]),
  };
}

/** Edges with the inside to the left, with y upwards. */
interface Boundary {
  readonly count: number;
  /** x0, y0, x1, y1 of each. */
  readonly edges: Int32Array;
}

/** Keeps the edges that have the inside on one side only. */
function boundaryOf(noded: NodedEdges, rule: Rule): Boundary {
  const { count, x0, y0, x1, y1, outer, inner } = noded;
  const columns = new EdgeColumns(noded);
  const edges = new Int32Array(4 * count);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    let [outers, inners] = [0, 0];
    columns.visitBelow(x0[i]! + x1[i]!, y0[i]! + y1[i]!, (edge, sign) => {
      outers += sign * outer[edge]!;
      inners += sign * inner[edge]!;
    });
    const right = rule(outers, inners);
    const left = rule(outers + outer[i]!, inners + inner[i]!);
    if (left === right) continue;
    const at = 4 * kept++;
    edges[at] = left ? x0[i]! : x1[i]!;
    edges[at + 1] = left ? y0[i]! : y1[i]!;
    edges[at + 2] = left ? x1[i]! : x0[i]!;
    edges[at + 3] = left ? y1[i]! : y0[i]!;
  }
  return { count: kept, edges };
}

const keyOf = (x: number, y: number): number => x * 65_536 + y;

/** Goes around each connected part of the inside, along its edges. */
function polygonsOf({ count, edges }: Boundary): Polygon[] {
  const leaving = new Map<number, number[]>();
  for (let i = 0; i < count; i++) {
    const key = keyOf(edges[4 * i]!, edges[4 * i + 1]!);
    const others = leaving.get(key);
    if (others === undefined) leaving.set(key, [i]);
    else others.push(i);
  }
  const used = new Uint8Array(count);
  const polygons: Polygon[] = [];
  const apart: Ring[] = [];
  for (let start = 0; start < count; start++) {
    if (used[start] === 1) continue;
    const walk: Ring = [];
    for (let edge = start; used[edge] === 0; ) {
      used[edge] = 1;
      walk.push(edges[4 * edge]!, edges[4 * edge + 1]!);
      edge = nextEdge(edges, edge, leaving.get(keyOf(edges[4 * edge + 2]!, edges[4 * edge + 3]!))!);
    }
    const rings = simpleRings(walk);
    const exterior = rings.find((ring) => doubleArea(ring) > 0);
    const holes = rings.filter((ring) => ring !== exterior);
    if (exterior === undefined) apart.push(...holes);
    else polygons.push({ exterior, holes });
  }
  for (const hole of apart) around(hole, polygons)?.holes.push(hole);
  // Rings that touch keep their common points: viewers change the coordinates to others, which are rounded.
  const isShared = (x: number, y: number) => leaving.get(keyOf(x, y))!.length > 1;
  return polygons.map(({ exterior, holes }) => ({
    exterior: withoutStraight(exterior, isShared),
    holes: holes.map((hole) => withoutStraight(hole, isShared)),
  }));
}

/**
 * Of the edges that leave the end of an edge, the one along the same part of the inside: the first one clockwise from
 * the edge, y upwards.
 */
function nextEdge(edges: Int32Array, edge: number, leaving: readonly number[]): number {
  if (leaving.length === 1) return leaving[0]!;
  const [backX, backY] = [edges[4 * edge]! - edges[4 * edge + 2]!, edges[4 * edge + 1]! - edges[4 * edge + 3]!];
  const direction = (one: number): [number, number] => [
    edges[4 * one + 2]! - edges[4 * one]!,
    edges[4 * one + 3]! - edges[4 * one + 1]!,
  ];
  /** 0: less than half a turn clockwise from the way back; 1: half a turn and more. */
  const half = ([x, y]: [number, number]) => (backX * y - backY * x < 0 ? 0 : 1);
  const isBefore = (one: [number, number], other: [number, number]) =>
    half(one) === half(other) ? one[0] * other[1] - one[1] * other[0] < 0 : half(one) < half(other);
  return leaving.reduce((first, one) => (isBefore(direction(one), direction(first)) ? one : first));
}

/** Cuts a closed walk where it comes to a point again. */
function simpleRings(walk: Ring): Ring[] {
  const rings: Ring[] = [];
  const stack: Ring = [];
  const places = new Map<number, number>();
  for (let n = 0; n < walk.length; n += 2) {
    const key = keyOf(walk[n]!, walk[n + 1]!);
    const before = places.get(key);
    if (before !== undefined) {
      const ring = stack.splice(before);
      for (let k = 0; k < ring.length; k += 2) places.delete(keyOf(ring[k]!, ring[k + 1]!));
      rings.push(ring);
    }
    places.set(key, stack.length);
    stack.push(walk[n]!, walk[n + 1]!);
  }
  rings.push(stack);
  return rings;
}

/** Positive for a ring that turns to the left, with y upwards: clockwise on the screen. */
function doubleArea(ring: Ring): number {
  let area = 0;
  for (let n = 0, before = ring.length - 2; n < ring.length; before = n, n += 2)
    area += ring[before]! * ring[n + 1]! - ring[n]! * ring[before + 1]!;
  return area;
}

/** The smallest polygon around a hole that touches no exterior ring but in points. */
function around(hole: Ring, polygons: readonly Polygon[]): Polygon | undefined {
  // The middle of an edge lies on no other edge.
  const [x, y] = [hole[0]! + hole[2]!, hole[1]! + hole[3]!];
  let [found, least] = [undefined as Polygon | undefined, Infinity];
  for (const polygon of polygons) {
    if (!contains(polygon.exterior, x, y)) continue;
    const area = doubleArea(polygon.exterior);
    if (area < least) [found, least] = [polygon, area];
  }
  return found;
}

/** @param x twice the coordinate, as `y` */
function contains(ring: Ring, x: number, y: number): boolean {
  let inside = false;
  for (let n = 0, before = ring.length - 2; n < ring.length; before = n, n += 2) {
    const [ax, ay, bx, by] = [2 * ring[before]!, 2 * ring[before + 1]!, 2 * ring[n]!, 2 * ring[n + 1]!];
    if (ax <= x === bx <= x) continue;
    if (orientation(ax, ay, bx, by, x, y) > 0 === ax < bx) inside = !inside;
  }
  return inside;
}

/** Leaves out points on straight edges, but for those that are shared. */
function withoutStraight(ring: Ring, isShared: (x: number, y: number) => boolean): Ring {
  const kept: Ring = [];
  for (let n = 0; n < ring.length; n += 2) {
    const before = n === 0 ? ring.length - 2 : n - 2;
    const next = n + 2 < ring.length ? n + 2 : 0;
    const [x, y] = [ring[n]!, ring[n + 1]!];
    const isBend = orientation(ring[before]!, ring[before + 1]!, x, y, ring[next]!, ring[next + 1]!) !== 0;
    if (isBend || isShared(x, y)) kept.push(x, y);
  }
  return kept;
}
