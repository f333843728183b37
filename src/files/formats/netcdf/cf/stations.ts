import { FormatError } from '../../../errors.ts';
import { realNumbers } from '../../io/cf/numbers.ts';
import { type CfFile, type CfVariable, textOf } from '../../io/cf/variable.ts';
import type { NetCdfGroup } from '../netcdf-file.ts';

/** A place with time series. */
export interface Station {
  readonly name: string;
  /** x, y and optionally z. */
  readonly position?: readonly number[];
}

const mostStations = 1_000_000;
const standardNames = {
  x: ['longitude', 'projection_x_coordinate', 'grid_longitude'],
  y: ['latitude', 'projection_y_coordinate', 'grid_latitude'],
  z: ['height', 'altitude', 'depth', 'surface_altitude', 'height_above_mean_sea_level'],
};

/** The stations along a dimension; without one, the only station. */
export async function stationsOf(group: NetCdfGroup, file: CfFile, instance: string | undefined): Promise<Station[]> {
  const over = ({ dimensions }: { readonly dimensions: readonly (string | undefined)[] }) =>
    instance === undefined ? dimensions.length === 0 : dimensions.length === 1 && dimensions[0] === instance;
  const own = [...file.variables.values()].filter(({ metadata }) => over(metadata));
  const texts = [...group.texts.values()].filter(over);
  const count = instance === undefined ? 1 : lengthOf(file, group, instance);
  if (count > mostStations) throw new FormatError(`There are ${count} stations. The maximum is ${mostStations}.`);
  const named =
    texts.find(({ attributes }) => attributes.cf_role === 'timeseries_id') ??
    texts.find(({ name }) => /name|station|id/i.test(name));
  const numbered = own.find(({ metadata }) => metadata.attributes.cf_role === 'timeseries_id');
  const names =
    named !== undefined ? await named.all() : numbered === undefined ? [] : Array.from(await numbered.all(), String);
  const along = async (axis: keyof typeof standardNames) => {
    const found = own.find(({ metadata }) => isAxis(metadata.attributes, axis));
    return found && valuesOf(found);
  };
  const [x, y, z] = [await along('x'), await along('y'), await along('z')];
  return Array.from({ length: count }, (_, n) => {
    const name = names[n]?.trim() || String(n + 1);
    if (x === undefined || y === undefined || !Number.isFinite(x[n]) || !Number.isFinite(y[n])) return { name };
    const height = z?.[n];
    return { name, position: [x[n]!, y[n]!, ...(Number.isFinite(height) ? [height!] : [])] };
  });
}

const isAxis = (attributes: CfVariable['metadata']['attributes'], axis: 'x' | 'y' | 'z'): boolean =>
  standardNames[axis].includes(textOf(attributes.standard_name) ?? '') ||
  textOf(attributes.axis)?.toLowerCase() === axis;

async function valuesOf(variable: CfVariable): Promise<Float64Array> {
  const values = await realNumbers(variable);
  const down = textOf(variable.metadata.attributes.positive) === 'down';
  return down ? values.map((value) => -value + 0) : values;
}

function lengthOf(file: CfFile, { texts }: NetCdfGroup, dimension: string): number {
  for (const { metadata } of file.variables.values()) {
    const at = metadata.dimensions.indexOf(dimension);
    if (at >= 0) return metadata.shape[at]!;
  }
  for (const { dimensions, shape } of texts.values()) {
    const at = dimensions.indexOf(dimension);
    if (at >= 0) return shape[at]!;
  }
  throw new FormatError(`No variable has the dimension '${dimension}' of the stations.`);
}
