import type { Crs } from '../../../data/crs-reference.ts';
import { FormatError } from '../../../errors.ts';
import { crsFromProj, crsFromWkt, wgs84 } from '../../../geo/crs/crs.ts';
import {
  type CfAttributes,
  type CfContext,
  type CfFile,
  type CfVariable,
  numberOf,
  numbersOf,
  shortened,
  textOf,
} from './variable.ts';

/**
 * The variable that an attribute `grid_mapping` names: the one for x if it names several (`crs: x y other: lat lon`).
 */
export function gridMappingOf(variable: CfVariable, x: string | undefined): string | undefined {
  const text = textOf(variable.metadata.attributes.grid_mapping);
  if (text === undefined || !text.includes(':')) return text?.split(/\s+/)[0];
  const named: { mapping: string; of: string[] }[] = [];
  for (const word of text.replaceAll(':', ': ').split(/\s+/))
    if (word.endsWith(':')) named.push({ mapping: word.slice(0, -1), of: [] });
    else named.at(-1)?.of.push(word);
  return (named.find(({ of }) => x !== undefined && of.includes(x)) ?? named[0])?.mapping;
}

/**
 * The coordinate system of a grid mapping: its WKT, else its parameters (CF appendix F). Undefined with a remark for
 * one that cannot be read.
 */
export async function crsOfMapping(file: CfFile, name: string, { remark }: CfContext): Promise<Crs | undefined> {
  const attributes = file.variables.get(name)?.metadata.attributes ?? {};
  const wkt = textOf(attributes.crs_wkt) ?? textOf(attributes.spatial_ref);
  if (wkt !== undefined) return identified(wkt);
  try {
    return await crsOfParameters(attributes);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    remark(`The coordinate system of '${shortened(name)}' is not known: ${error.message}`);
    return undefined;
  }
}

/**
 * The coordinate system of the parameters of a grid mapping (CF appendix F).
 * @throws FormatError for a projection that is not supported, or without a parameter that it needs
 */
export async function crsOfParameters(attributes: CfAttributes): Promise<Crs> {
  const word = textOf(attributes.grid_mapping_name) ?? '';
  if (word === 'latitude_longitude' && isWgs84(attributes)) return wgs84;
  const { authority, code, ...known } = await crsFromProj(projString(word, attributes));
  if (authority !== undefined && code !== undefined) return { authority, code, wkt: known.wkt };
  return {
    wkt: named(known.wkt, textOf(attributes.projected_crs_name) ?? textOf(attributes.geographic_crs_name) ?? word),
  };
}

/** A system that is made of parameters has no name. */
const named = (wkt: string, name: string): string =>
  wkt.replace(
    /^([A-Z]+\[)"(?:unknown|unnamed)"/,
    (_, before: string) => `${before}"${shortened(name).replaceAll('"', "'")}"`,
  );

async function identified(wkt: string): Promise<Crs> {
  try {
    const { authority, code } = await crsFromWkt(wkt);
    return authority === undefined || code === undefined ? { wkt } : { authority, code, wkt };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { wkt };
  }
}

const nameKeys = ['reference_ellipsoid_name', 'horizontal_datum_name', 'geographic_crs_name'];

/** Ellipsoid and datum of WGS 84, or none at all. */
function isWgs84(attributes: CfAttributes): boolean {
  const names = nameKeys.flatMap((key) => textOf(attributes[key]) ?? []);
  const isNamed = names.some((name) =>
    /^(?:WGS[ _]?(?:19)?84|World Geodetic System 1984|WGS_1984|D_WGS_1984)$/i.test(name),
  );
  if (names.length > 0 && !isNamed) return false;
  if ((numberOf(attributes.longitude_of_prime_meridian) ?? 0) !== 0) return false;
  const [axis, flattening] = [numberOf(attributes.semi_major_axis), numberOf(attributes.inverse_flattening)];
  if (numberOf(attributes.earth_radius) !== undefined) return false;
  const minor = numberOf(attributes.semi_minor_axis);
  return (
    (axis === undefined || axis === 6378137) &&
    (flattening === undefined || Math.abs(flattening - 298.257223563) < 1e-8) &&
    (minor === undefined || Math.abs(minor - 6356752.314245179) < 1e-4)
  );
}

type Needed = (key: string) => number;

/** PROJ's parameters for each projection of CF appendix F but views from space. */
const projections: Readonly<
  Record<string, (given: (key: string) => number | undefined, need: Needed, list: (key: string) => number[]) => string>
> = {
  latitude_longitude: () => '+proj=longlat',
  albers_conical_equal_area: (given, need, list) =>
    `+proj=aea ${parallels(list)} +lat_0=${given('latitude_of_projection_origin') ?? 0} +lon_0=${need('longitude_of_central_meridian')}`,
  azimuthal_equidistant: (_, need) =>
    `+proj=aeqd +lat_0=${need('latitude_of_projection_origin')} +lon_0=${need('longitude_of_projection_origin')}`,
  lambert_azimuthal_equal_area: (_, need) =>
    `+proj=laea +lat_0=${need('latitude_of_projection_origin')} +lon_0=${need('longitude_of_projection_origin')}`,
  lambert_conformal_conic: (given, need, list) => {
    const two = parallels(list);
    const origin = given('latitude_of_projection_origin') ?? list('standard_parallel')[0]!;
    const scale = given('scale_factor_at_projection_origin');
    return `+proj=lcc ${two} +lat_0=${origin} +lon_0=${need('longitude_of_central_meridian')}${scale === undefined ? '' : ` +k_0=${scale}`}`;
  },
  lambert_cylindrical_equal_area: (given, need) => {
    const scale = given('scale_factor_at_projection_origin');
    return `+proj=cea ${scale === undefined ? `+lat_ts=${need('standard_parallel')}` : `+k_0=${scale}`} +lon_0=${need('longitude_of_central_meridian')}`;
  },
  mercator: (given, need) => {
    const scale = given('scale_factor_at_projection_origin');
    return `+proj=merc ${scale === undefined ? `+lat_ts=${need('standard_parallel')}` : `+k_0=${scale}`} +lon_0=${need('longitude_of_projection_origin')}`;
  },
  oblique_mercator: (given, need) =>
    `+proj=omerc +alpha=${need('azimuth_of_central_line')} +gamma=0 +lat_0=${need('latitude_of_projection_origin')} +lonc=${need('longitude_of_projection_origin')} +k_0=${given('scale_factor_at_projection_origin') ?? 1}`,
  orthographic: (_, need) =>
    `+proj=ortho +lat_0=${need('latitude_of_projection_origin')} +lon_0=${need('longitude_of_projection_origin')}`,
  polar_stereographic: (given, need) => {
    const pole = need('latitude_of_projection_origin');
    const scale = given('scale_factor_at_projection_origin');
    const meridian = given('straight_vertical_longitude_from_pole') ?? need('longitude_of_projection_origin');
    const size = scale === undefined ? `+lat_ts=${need('standard_parallel')}` : `+k_0=${scale}`;
    return `+proj=stere +lat_0=${pole} ${size} +lon_0=${meridian}`;
  },
  // A pole is at longitude, latitude; PROJ wants the longitude of the meridian opposite of it.
  rotated_latitude_longitude: (given, need) =>
    `+proj=ob_tran +o_proj=longlat +o_lon_p=${given('north_pole_grid_longitude') ?? 0} +o_lat_p=${need('grid_north_pole_latitude')} +lon_0=${180 + need('grid_north_pole_longitude')} +to_meter=0.0174532925199433`,
  sinusoidal: (given, need) =>
    `+proj=sinu +lon_0=${given('longitude_of_central_meridian') ?? need('longitude_of_projection_origin')}`,
  stereographic: (given, need) =>
    `+proj=stere +lat_0=${need('latitude_of_projection_origin')} +lon_0=${need('longitude_of_projection_origin')} +k_0=${given('scale_factor_at_projection_origin') ?? 1}`,
  transverse_mercator: (given, need) =>
    `+proj=tmerc +lat_0=${given('latitude_of_projection_origin') ?? 0} +lon_0=${need('longitude_of_central_meridian')} +k_0=${given('scale_factor_at_central_meridian') ?? 1}`,
};

function parallels(list: (key: string) => number[]): string {
  const [first, second] = list('standard_parallel');
  if (first === undefined) throw lacking('standard_parallel');
  return `+lat_1=${first}${second === undefined ? '' : ` +lat_2=${second}`}`;
}

const lacking = (key: string) => new FormatError(`The parameter '${key}' is missing.`);

/** @throws FormatError for a projection that is not known, or without a parameter that it needs */
function projString(word: string, attributes: CfAttributes): string {
  const projection = Object.hasOwn(projections, word) ? projections[word] : undefined;
  if (projection === undefined)
    throw new FormatError(
      word === ''
        ? 'It has neither a WKT nor a grid_mapping_name.'
        : `The projection '${shortened(word)}' is not supported.`,
    );
  const given = (key: string): number | undefined => {
    const value = numberOf(attributes[key]);
    return value !== undefined && Number.isFinite(value) ? value : undefined;
  };
  const need = (key: string): number => {
    const value = given(key);
    if (value === undefined) throw lacking(key);
    return value;
  };
  const list = (key: string) => numbersOf(attributes[key]).map(Number).filter(Number.isFinite);
  const isPlane = word !== 'latitude_longitude' && word !== 'rotated_latitude_longitude';
  const origin = isPlane ? ` +x_0=${given('false_easting') ?? 0} +y_0=${given('false_northing') ?? 0} +units=m` : '';
  return `${projection(given, need, list)}${origin} ${ellipsoid(attributes, given)} +no_defs +type=crs`;
}

function ellipsoid(attributes: CfAttributes, given: (key: string) => number | undefined): string {
  const meridian = given('longitude_of_prime_meridian') ?? 0;
  const prime = meridian === 0 ? '' : ` +pm=${meridian}`;
  if (isWgs84(attributes)) return `+datum=WGS84${prime}`;
  const [major, minor, flattening] = ['semi_major_axis', 'semi_minor_axis', 'inverse_flattening'].map(given);
  const radius = given('earth_radius');
  if (radius !== undefined) return `+R=${radius}${prime}`;
  if (major !== undefined && flattening === 0) return `+R=${major}${prime}`;
  if (major !== undefined && flattening !== undefined) return `+a=${major} +rf=${flattening}${prime}`;
  if (major !== undefined && minor !== undefined)
    return major === minor ? `+R=${major}${prime}` : `+a=${major} +b=${minor}${prime}`;
  if (major !== undefined) return `+R=${major}${prime}`;
  const names = nameKeys.flatMap((key) => textOf(attributes[key]) ?? []).join(' ');
  const known = ellipsoids.find(([pattern]) => pattern.test(names));
  if (known === undefined) throw new FormatError(`The ellipsoid or datum '${shortened(names)}' is not known.`);
  return `${known[1]}${prime}`;
}

const ellipsoids: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/WGS[ _]?(?:19)?72/i, '+ellps=WGS72'],
  [/GRS[ _]?(?:19)?80|ETRS|NAD[ _]?83|North[_ ]American[_ ](?:Datum[_ ])?1983/i, '+ellps=GRS80'],
  [/Bessel/i, '+ellps=bessel'],
  [/International|Hayford|ED50|European[_ ]Datum[_ ]1950/i, '+ellps=intl'],
  [/Airy/i, '+ellps=airy'],
  [/Clarke[ _]?1866|NAD[ _]?27|North[_ ]American[_ ](?:Datum[_ ])?1927/i, '+ellps=clrk66'],
  [/Clarke[ _]?1880/i, '+ellps=clrk80'],
  [/Krass/i, '+ellps=krass'],
  [/sphere/i, '+ellps=sphere'],
];
