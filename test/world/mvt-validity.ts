import type { DecodedFeature } from './decode-mvt.ts';

type Point = readonly [x: number, y: number];
type Ring = readonly Point[];

const area = (ring: Ring) =>
  ring.reduce((sum, [x, y], n) => {
    const [px, py] = ring.at(n - 1)!;
    return sum + px * y - x * py;
  }, 0);
const side = ([ax, ay]: Point, [bx, by]: Point, [x, y]: Point) =>
  Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
const same = ([ax, ay]: Point, [bx, by]: Point) => ax === bx && ay === by;
const isOn = (a: Point, b: Point, p: Point) =>
  side(a, b, p) === 0 && (p[0] - a[0]) * (p[0] - b[0]) + (p[1] - a[1]) * (p[1] - b[1]) <= 0;
const edgesOf = (ring: Ring) => ring.map((point, n): [Point, Point] => [ring.at(n - 1)!, point]);

/** How two edges meet. */
function meeting([a, b]: [Point, Point], [c, d]: [Point, Point]): 'apart' | 'point' | 'cross' | 'overlap' {
  if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) return 'cross';
  const ends = [c, d].filter((p) => isOn(a, b, p)).concat([a, b].filter((p) => isOn(c, d, p)));
  const shared = ends.filter((p, n) => ends.findIndex((other) => same(other, p)) === n);
  return shared.length > 1 ? 'overlap' : shared.length === 1 ? 'point' : 'apart';
}

/** 1 inside, 0 on the ring, −1 outside. */
function place(ring: Ring, p: Point): number {
  let inside = false;
  for (const [a, b] of edgesOf(ring)) {
    if (isOn(a, b, p)) return 0;
    if (a[1] <= p[1] !== b[1] <= p[1] && side(a, b, p) > 0 === b[1] > a[1]) inside = !inside;
  }
  return inside ? 1 : -1;
}

/** The polygons of a feature: exterior rings with their holes. */
export function polygonsOf({ paths }: Pick<DecodedFeature, 'paths'>): Ring[][] {
  const polygons: Ring[][] = [];
  for (const path of paths)
    if (area(path) > 0) polygons.push([path]);
    else polygons.at(-1)?.push(path);
  return polygons;
}

/** Whether a point lies in a feature, by the rule of even and odd. */
export const isInFeature = ({ paths }: Pick<DecodedFeature, 'paths'>, point: Point): boolean =>
  paths.filter((path) => place(path, point) > 0).length % 2 === 1;

/**
 * What the Mapbox Vector Tile Specification 2.1 (4.3.4.4) and OGC 06-103r4 forbid in a polygon; undefined if it is
 * valid.
 */
export function faultOf(feature: Pick<DecodedFeature, 'paths'>): string | undefined {
  const { paths } = feature;
  if (paths.length === 0) return 'no ring';
  if (!(area(paths[0]!) > 0)) return 'the first ring is no exterior one';
  for (const [r, ring] of paths.entries()) {
    if (ring.length < 3 || area(ring) === 0) return 'ring without an area';
    const edges = edgesOf(ring);
    for (const [i, one] of edges.entries())
      for (let j = i + 1; j < edges.length; j++) {
        const found = meeting(one, edges[j]!);
        const areNeighbours = j === i + 1 || (i === 0 && j === edges.length - 1);
        if (found !== 'apart' && !(areNeighbours && found === 'point')) return `ring ${r} touches itself (${found})`;
      }
    for (const other of paths.slice(r + 1))
      for (const one of edges)
        for (const two of edgesOf(other)) {
          const found = meeting(one, two);
          if (found === 'cross' || found === 'overlap') return `ring ${r} and another one ${found}`;
        }
  }
  // A middle can lie on another ring, which touches the edge there.
  const middles = (ring: Ring) => edgesOf(ring).map(([[ax, ay], [bx, by]]): Point => [(ax + bx) / 2, (ay + by) / 2]);
  const polygons = polygonsOf(feature);
  for (const [n, [exterior, ...holes]] of polygons.entries()) {
    for (const [h, hole] of holes.entries()) {
      if (middles(hole).some((p) => place(exterior!, p) < 0)) return 'hole outside of its ring';
      for (const other of holes.slice(h + 1))
        if (middles(hole).some((p) => place(other, p) > 0) || middles(other).some((p) => place(hole, p) > 0))
          return 'hole in a hole';
    }
    for (const [m, other] of polygons.entries())
      if (m !== n && middles(other[0]!).some((p) => isInFeature({ paths: [exterior!, ...holes] as never }, p)))
        return 'polygon in a polygon';
  }
  return undefined;
}
