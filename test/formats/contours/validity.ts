import { orient2d } from '../../../src/files/geo/vector/orient2d.ts';
import { areaOf, type Point } from './made.ts';

/** Why a polygon is not valid after OGC; undefined if it is. Compares each edge with each other. */
export function whyInvalid(rings: readonly (readonly Point[])[]): string | undefined {
  for (const [n, ring] of rings.entries()) {
    if (ring.length < 4) return `ring ${n} has ${ring.length} vertices`;
    if (String(ring[0]) !== String(ring.at(-1))) return `ring ${n} is open`;
    if (areaOf(ring) > 0 !== (n === 0)) return `ring ${n} runs the wrong way`;
  }
  const edges = rings.flatMap((ring, n) => ring.slice(1).map((to, k) => ({ ring: n, k, from: ring[k]!, to })));
  for (const [n, one] of edges.entries())
    for (const other of edges.slice(n + 1)) {
      const last = rings[one.ring]!.length - 2;
      const follows = one.ring === other.ring && (other.k === one.k + 1 || (one.k === 0 && other.k === last));
      if (follows ? turnsBack(one, other) : touches(one, other)) return `edges meet at ${one.from} and ${other.from}`;
    }
  for (const hole of rings.slice(1))
    if (!isInside(hole[0]!, rings[0]!)) return `the hole at ${hole[0]} lies outside of its polygon`;
  return undefined;
}

interface Edge {
  readonly from: Point;
  readonly to: Point;
}

const side = ({ from, to }: Edge, [x, y]: Point) => Math.sign(orient2d(from[0], from[1], to[0], to[1], x, y));

function touches(one: Edge, other: Edge): boolean {
  const apart = [0, 1].some(
    (axis) =>
      Math.max(one.from[axis]!, one.to[axis]!) < Math.min(other.from[axis]!, other.to[axis]!) ||
      Math.max(other.from[axis]!, other.to[axis]!) < Math.min(one.from[axis]!, one.to[axis]!),
  );
  return !apart && side(one, other.from) * side(one, other.to) <= 0 && side(other, one.from) * side(other, one.to) <= 0;
}

/** Whether the second of two edges that share a vertex lies on the first. */
function turnsBack(one: Edge, other: Edge): boolean {
  const [middle, a, b] =
    String(one.to) === String(other.from) ? [one.to, one.from, other.to] : [one.from, one.to, other.from];
  const ahead = (a[0] - middle[0]) * (b[0] - middle[0]) + (a[1] - middle[1]) * (b[1] - middle[1]) > 0;
  return ahead && side({ from: a, to: middle }, b) === 0;
}

export const isInside = ([x, y]: Point, ring: readonly Point[]): boolean =>
  ring.slice(1).filter(([bx, by], n) => {
    const [ax, ay] = ring[n]!;
    return ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax;
  }).length %
    2 ===
  1;
