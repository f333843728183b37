import type { Geometry } from '../../data/feature-collection.ts';

/** A geometry that has lines of one vertex and nothing else. */
export const ONE_VERTEX = 'A line has one vertex. It needs at least two.';
/** Remark about a line of one vertex that was left out. */
export const PART_LEFT_OUT = 'A part of a line that has one vertex was left out.';

/**
 * The geometry without lines of one vertex (RFC 7946, 3.1.4); itself if it has none, undefined if nothing else remains.
 * @param stride numbers of a vertex
 */
export function withoutShortLines(geometry: Geometry, stride: number): Geometry | undefined {
  const { type, coordinates } = geometry;
  if (type === 'LineString') return coordinates.length === stride ? undefined : geometry;
  if (type === 'MultiLineString') return withLongParts(geometry, stride);
  if (type !== 'GeometryCollection') return geometry;
  const members = geometry.members ?? [];
  const kept = members.map((member) => withoutShortLines(member, stride));
  if (kept.every((member, n) => member === members[n])) return geometry;
  const rest = kept.filter((member) => member !== undefined);
  return rest.length === 0 ? undefined : { ...geometry, members: rest };
}

function withLongParts(geometry: Geometry, stride: number): Geometry | undefined {
  const { coordinates, parts = new Uint32Array(1) } = geometry;
  const end = (n: number) => parts[n + 1] ?? coordinates.length / stride;
  const long: number[] = [];
  for (let n = 0; n < parts.length; n++) if (end(n) - parts[n]! !== 1) long.push(n);
  if (long.length === parts.length) return geometry;
  if (long.length === 0) return undefined;
  const kept = new Float64Array(long.reduce((sum, n) => sum + end(n) - parts[n]!, 0) * stride);
  const starts: number[] = [];
  let at = 0;
  for (const n of long) {
    starts.push(at / stride);
    kept.set(coordinates.subarray(parts[n]! * stride, end(n) * stride), at);
    at += (end(n) - parts[n]!) * stride;
  }
  return { ...geometry, coordinates: kept, parts: Uint32Array.from(starts) };
}
