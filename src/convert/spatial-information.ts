import type { Crs } from '../data/crs-reference.ts';
import type { Affine, Grid } from '../data/grid.ts';
import { FormatError } from '../errors.ts';
import type { Context } from '../formats/define.ts';
import { describeCrs, sridOf, wgs84 } from '../geo/crs/crs.ts';
import { transformer } from '../geo/crs/transform.ts';
import { outlineWkt } from '../geo/vector/outline.ts';

/** As the record of a dataset states it. */
export interface SpatialInformation {
  /** The outline as WKT, WGS 84, longitude before latitude. */
  location?: string;
  /** WKT of the coordinate system. */
  primarySpatialReference?: string;
  srid?: number;
  /** Side of a cell in units of the coordinate system. */
  resolution?: number;
}

/** Points on each side of an outline: straight lines of one system are curves in another. */
const pointsPerSide = 8;

/** Undefined for a grid that does not say in which coordinate system it is. */
export async function spatialInformation(
  grid: Pick<Grid, 'crs' | 'affine' | 'width' | 'height'>,
  { log }: Context,
): Promise<SpatialInformation | undefined> {
  if (grid.crs === undefined) return undefined;
  const resolution = Math.hypot(grid.affine[1], grid.affine[4]);
  try {
    const crs = await describeCrs(grid.crs);
    const { x, y } = outline(grid.affine, grid.width, grid.height);
    const change = await transformer(crs, wgs84);
    const lost = change.forward(x, y);
    change.close();
    const points = Array.from(x, (lon, n) => `${round(lon)} ${round(y[n]!)}`);
    return {
      ...(lost > 0 ? {} : { location: `POLYGON((${[...points, points[0]].join(', ')}))` }),
      primarySpatialReference: crs.wkt,
      ...(crs.code === undefined ? {} : { srid: crs.code }),
      resolution,
    };
  } catch (error) {
    // The data are converted all the same; only this description of them is poorer.
    if (!(error instanceof FormatError)) throw error;
    log('warning', `The place of the data is not known: ${error.message}`);
    return { resolution };
  }
}

const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;

function outline([x0, a, b, y0, c, d]: Affine, width: number, height: number): { x: Float64Array; y: Float64Array } {
  const corners = [
    [0, 0],
    [0, height],
    [width, height],
    [width, 0],
  ] as const;
  const places = corners.flatMap(([column, row], n) => {
    const [toColumn, toRow] = corners[(n + 1) % 4]!;
    return Array.from({ length: pointsPerSide }, (_, step): [number, number] => {
      const share = step / pointsPerSide;
      return [column + (toColumn - column) * share, row + (toRow - row) * share];
    });
  });
  return {
    x: Float64Array.from(places, ([column, row]) => x0 + column * a + row * b),
    y: Float64Array.from(places, ([column, row]) => y0 + column * c + row * d),
  };
}

/** Of data that are known by their box; undefined where they do not say in which coordinate system it is, or there is none. */
export async function boxInformation(
  crs: Crs | undefined,
  { minimum, maximum }: { minimum?: number[]; maximum?: number[] },
  { log }: Context,
): Promise<SpatialInformation | undefined> {
  if (crs === undefined || minimum === undefined || maximum === undefined) return undefined;
  const [west, south] = minimum as [number, number];
  const [east, north] = maximum as [number, number];
  try {
    const known = await describeCrs(crs);
    // In WGS 84 the box is the outline, and PROJ need not be loaded.
    const location =
      sridOf(crs) === 'EPSG:4326'
        ? boxWkt(west, south, east, north)
        : await outlineWkt({ width: 1, height: 1, affine: [west, east - west, 0, north, 0, south - north] }, known);
    return {
      ...(location === undefined ? {} : { location }),
      primarySpatialReference: known.wkt,
      ...(known.code === undefined ? {} : { srid: known.code }),
    };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    log('warning', `The place of the data is not known: ${error.message}`);
    return undefined;
  }
}

function boxWkt(west: number, south: number, east: number, north: number): string {
  const corners = [
    [west, north],
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
  return `POLYGON ((${corners.map((corner) => corner.map((degrees) => Number(degrees.toFixed(7))).join(' ')).join(', ')}))`;
}
