import { FormatError } from '../../errors.ts';
import type { CfAttributes } from '../io/cf/variable.ts';
import type { FieldGrid } from './field.ts';
import { fieldGrid, type GridDefinition } from './grid.ts';
import type { Octets } from './octets.ts';

const wgs84 = { semi_major_axis: 6378137, inverse_flattening: 298.257223563 };

/** Table 3.2, the shape of the earth, by attributes of CF. */
function earthOf(octets: Octets): CfAttributes {
  const shape = octets.unsigned(15, 1);
  const radius = octets.scaled(16);
  const [major, minor] = [octets.scaled(21), octets.scaled(26)];
  switch (shape) {
    case 0:
      return { earth_radius: 6367470 };
    case 1:
      return { earth_radius: radius ?? 6371229 };
    case 2:
      return { semi_major_axis: 6378160, inverse_flattening: 297 };
    case 3:
      return { semi_major_axis: 1000 * (major ?? 0), semi_minor_axis: 1000 * (minor ?? 0) };
    case 4:
      return { semi_major_axis: 6378137, inverse_flattening: 298.257222101 };
    case 5:
      return wgs84;
    case 7:
      return { semi_major_axis: major ?? 0, semi_minor_axis: minor ?? 0 };
    case 8:
      return { earth_radius: 6371200 };
    case 9:
      return { semi_major_axis: 6377563.396, semi_minor_axis: 6356256.909 };
    default:
      return { earth_radius: 6371229 };
  }
}

/** Names of grids (table 3.1) that are not read, for a sentence. */
const others: Readonly<Record<number, string>> = {
  4: 'variable latitude/longitude',
  2: 'stretched latitude/longitude',
  3: 'stretched and rotated latitude/longitude',
  5: 'rotated variable latitude/longitude',
  12: 'transverse Mercator',
  41: 'rotated Gaussian latitude/longitude',
  42: 'stretched Gaussian latitude/longitude',
  43: 'stretched and rotated Gaussian latitude/longitude',
  50: 'spherical harmonic coefficients',
  51: 'rotated spherical harmonic coefficients',
  90: 'space view perspective',
  100: 'icosahedral triangular grid',
  101: 'unstructured grid',
  110: 'equatorial azimuthal equidistant',
  1000: 'cross-section',
  1100: 'Hovmöller diagram',
  1200: 'time section',
};

const supported = [0, 1, 10, 20, 30, 31, 40, 140];
/** Templates of longitudes and latitudes, whose rows may have different lengths. */
const geographic = [0, 1, 40];

/**
 * The grid of a section 3.
 * @param offset of the section in the file
 * @throws FormatError for a template that is not supported
 */
export function gridOfSection(octets: Octets, offset: number): FieldGrid {
  const source = octets.unsigned(6, 1);
  const number = octets.unsigned(13, 2);
  if (!supported.includes(number))
    throw new FormatError(
      `The file has a grid of the template 3.${number}${others[number] === undefined ? '' : ` (${others[number]})`}, which is not supported.`,
      offset,
    );
  if (source !== 0) throw new FormatError(`A grid is defined elsewhere (source ${source} of table 3.0).`, offset);
  const width = octets.unsigned(31, 4);
  const head = {
    offset,
    height: octets.unsigned(35, 4),
    earth: earthOf(octets),
    ...(width === 0xffffffff ? { width: undefined, rowLengths: listed(octets, number, offset) } : { width }),
  };
  const degrees = unitOf(octets, number);
  const angle = (octet: number, size = degrees) => octets.signed(octet, 4) * size;
  const point = (octet: number, size = degrees) => ({
    latitude: rounded(angle(octet, size)),
    longitude: rounded(angle(octet + 4, size)),
  });
  const ofLongitudes = (template: GridDefinition['template'], projection: CfAttributes = {}): FieldGrid =>
    fieldGrid({
      ...head,
      template,
      first: point(47),
      last: point(56),
      components: octets.unsigned(55, 1),
      scanning: octets.unsigned(72, 1),
      projection,
      ...(template === 'gaussian' ? { gaussian: octets.unsigned(68, 4) } : {}),
    });
  const micro = 1e-6;
  const milli = (octet: number) => octets.unsigned(octet, 4) / 1000;
  const projected = (at: { dx: number; scanning: number }, projection: CfAttributes): FieldGrid =>
    fieldGrid({
      ...head,
      template: 'projected',
      first: point(39, micro),
      spacing: { x: milli(at.dx), y: milli(at.dx + 4) },
      components: octets.unsigned(number === 140 ? 55 : 47, 1),
      scanning: octets.unsigned(at.scanning, 1),
      projection,
    });
  switch (number) {
    case 0:
      return ofLongitudes('latitude_longitude');
    case 40:
      return ofLongitudes('gaussian');
    case 1:
      return ofLongitudes(
        'rotated_latitude_longitude',
        rotatedPole(angle(73, micro), angle(77, micro), octets.single(81)),
      );
    case 10:
      return projected(
        { dx: 65, scanning: 60 },
        {
          grid_mapping_name: 'mercator',
          standard_parallel: rounded(angle(48, micro)),
          longitude_of_projection_origin: point(39, micro).longitude,
        },
      );
    case 20:
      return projected(
        { dx: 56, scanning: 65 },
        {
          grid_mapping_name: 'polar_stereographic',
          latitude_of_projection_origin: (octets.unsigned(64, 1) & 0x80) === 0 ? 90 : -90,
          standard_parallel: rounded(angle(48, micro)),
          straight_vertical_longitude_from_pole: rounded(angle(52, micro)),
        },
      );
    case 30:
    case 31:
      return projected(
        { dx: 56, scanning: 65 },
        {
          grid_mapping_name: number === 30 ? 'lambert_conformal_conic' : 'albers_conical_equal_area',
          standard_parallel: [rounded(angle(66, micro)), rounded(angle(70, micro))],
          latitude_of_projection_origin: rounded(angle(48, micro)),
          longitude_of_central_meridian: rounded(angle(52, micro)),
        },
      );
    default:
      return projected(
        { dx: 56, scanning: 64 },
        {
          grid_mapping_name: 'lambert_azimuthal_equal_area',
          latitude_of_projection_origin: rounded(angle(47, micro)),
          longitude_of_projection_origin: rounded(angle(51, micro)),
        },
      );
  }
}

/** From a southern pole of rotation, and an angle about the new polar axis. */
export const rotatedPole = (latitude: number, longitude: number, angle: number): CfAttributes => ({
  grid_mapping_name: 'rotated_latitude_longitude',
  grid_north_pole_latitude: rounded(-latitude),
  grid_north_pole_longitude: rounded(longitude > 0 ? longitude - 180 : longitude + 180),
  north_pole_grid_longitude: rounded(-angle),
});

const rounded = (value: number): number => Number(value.toFixed(6)) + 0;

/** Degrees of the numbers of a grid: millionths, unless it names a basic angle and subdivisions of it. */
function unitOf(octets: Octets, template: number): number {
  if (!geographic.includes(template)) return 1e-6;
  const [angle, parts] = [octets.unsigned(39, 4), octets.unsigned(43, 4)];
  return angle === 0 || angle === 0xffffffff || parts === 0 || parts === 0xffffffff ? 1e-6 : angle / parts;
}

/** Numbers of points of the rows, after the template. */
function listed(octets: Octets, template: number, offset: number): number[] {
  const size = octets.unsigned(11, 1);
  const height = octets.unsigned(35, 4);
  const start = template === 1 ? 85 : 73;
  const isSize = size === 1 || size === 2 || size === 4;
  if (!geographic.includes(template) || !isSize || octets.length < start - 1 + height * size)
    throw new FormatError('A grid has rows of different lengths, but does not list them.', offset);
  return Array.from({ length: height }, (_, n) => octets.unsigned(start + n * size, size));
}
