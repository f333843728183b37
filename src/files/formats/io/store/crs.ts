import type { Crs } from '../../../data/crs-reference.ts';
import type { Affine } from '../../../data/grid.ts';
import { FormatError } from '../../../errors.ts';
import { describeCrs, type KnownCrs } from '../../../geo/crs/crs.ts';
import type { ArraySpec, Attributes } from './array-spec.ts';

/** The grid mapping variable of CF. */
export const CRS = 'crs';

/** Looks up a coordinate system in the registry; undefined for an unknown one, whose text is kept unchanged. */
export async function known(crs: Crs | undefined): Promise<KnownCrs | undefined> {
  if (crs === undefined) return undefined;
  try {
    return await describeCrs(crs);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** The grid mapping variable, with GDAL's attribute of the matrix. */
export const crsArray = (crs: KnownCrs, affine?: Affine): ArraySpec =>
  scalar(CRS, {
    crs_wkt: crs.wkt,
    spatial_ref: crs.wkt,
    ...(crs.geographic ? { grid_mapping_name: 'latitude_longitude' } : {}),
    ...(affine === undefined ? {} : { GeoTransform: affine.join(' ') }),
  });

/** A variable whose value means nothing. */
export const scalar = (name: string, attributes: Attributes): ArraySpec => ({
  name,
  type: 'Int32',
  dimensions: [],
  shape: [],
  chunks: [],
  fill: 0,
  attributes,
});

/** Attributes of CF for the coordinates along x or y. */
export function coordinateAttributes(axis: 'x' | 'y', crs: KnownCrs | undefined): Attributes {
  if (crs === undefined) return { axis: axis.toUpperCase() };
  const { geographic, unit } = crs;
  if (geographic)
    return axis === 'x'
      ? { standard_name: 'longitude', units: 'degrees_east', axis: 'X' }
      : { standard_name: 'latitude', units: 'degrees_north', axis: 'Y' };
  return {
    standard_name: `projection_${axis}_coordinate`,
    units: unit.factor === 1 ? 'm' : unit.name,
    axis: axis.toUpperCase(),
  };
}
