import type { Crs } from '../../data/crs-reference.ts';
import { wgs84 } from './crs.ts';
import { transformer } from './transform.ts';

/** Longitudes beyond 180° run on, so that data across the antimeridian have an extent without a gap. */
export interface GeographicExtent {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The longitude, plus or minus whole turns, that is nearest to another one. */
export const nearestTurn = (longitude: number, to: number): number =>
  longitude - 360 * Math.round((longitude - to) / 360);

/** Replaces coordinates by longitudes and latitudes (WGS 84); NaN where there are none. */
export async function toGeographic(crs: Crs, x: Float64Array, y: Float64Array): Promise<void> {
  using change = await transformer(crs, wgs84);
  change.forward(x, y);
}

/** The extent of points whose longitudes run on. Undefined without a valid point. */
export function extentOf(longitudes: Float64Array, latitudes: Float64Array): GeographicExtent | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = 0; n < longitudes.length; n++) {
    const [longitude, latitude] = [longitudes[n]!, latitudes[n]!];
    if (Number.isNaN(longitude)) continue;
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  if (west > east) return undefined;
  if (east - west >= 360 - 1e-9) return { west: -180, south, east: 180, north };
  // West of the antimeridian it begins, so that 190 to 200 become −170 to −160.
  const turn = 360 * Math.floor((west + 180) / 360);
  return { west: west - turn, south, east: east - turn, north };
}

/**
 * Longitudes of a net of points, each within half a turn of its neighbour, so that they run on across the antimeridian.
 */
export function runOn(longitudes: Float64Array, columns: number): void {
  let before = Number.NaN;
  for (let n = 0; n < longitudes.length; n++) {
    if (n % columns === 0 && n > 0 && !Number.isNaN(longitudes[n - columns]!)) before = longitudes[n - columns]!;
    const own = longitudes[n]!;
    if (Number.isNaN(own)) continue;
    if (!Number.isNaN(before)) longitudes[n] = nearestTurn(own, before);
    before = longitudes[n]!;
  }
}
