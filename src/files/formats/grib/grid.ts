import { FormatError } from '../../errors.ts';
import { projecting } from '../../geo/crs/geographic-base.ts';
import { crsOfParameters } from '../io/cf/grid-mapping.ts';
import type { CfAttributes } from '../io/cf/variable.ts';
import type { AxisCoordinates, FieldAxes, FieldGrid } from './field.ts';
import { gaussianLatitudes } from './gaussian.ts';

/** What both editions say of a grid. Degrees and metres. */
export interface GridDefinition {
  readonly offset: number;
  readonly template: GridTemplate;
  /** Columns; undefined: rows have different lengths. */
  readonly width: number | undefined;
  readonly height: number;
  readonly rowLengths?: readonly number[];
  /** First point of the message. */
  readonly first: { readonly longitude: number; readonly latitude: number };
  /** Last point, of grids of longitudes and latitudes. */
  readonly last?: { readonly longitude: number; readonly latitude: number };
  /** Distance of columns and rows, of projected grids, without signs. */
  readonly spacing?: { readonly x: number; readonly y: number };
  /** Number of rows between a pole and the equator, of Gaussian grids. */
  readonly gaussian?: number;
  /** Resolution and component flags (flag table 3.3). */
  readonly components: number;
  /** Scanning mode (flag table 3.4). */
  readonly scanning: number;
  /** Attributes of the earth's shape by CF. */
  readonly earth: CfAttributes;
  /** Attributes of the projection by CF, but those of the earth. */
  readonly projection: CfAttributes;
}

export type GridTemplate = 'latitude_longitude' | 'rotated_latitude_longitude' | 'gaussian' | 'projected';

/** Flags of the scanning mode. */
const FROM_EAST = 0x80;
const FROM_SOUTH = 0x40;
const BY_COLUMNS = 0x20;
const ALTERNATING = 0x10;
/** Rows or columns are shifted against each other. */
const SHIFTED = 0x0f;

/** Most columns or rows, and most rows of a Gaussian grid between a pole and the equator. */
const [longest, finest] = [1_000_000, 4000];

/** Components of vectors are along x and y of the grid, not along true east and north. */
const ALONG_GRID = 0x08;

/** @throws FormatError for a grid whose cells do not stand in straight rows */
export function fieldGrid(definition: GridDefinition): FieldGrid {
  const { template, height, rowLengths, scanning, components, projection, offset } = definition;
  if ((scanning & SHIFTED) !== 0)
    throw new FormatError(
      `The rows of a grid are shifted (scanning mode ${scanning}), which is not supported.`,
      offset,
    );
  const width = definition.width ?? rowLengths!.reduce((most, length) => Math.max(most, length), 0);
  if (width === 0 || height === 0) throw new FormatError(`A grid has ${width} columns and ${height} rows.`, offset);
  if (width > longest || height > longest || (definition.gaussian ?? 0) > finest)
    throw new FormatError(`A grid has ${width} columns and ${height} rows; the maximum is ${longest}.`, offset);
  const name = template === 'projected' ? String(projection.grid_mapping_name) : template;
  return {
    key: JSON.stringify({ ...definition, offset: 0 }),
    label: `${width} × ${height} ${rowLengths === undefined ? '' : 'reduced '}${name}`,
    width,
    height,
    fromEast: (scanning & FROM_EAST) !== 0,
    byColumns: (scanning & BY_COLUMNS) !== 0,
    alternating: (scanning & ALTERNATING) !== 0,
    ...(rowLengths === undefined ? {} : { rowLengths }),
    alongGrid: (components & ALONG_GRID) !== 0,
    around: goesAround({ ...definition, width }),
    axes: () => axesOf({ ...definition, width }),
  };
}

type Sized = GridDefinition & { readonly width: number };

async function axesOf(definition: Sized): Promise<FieldAxes> {
  if (definition.template === 'projected') return projectedAxes(definition);
  const { template, earth, projection } = definition;
  const rotated = template === 'rotated_latitude_longitude';
  const x = {
    name: rotated ? 'rlon' : 'longitude',
    attributes: rotated
      ? { standard_name: 'grid_longitude', units: 'degrees' }
      : { standard_name: 'longitude', units: 'degrees_east' },
    values: longitudes(definition),
  };
  const y = {
    name: rotated ? 'rlat' : 'latitude',
    attributes: rotated
      ? { standard_name: 'grid_latitude', units: 'degrees' }
      : { standard_name: 'latitude', units: 'degrees_north' },
    values: latitudes(definition),
  };
  if (rotated) return { x, y, mapping: { ...projection, ...earth } };
  // Models compute on a sphere, but their latitudes are meant, and used, as geodetic ones.
  const mapping = {
    grid_mapping_name: 'latitude_longitude',
    semi_major_axis: 6378137,
    inverse_flattening: 298.257223563,
  };
  if (earth.semi_major_axis === 6378137) return { x, y, mapping };
  const remark = `The fields were computed on another earth (${describe(earth)}); longitudes and latitudes were taken as WGS 84 (EPSG:4326).`;
  return { x, y, mapping, remark };
}

const describe = (earth: CfAttributes): string =>
  earth.earth_radius === undefined
    ? `axes of ${earth.semi_major_axis} m and ${earth.semi_minor_axis ?? earth.semi_major_axis} m`
    : `a sphere of ${earth.earth_radius} m`;

/** From west to east; the first may lie beyond the last, on the other side of the date line. */
function longitudes({ width, first, last, scanning, rowLengths, offset }: Sized): Float64Array {
  if (last === undefined) throw new FormatError('A grid of longitudes has no last point.', offset);
  const fromEast = (scanning & FROM_EAST) !== 0;
  const [left, right] = fromEast ? [last.longitude, first.longitude] : [first.longitude, last.longitude];
  const west = left > right ? left - 360 : left;
  const span = goesAround({ width, first, last, rowLengths }) ? (360 * (width - 1)) / width : right - west;
  const step = width === 1 ? 0 : span / (width - 1);
  return Float64Array.from({ length: width }, (_, n) => tidy(west + n * step));
}

/** Whether the rows of a reduced grid, whose last points differ, go once around the earth. */
const goesAround = ({
  width,
  first,
  last,
  rowLengths,
}: Pick<Sized, 'width' | 'first' | 'last' | 'rowLengths'>): boolean =>
  rowLengths !== undefined && last !== undefined && (last.longitude - first.longitude + 720) % 360 > 360 - 720 / width;

/** Numbers of a message have six decimals at most. */
const tidy = (value: number): number => Number(value.toFixed(9)) + 0;

/** In the order of the rows of the message. */
function latitudes({ template, height, first, last, scanning, gaussian, offset }: Sized): Float64Array {
  const fromSouth = (scanning & FROM_SOUTH) !== 0;
  if (template !== 'gaussian') {
    const step = height === 1 ? 0 : (last!.latitude - first.latitude) / (height - 1);
    return Float64Array.from({ length: height }, (_, n) => tidy(first.latitude + n * step));
  }
  const all = gaussianLatitudes(2 * gaussian!);
  const north = fromSouth ? last!.latitude : first.latitude;
  // A part of the globe begins at one of the latitudes, which messages write with three or six decimals.
  const start = all.findIndex((latitude) => Math.abs(latitude - north) < 2e-3);
  if (start < 0 || start + height > all.length)
    throw new FormatError(
      `${height} rows from the latitude ${north} are no part of the Gaussian grid N${gaussian}.`,
      offset,
    );
  const rows = all.slice(start, start + height);
  return fromSouth ? rows.toReversed() : rows;
}

async function projectedAxes({
  width,
  height,
  first,
  spacing,
  scanning,
  earth,
  projection,
  offset,
}: Sized): Promise<FieldAxes> {
  const mapping = { ...projection, ...earth };
  const crs = await crsOfParameters(mapping);
  using project = await projecting(crs);
  const [x, y] = [Float64Array.of(first.longitude), Float64Array.of(first.latitude)];
  project.forward(x, y);
  if (!Number.isFinite(x[0]) || !Number.isFinite(y[0]))
    throw new FormatError(
      `The first point of a grid, ${first.longitude} ${first.latitude}, has no place in its projection.`,
      offset,
    );
  const fromEast = (scanning & FROM_EAST) !== 0;
  const down = (scanning & FROM_SOUTH) === 0;
  const west = fromEast ? x[0]! - (width - 1) * spacing!.x : x[0]!;
  const dy = down ? -spacing!.y : spacing!.y;
  const line = (start: number, step: number, count: number) =>
    Float64Array.from({ length: count }, (_, n) => start + n * step);
  const axis = (name: string, values: Float64Array): AxisCoordinates => ({
    name,
    attributes: { standard_name: `projection_${name}_coordinate`, units: 'm' },
    values,
  });
  return { x: axis('x', line(west, spacing!.x, width)), y: axis('y', line(y[0]!, dy, height)), mapping };
}
