import { nearestTurn, transformer, wgs84 } from 'hydrofiles/crs';
import type { DrawnScheme, TilesDescription } from 'hydrofiles/tiles';
import { z } from 'zod';
import { component } from '../http/rules/members.ts';

/** Points along a side of a tile, the corners included. */
const SIDE = 17;
/** Coordinates of a point without a place in the coordinate system, or far from the data. */
const NOWHERE = 1e12;

const coordinates = z.array(z.number());

export const MapNet = component('MapNet', {
  side: z.int().describe('Points in a row and rows of points, with the corners of the tile.'),
  x: coordinates.describe('x (easting or longitude) of the points, row by row from the upper left corner.'),
  y: coordinates.describe('y of the points. 1e12: the point is far from the data.'),
});

/** The places of a net of points of a tile of Web Mercator in the coordinate system of a scheme. */
export async function computeMapNet(
  { geographicBox: [west, south, east, north] }: Pick<TilesDescription, 'geographicBox'>,
  { sridAuthName, srid }: Pick<DrawnScheme, 'sridAuthName' | 'srid'>,
  [zoom, column, row]: readonly [zoom: number, column: number, row: number],
): Promise<z.infer<typeof MapNet>> {
  const [x, y] = [new Float64Array(SIDE ** 2), new Float64Array(SIDE ** 2)];
  const shareOf = (first: number, n: number) => (first + n / (SIDE - 1)) / 2 ** zoom;
  // A projection can give places to points on the other side of the earth, too.
  const step = 360 / 2 ** zoom / (SIDE - 1);
  const margin = 2 * step + Math.max(east - west, north - south);
  const isNear: boolean[] = [];
  for (let n = 0; n < SIDE ** 2; n++) {
    const longitude = nearestTurn(360 * shareOf(column, n % SIDE) - 180, (west + east) / 2);
    const latitude = (Math.atan(Math.sinh(Math.PI * (1 - 2 * shareOf(row, Math.floor(n / SIDE))))) * 180) / Math.PI;
    isNear.push(
      longitude > west - margin && longitude < east + margin && latitude > south - margin && latitude < north + margin,
    );
    [x[n], y[n]] = [longitude, latitude];
  }
  using change = await transformer(wgs84, { authority: sridAuthName as 'EPSG', code: srid });
  change.forward(x, y);
  const placed = (values: Float64Array) =>
    Array.from(values, (value, n) => (isNear[n] && Number.isFinite(value) ? value : NOWHERE));
  return { side: SIDE, x: placed(x), y: placed(y) };
}
