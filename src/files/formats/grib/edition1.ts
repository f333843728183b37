import { FormatError } from '../../errors.ts';
import type { CfAttributes } from '../io/cf/variable.ts';
import { rotatedPole } from './edition2-grid.ts';
import type { Field, FieldGrid, FieldTime, Parameter, Process } from './field.ts';
import { fieldGrid } from './grid.ts';
import { specialLevel } from './levels.ts';
import type { Octets } from './octets.ts';
import { sampleOf1 } from './samples.ts';
import { internationalName } from './standard-names.ts';
import { after, timeOfDate } from './times.ts';

/** European Centre for Medium-Range Weather Forecasts (table 0). */
const ECMWF = 98;

const processes: Readonly<Record<number, Process>> = { 2: 'other', 3: 'average', 4: 'accumulation', 5: 'difference' };

/** What section 1 of a message of GRIB 1 says of the field. */
export function productOf(octets: Octets, offset: number): Pick<Field, 'parameter' | 'level' | 'time' | 'member'> {
  const centre = octets.unsigned(5, 1);
  const member = memberOf(octets, centre);
  return {
    parameter: parameterOf(octets, centre),
    level: specialLevel(octets.unsigned(10, 1), octets.unsigned(11, 1), octets.unsigned(12, 1)),
    time: timeOf(octets, offset),
    ...(member === undefined ? {} : { member }),
  };
}

function parameterOf(octets: Octets, centre: number): Parameter {
  const table = octets.unsigned(4, 1);
  const number = octets.unsigned(9, 1);
  const subcentre = octets.unsigned(26, 1);
  // up to version 3, numbers below 128 are the same everywhere
  const international = table <= 3 && number < 128;
  const standardName = international ? internationalName(number) : undefined;
  return {
    key: JSON.stringify([1, table, number, ...(international ? [] : [centre, subcentre])]),
    label: `${table}-${number}`,
    ...(standardName === undefined ? {} : { standardName }),
    sample: sampleOf1(octets.from(1)),
  };
}

/** Local definitions of ECMWF that begin with class, type, stream, version and the number of the member. */
function memberOf(octets: Octets, centre: number): number | undefined {
  if (centre !== ECMWF || octets.length < 51 || ![1, 30].includes(octets.unsigned(41, 1))) return undefined;
  const [number, total] = [octets.unsigned(50, 1), octets.unsigned(51, 1)];
  return total > 0 ? number : undefined;
}

function timeOf(octets: Octets, offset: number): FieldTime {
  const year = (octets.unsigned(25, 1) - 1) * 100 + octets.unsigned(13, 1);
  const date = [14, 15, 16, 17].map((octet) => octets.unsigned(octet, 1));
  const reference = timeOfDate([year, ...date, 0] as never, offset);
  const unit = octets.unsigned(18, 1);
  const at = (count: number) => after(reference, count, unit, 1, offset);
  const [first, second] = [octets.unsigned(19, 1), octets.unsigned(20, 1)];
  const indicator = octets.unsigned(21, 1);
  const process = processes[indicator];
  if (process !== undefined) return { reference, valid: at(second), from: at(first), process };
  if (indicator === 10) return { reference, valid: at(octets.unsigned(19, 2)) };
  if (indicator === 0 || indicator === 1) return { reference, valid: at(indicator === 1 ? 0 : first) };
  if (indicator === 6 || indicator === 7)
    return { reference, from: at(-first), valid: at(indicator === 6 ? -second : second), process: 'average' };
  throw new FormatError(`A message has the time range ${indicator} of table 5, which is not supported.`, offset);
}

/** Table 6, for a sentence. */
const others: Readonly<Record<number, string>> = {
  2: 'gnomonic',
  6: 'universal transverse Mercator',
  7: 'simple polyconic',
  9: 'oblique Lambert',
  14: 'rotated Gaussian latitude/longitude',
  24: 'stretched Gaussian latitude/longitude',
  34: 'stretched and rotated Gaussian latitude/longitude',
  50: 'spherical harmonic coefficients',
  60: 'rotated spherical harmonic coefficients',
  90: 'space view perspective',
  192: 'icosahedral triangular grid',
};

/**
 * The grid of a section 2.
 * @throws FormatError for a grid that is not supported
 */
export function gridOfDescription(octets: Octets, offset: number): FieldGrid {
  const type = octets.unsigned(6, 1);
  const columns = octets.unsigned(7, 2);
  const degrees = (octet: number) => octets.signed(octet, 3) / 1000;
  const flags = octets.unsigned(17, 1);
  const earth: CfAttributes =
    (flags & 0x40) === 0 ? { earth_radius: 6367470 } : { semi_major_axis: 6378160, inverse_flattening: 297 };
  const head = {
    offset,
    height: octets.unsigned(9, 2),
    earth,
    components: flags,
    scanning: octets.unsigned(28, 1),
    first: { latitude: degrees(11), longitude: degrees(14) },
    ...(columns === 0xffff ? { width: undefined, rowLengths: listed(octets, offset) } : { width: columns }),
  };
  const last = { latitude: degrees(18), longitude: degrees(21) };
  const projected = (dx: number, projection: CfAttributes) =>
    fieldGrid({
      ...head,
      template: 'projected',
      spacing: { x: octets.unsigned(dx, 3), y: octets.unsigned(dx + 3, 3) },
      projection,
    });
  switch (type) {
    case 0:
      return fieldGrid({ ...head, template: 'latitude_longitude', last, projection: {} });
    case 4:
      return fieldGrid({ ...head, template: 'gaussian', last, gaussian: octets.unsigned(26, 2), projection: {} });
    case 10:
      return fieldGrid({
        ...head,
        template: 'rotated_latitude_longitude',
        last,
        projection: rotatedPole(degrees(33), degrees(36), octets.ibm(39)),
      });
    case 1:
      return projected(29, {
        grid_mapping_name: 'mercator',
        standard_parallel: degrees(24),
        longitude_of_projection_origin: head.first.longitude,
      });
    case 3:
      return projected(21, {
        grid_mapping_name: 'lambert_conformal_conic',
        standard_parallel: [degrees(29), degrees(32)],
        latitude_of_projection_origin: degrees(29),
        longitude_of_central_meridian: degrees(18),
      });
    case 5: {
      const south = (octets.unsigned(27, 1) & 0x80) !== 0;
      return projected(21, {
        grid_mapping_name: 'polar_stereographic',
        latitude_of_projection_origin: south ? -90 : 90,
        standard_parallel: south ? -60 : 60,
        straight_vertical_longitude_from_pole: degrees(18),
      });
    }
    default:
      throw new FormatError(
        `The file has a grid of type ${type}${others[type] === undefined ? '' : ` (${others[type]})`}, which is not supported.`,
        offset,
      );
  }
}

/** Numbers of points of the rows: after the vertical coordinates, if there are any. */
function listed(octets: Octets, offset: number): number[] {
  const height = octets.unsigned(9, 2);
  const start = octets.unsigned(5, 1) + 4 * octets.unsigned(4, 1);
  if (octets.unsigned(5, 1) === 255 || octets.length < start - 1 + 2 * height)
    throw new FormatError('A grid has rows of different lengths, but does not list them.', offset);
  return Array.from({ length: height }, (_, n) => octets.unsigned(start + 2 * n, 2));
}
