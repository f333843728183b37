import type { StoredType } from '../../../data/stored-values.ts';
import { type Line, lineThrough, realNumbers } from './numbers.ts';
import { type CfContext, type CfFile, type CfVariable, textOf } from './variable.ts';

/** Role of a dimension, by its coordinate variable or name. */
export type Role = 'x' | 'y' | 'level' | 'other';

/** Names of dimensions of layers. */
export const levelName = /^(?:z|height|altitude|layer|level|lev|depth|plev|isobaric\w*)$/i;
const names = {
  x: /^(?:x|lon|long|longitude|rlon|easting)$/i,
  y: /^(?:y|lat|latitude|rlat|northing)$/i,
  level: levelName,
};
const standardNames = {
  x: ['projection_x_coordinate', 'longitude', 'grid_longitude', 'projection_x_angular_coordinate'],
  y: ['projection_y_coordinate', 'latitude', 'grid_latitude', 'projection_y_angular_coordinate'],
  level: [
    'height',
    'altitude',
    'depth',
    'air_pressure',
    'sea_water_pressure',
    'height_above_mean_sea_level',
    'height_above_geopotential_datum',
    'height_above_reference_ellipsoid',
    'model_level_number',
  ],
};
const inDegrees = { x: /^degrees?_?(?:E|east)$/i, y: /^degrees?_?(?:N|north)$/i };
const axisLetters = { x: 'X', y: 'Y', level: 'Z' };
const roles = ['x', 'y', 'level'] as const;

/** The coordinate variable of a dimension: one of its name, over it alone. */
export function coordinateOf(file: CfFile, dimension: string | undefined): CfVariable | undefined {
  const found = dimension === undefined ? undefined : file.variables.get(dimension);
  const { shape, dimensions } = found?.metadata ?? {};
  return shape?.length === 1 && dimensions![0] === dimension ? found : undefined;
}

/** By the standard name, else the attribute `axis`, the unit, or the name of the dimension. */
export function roleOf(file: CfFile, dimension: string | undefined): Role {
  const attributes = (coordinateOf(file, dimension) ?? file.variables.get(dimension ?? ''))?.metadata.attributes ?? {};
  const standard = textOf(attributes.standard_name);
  const byStandard = roles.find((role) => standard !== undefined && standardNames[role].includes(standard));
  if (byStandard !== undefined) return byStandard;
  const letter = textOf(attributes.axis)?.toUpperCase();
  const byAxis = roles.find((role) => axisLetters[role] === letter);
  if (byAxis !== undefined) return byAxis;
  const units = textOf(attributes.units) ?? '';
  if (inDegrees.x.test(units)) return 'x';
  if (inDegrees.y.test(units)) return 'y';
  if (textOf(attributes.positive) !== undefined) return 'level';
  return (standard === undefined ? roles.find((role) => names[role].test(dimension ?? '')) : undefined) ?? 'other';
}

/** Whether x holds longitudes: by its standard name, its unit, or as a last resort its name. */
export function isLongitude(variable: CfVariable): boolean {
  const { attributes, name } = variable.metadata;
  const standard = textOf(attributes.standard_name);
  const units = textOf(attributes.units);
  if (standard !== undefined) return standard === 'longitude';
  return units === undefined ? /^lon(?:g|gitude)?$/i.test(name) : inDegrees.x.test(units);
}

/** Values of a coordinate variable, and the straight line through them if they are even. */
export interface Coordinates {
  readonly variable: CfVariable;
  readonly values: Float64Array;
  readonly line: Line | undefined;
  /** Boundaries of the cells, one more than `values`; undefined if the file has none, or gaps between cells. */
  readonly edges: Float64Array | undefined;
}

export async function coordinatesOf(
  file: CfFile,
  dimension: string | undefined,
  factor: number,
): Promise<Coordinates | undefined> {
  const variable = coordinateOf(file, dimension);
  if (variable === undefined) return undefined;
  const own = await realNumbers(variable);
  const values = factor === 1 ? own : own.map((value) => value * factor);
  const edges = (await edgesOf(file, variable))?.map((value) => value * factor);
  const { type } = variable.metadata;
  return { variable, values, edges, line: lineThrough(values, type) ?? lineOfBounds(values, edges, type) };
}

/** A single coordinate has the step of its bounds. */
function lineOfBounds(
  { 0: only, length }: Float64Array,
  edges: Float64Array | undefined,
  type: StoredType,
): Line | undefined {
  if (length !== 1 || edges === undefined) return undefined;
  const line = lineThrough(edges, type);
  return line && { ...line, first: only! };
}

async function edgesOf(file: CfFile, variable: CfVariable): Promise<Float64Array | undefined> {
  const { attributes, shape, dimensions } = variable.metadata;
  const bounds = file.variables.get(textOf(attributes.bounds) ?? '');
  const [count = 0] = shape;
  if (bounds?.metadata.shape.length !== 2 || count === 0) return undefined;
  if (bounds.metadata.shape[0] !== count || bounds.metadata.shape[1] !== 2) return undefined;
  if (bounds.metadata.dimensions[0] !== dimensions[0]) return undefined;
  const pairs = await realNumbers(bounds);
  for (let n = 1; n < count; n++) if (pairs[2 * n] !== pairs[2 * n - 1]) return undefined;
  const edges = Float64Array.from({ length: count + 1 }, (_, n) => (n < count ? pairs[2 * n]! : pairs[2 * n - 1]!));
  return edges.every(Number.isFinite) ? edges : undefined;
}

/** Share of the step above which a difference from the straight line is reported. */
const told = 1e-3;

export function remarkOnLine({ variable, line }: Coordinates, { remark }: Pick<CfContext, 'remark'>): void {
  if (line === undefined || !(line.deviation > told)) return;
  remark(
    `The coordinates '${variable.metadata.name}' were evened: the largest difference is ${line.deviation.toPrecision(2)} of the distance ${Number(Math.abs(line.step).toPrecision(6))}.`,
  );
}

/** Size of the unit of a coordinate in metres, or in degrees; undefined for a unit that is not known. */
export function unitSize(variable: CfVariable): number | undefined {
  const units = textOf(variable.metadata.attributes.units);
  return units === undefined || !Object.hasOwn(lengths, units) ? undefined : lengths[units];
}

const lengths: Readonly<Record<string, number>> = {
  m: 1,
  metre: 1,
  metres: 1,
  meter: 1,
  meters: 1,
  km: 1000,
  kilometre: 1000,
  kilometres: 1000,
  kilometer: 1000,
  kilometers: 1000,
  ft: 0.3048,
  foot: 0.3048,
  feet: 0.3048,
  US_survey_foot: 1200 / 3937,
  US_survey_feet: 1200 / 3937,
};
