import type { GeographicExtent } from '../geo/crs/geographic-extent.ts';
import { type Box, HALF_WORLD } from './matrices.ts';

/** Latitude of the upper side of Web Mercator. */
export const MERCATOR_LATITUDE = 85.0511287798066;

/** Latitude up to which northings are finite and of the size of the map. */
const POLAR_LATITUDE = 89.9;

/** Northing in Web Mercator of a latitude, also beyond the sides of the map, so that what lies there can be clipped. */
export const mercatorY = (latitude: number): number => {
  const finite = Math.min(POLAR_LATITUDE, Math.max(-POLAR_LATITUDE, latitude));
  return 6378137 * Math.log(Math.tan(Math.PI / 4 + (finite * Math.PI) / 360));
};

/** Northing in Web Mercator of a latitude; beyond the sides of the map that of the side. */
export const mercatorYOnMap = (latitude: number): number =>
  mercatorY(Math.min(MERCATOR_LATITUDE, Math.max(-MERCATOR_LATITUDE, latitude)));

export const mercatorX = (longitude: number): number => (longitude / 180) * HALF_WORLD;

/** The parts of an extent in Web Mercator: two where it crosses the antimeridian, none beyond the poles. */
export function mercatorBoxes({ west, south, east, north }: GeographicExtent): Box[] {
  const [bottom, top] = [mercatorYOnMap(south), mercatorYOnMap(north)];
  if (!(top > bottom)) return [];
  const box = (from: number, to: number): Box => ({
    west: mercatorX(from),
    east: mercatorX(to),
    south: bottom,
    north: top,
  });
  return east <= 180 ? [box(west, east)] : [box(west, 180), box(-180, east - 360)];
}
