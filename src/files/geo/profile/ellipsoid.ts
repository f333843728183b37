import type { Crs } from '../../data/crs-reference.ts';
import { describeCrs } from '../crs/crs.ts';
import { parseWkt, type WktNode } from '../crs/wkt.ts';

/** Semi-major axis in metres, and the square of the first eccentricity. */
export interface Ellipsoid {
  readonly a: number;
  readonly e2: number;
}

/** The ellipsoid of a system of longitude and latitude; undefined for a system of lengths. */
export async function ellipsoidOf(crs: Crs): Promise<Ellipsoid | undefined> {
  const { geographic, wkt } = await describeCrs(crs);
  if (!geographic) return undefined;
  const [, a = 6_378_137, inverse = 298.257223563] = (find(parseWkt(wkt))?.values ?? []) as [string, number, number];
  const flattening = inverse === 0 ? 0 : 1 / inverse;
  return { a, e2: flattening * (2 - flattening) };
}

function find(node: WktNode): WktNode | undefined {
  if (node.keyword === 'ELLIPSOID' || node.keyword === 'SPHEROID') return node;
  for (const value of node.values) {
    const found = typeof value === 'object' ? find(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const radians = Math.PI / 180;

/**
 * Metres per unit of the way at a place on an ellipsoid, on a way that changes longitude and latitude by `dx` and `dy`
 * degrees per unit.
 */
export function metresPerUnit({ a, e2 }: Ellipsoid, latitude: number, dx: number, dy: number): number {
  const sine = Math.sin(latitude * radians);
  const w = 1 - e2 * sine * sine;
  const normal = a / Math.sqrt(w);
  const meridional = (normal * (1 - e2)) / w;
  return radians * Math.hypot(meridional * dy, normal * Math.cos(latitude * radians) * dx);
}
