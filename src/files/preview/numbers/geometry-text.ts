import type { Geometry } from '../../data/feature-collection.ts';

/** A short text of a geometry: of a point its coordinates, else its type and the number of vertices. */
export function geometryText(geometry: Geometry | undefined, stride: number): string | null {
  if (geometry === undefined) return null;
  const { type, coordinates, parts, polygons, members } = geometry;
  if (type === 'Point') return `Point (${[...coordinates.subarray(0, stride)].join(' ')})`;
  const vertices = verticesOf(geometry, stride);
  const words = [
    ...(members === undefined ? [] : [counted(members.length, 'member')]),
    ...(polygons === undefined || type === 'Polygon' ? [] : [counted(polygons.length, 'polygon')]),
    ...(type === 'MultiLineString' && parts !== undefined ? [counted(parts.length, 'line')] : []),
    ...(type === 'Polygon' && parts !== undefined && parts.length > 1 ? [counted(parts.length - 1, 'hole')] : []),
    vertices === 1 ? '1 vertex' : `${vertices} vertices`,
  ];
  return `${type} (${words.join(', ')})`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const verticesOf = ({ coordinates, members = [] }: Geometry, stride: number): number =>
  members.reduce((sum, member) => sum + verticesOf(member, stride), coordinates.length / stride);
