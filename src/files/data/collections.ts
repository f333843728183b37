import type { Geometry, GeometryType } from './feature-collection.ts';

/** Types that formats with declared types store in one column or file. */
export const geometryFamilies: readonly (readonly GeometryType[])[] = [
  ['Point'],
  ['MultiPoint'],
  ['LineString', 'MultiLineString'],
  ['Polygon', 'MultiPolygon'],
];

type Single = 'Point' | 'LineString' | 'Polygon';

const singles: Readonly<Record<Exclude<GeometryType, 'GeometryCollection'>, Single>> = {
  Point: 'Point',
  MultiPoint: 'Point',
  LineString: 'LineString',
  MultiLineString: 'LineString',
  Polygon: 'Polygon',
  MultiPolygon: 'Polygon',
};

/**
 * Splits a GeometryCollection, also a nested one, into at most one point, line and polygon geometry. Empty members are
 * left out.
 */
export function byKind(collection: Geometry, stride: number): Geometry[] {
  const kinds = new Map<Single, Geometry[]>();
  const gather = (geometry: Geometry) => {
    if (geometry.type === 'GeometryCollection') for (const member of geometry.members ?? []) gather(member);
    else if (geometry.coordinates.length > 0) {
      const kind = singles[geometry.type];
      const all = kinds.get(kind);
      if (all === undefined) kinds.set(kind, [geometry]);
      else all.push(geometry);
    }
  };
  gather(collection);
  return [...kinds].map(([kind, all]) => (all.length === 1 ? all[0]! : joined(kind, all, stride)));
}

function joined(kind: Single, all: readonly Geometry[], stride: number): Geometry {
  const coordinates = new Float64Array(all.reduce((sum, one) => sum + one.coordinates.length, 0));
  const parts: number[] = [];
  const polygons: number[] = [];
  let at = 0;
  for (const one of all) {
    for (const polygon of one.polygons ?? [0]) polygons.push(parts.length + polygon);
    for (const part of one.parts ?? [0]) parts.push(at / stride + part);
    coordinates.set(one.coordinates, at);
    at += one.coordinates.length;
  }
  return {
    type: `Multi${kind}`,
    coordinates,
    ...(kind === 'Point' ? {} : { parts: Uint32Array.from(parts) }),
    ...(kind === 'Polygon' ? { polygons: Uint32Array.from(polygons) } : {}),
  };
}
