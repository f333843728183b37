import type { Crs } from '../../../data/crs-reference.ts';
import { FormatError } from '../../../errors.ts';
import { crsText } from '../../../geo/crs/crs.ts';
import { parseWkt, type WktNode } from '../../../geo/crs/wkt.ts';
import type { Attributes } from '../../io/store/array-spec.ts';

/** Projections of WKT 1 and their names in CF appendix F, with the parameters that are called otherwise there. */
const projections: Readonly<Record<string, readonly [name: string, parameters: Readonly<Record<string, string>>]>> = {
  Transverse_Mercator: [
    'transverse_mercator',
    {
      latitude_of_origin: 'latitude_of_projection_origin',
      central_meridian: 'longitude_of_central_meridian',
      scale_factor: 'scale_factor_at_central_meridian',
    },
  ],
  Mercator_1SP: [
    'mercator',
    { central_meridian: 'longitude_of_projection_origin', scale_factor: 'scale_factor_at_projection_origin' },
  ],
  Mercator_2SP: [
    'mercator',
    { central_meridian: 'longitude_of_projection_origin', standard_parallel_1: 'standard_parallel' },
  ],
  Lambert_Conformal_Conic_1SP: [
    'lambert_conformal_conic',
    {
      latitude_of_origin: 'latitude_of_projection_origin standard_parallel',
      central_meridian: 'longitude_of_central_meridian',
    },
  ],
  Lambert_Conformal_Conic_2SP: [
    'lambert_conformal_conic',
    {
      latitude_of_origin: 'latitude_of_projection_origin',
      central_meridian: 'longitude_of_central_meridian',
      standard_parallel_1: 'standard_parallel',
      standard_parallel_2: 'standard_parallel',
    },
  ],
  Lambert_Azimuthal_Equal_Area: [
    'lambert_azimuthal_equal_area',
    { latitude_of_center: 'latitude_of_projection_origin', longitude_of_center: 'longitude_of_projection_origin' },
  ],
  Albers_Conic_Equal_Area: [
    'albers_conical_equal_area',
    {
      latitude_of_center: 'latitude_of_projection_origin',
      longitude_of_center: 'longitude_of_central_meridian',
      standard_parallel_1: 'standard_parallel',
      standard_parallel_2: 'standard_parallel',
    },
  ],
  Azimuthal_Equidistant: [
    'azimuthal_equidistant',
    { latitude_of_center: 'latitude_of_projection_origin', longitude_of_center: 'longitude_of_projection_origin' },
  ],
  Orthographic: [
    'orthographic',
    { latitude_of_origin: 'latitude_of_projection_origin', central_meridian: 'longitude_of_projection_origin' },
  ],
  Oblique_Stereographic: [
    'stereographic',
    {
      latitude_of_origin: 'latitude_of_projection_origin',
      central_meridian: 'longitude_of_projection_origin',
      scale_factor: 'scale_factor_at_projection_origin',
    },
  ],
  Sinusoidal: ['sinusoidal', { longitude_of_center: 'longitude_of_projection_origin' }],
};

/**
 * Attributes of CF for a grid mapping besides the WKT. None for a projection that CF does not have, or that is in
 * another unit than metres.
 */
export async function mappingParameters(crs: Crs): Promise<Attributes> {
  let root: WktNode;
  try {
    root = parseWkt(await crsText(crs, 'WKT1_GDAL'));
  } catch (error) {
    if (error instanceof FormatError) return {};
    throw error;
  }
  const geographic = root.keyword === 'GEOGCS' ? root : nodesOf(root, 'GEOGCS')[0];
  if (geographic === undefined) return {};
  const figure = figureOf(geographic);
  if (root.keyword === 'GEOGCS') return { grid_mapping_name: 'latitude_longitude', ...figure };
  const [name = ''] = textsOf(nodesOf(root, 'PROJECTION')[0]);
  const projection = Object.hasOwn(projections, name) ? projections[name] : undefined;
  const [unit] = nodesOf(root, 'UNIT').slice(-1);
  if (projection === undefined || unit?.values[1] !== 1) return {};
  const [mapping, renamed] = projection;
  const attributes: Record<string, number | number[] | string> = { grid_mapping_name: mapping };
  for (const parameter of nodesOf(root, 'PARAMETER')) {
    const [key, value] = parameter.values as [string, number];
    for (const own of (renamed[key] ?? (/^false_/.test(key) ? key : '')).split(' ')) {
      if (own === '') continue;
      const before = attributes[own];
      attributes[own] =
        own === 'standard_parallel' && typeof before === 'number' && before !== value ? [before, value] : value;
    }
  }
  const [projected] = textsOf(root);
  return { ...attributes, ...figure, ...(projected === undefined ? {} : { projected_crs_name: projected }) };
}

function figureOf(geographic: WktNode): Attributes {
  const [datum] = nodesOf(geographic, 'DATUM');
  const [spheroid] = datum === undefined ? [] : nodesOf(datum, 'SPHEROID');
  const [meridian] = nodesOf(geographic, 'PRIMEM');
  const [name] = textsOf(geographic);
  if (spheroid === undefined) return {};
  const [major, flattening] = spheroid.values.slice(1) as [number, number];
  return {
    ...(name === undefined ? {} : { geographic_crs_name: name }),
    semi_major_axis: major,
    inverse_flattening: flattening,
    longitude_of_prime_meridian: Number(meridian?.values[1] ?? 0),
  };
}

const nodesOf = ({ values }: WktNode, keyword: string): WktNode[] =>
  values.flatMap((one) => (typeof one === 'object' && one.keyword === keyword ? [one] : []));

const textsOf = (node: WktNode | undefined): string[] =>
  (node?.values ?? []).flatMap((one) => (typeof one === 'string' ? [one] : []));
