import type { FeatureCollection, Geometry } from './feature-collection.ts';

/** Whether the vertices of a layer have a height (z) and a measure (m) besides x and y. */
export type Dimensions = Pick<FeatureCollection, 'hasZ' | 'hasM'>;

/** Numbers per vertex. */
export const strideOf = ({ hasZ, hasM }: Dimensions): number => 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0);

/** Converts a geometry between layers: drops Z or M that `to` lacks, and fills those that `from` lacks with NaN. */
export function withDimensions(geometry: Geometry, from: Dimensions, to: Dimensions): Geometry {
  if (from.hasZ === to.hasZ && from.hasM === to.hasM) return geometry;
  const [before, after] = [strideOf(from), strideOf(to)];
  const { coordinates } = geometry;
  const changed = new Float64Array((coordinates.length / before) * after);
  for (let i = 0, at = 0; i < coordinates.length; i += before, at += after) {
    changed[at] = coordinates[i]!;
    changed[at + 1] = coordinates[i + 1]!;
    if (to.hasZ) changed[at + 2] = from.hasZ ? coordinates[i + 2]! : Number.NaN;
    if (to.hasM) changed[at + after - 1] = from.hasM ? coordinates[i + before - 1]! : Number.NaN;
  }
  return {
    ...geometry,
    coordinates: changed,
    ...(geometry.members === undefined
      ? {}
      : { members: geometry.members.map((member) => withDimensions(member, from, to)) }),
  };
}

/** Whether x and y of all vertices are numbers. */
export function allFinite({ coordinates, members = [] }: Geometry, stride: number): boolean {
  for (let i = 0; i < coordinates.length; i += stride)
    if (!Number.isFinite(coordinates[i]!) || !Number.isFinite(coordinates[i + 1]!)) return false;
  return members.every((member) => allFinite(member, stride));
}

/** Whether any vertex has a number at this place. */
export function hasNumbers({ coordinates, members = [] }: Geometry, stride: number, place: number): boolean {
  for (let at = place; at < coordinates.length; at += stride) if (!Number.isNaN(coordinates[at]!)) return true;
  return members.some((member) => hasNumbers(member, stride, place));
}
