import type { Crs } from '../data/crs-reference.ts';
import type { Grid } from '../data/grid.ts';
import { FormatError } from '../errors.ts';
import type { Context } from '../formats/define.ts';
import { describeCrs } from '../geo/crs/crs.ts';
import { boxGeometry, outlineWkt } from '../geo/vector/outline.ts';
import type { GridGeometry } from '../geo/warp/image-transformer.ts';

/** `spatialInformation` of a dataset in the API. */
export interface SpatialInformation {
  /** The outline as WKT, WGS 84, longitude before latitude. */
  location?: string;
  /** WKT of the coordinate system. */
  primarySpatialReference?: string;
  srid?: number;
  /** Side of a cell in units of the coordinate system. */
  resolution?: number;
}

/** Undefined for a grid without a coordinate system. One without a place in it has no location. */
export async function spatialInformation(
  grid: Pick<Grid, 'crs' | 'located' | 'affine' | 'width' | 'height'>,
  context: Context,
): Promise<SpatialInformation | undefined> {
  if (grid.crs === undefined) return undefined;
  if (grid.located === false) return describePlace(grid.crs, undefined, context);
  const resolution = Math.hypot(grid.affine[1], grid.affine[4]);
  return { ...(await describePlace(grid.crs, grid, context)), resolution };
}

/** From a bounding box. Undefined without a coordinate system or a box. */
export async function boxInformation(
  crs: Crs | undefined,
  { minimum, maximum }: { minimum?: number[]; maximum?: number[] },
  context: Context,
): Promise<SpatialInformation | undefined> {
  if (crs === undefined || minimum === undefined || maximum === undefined) return undefined;
  const [west, south] = minimum as [number, number];
  const [east, north] = maximum as [number, number];
  return describePlace(crs, boxGeometry(west, south, east, north), context);
}

async function describePlace(
  crs: Crs,
  geometry: GridGeometry | undefined,
  { log }: Context,
): Promise<SpatialInformation | undefined> {
  try {
    const known = await describeCrs(crs);
    const location = geometry && (await outlineWkt(geometry, known));
    return {
      ...(location === undefined ? {} : { location }),
      primarySpatialReference: known.wkt,
      ...(known.code === undefined ? {} : { srid: known.code }),
    };
  } catch (error) {
    // the conversion succeeds; only the dataset's spatialInformation is missing
    if (!(error instanceof FormatError)) throw error;
    log('warning', `The location of the data is not known: ${error.message}`);
    return undefined;
  }
}
