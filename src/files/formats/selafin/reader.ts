import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { secondsAxis, type TimeAxis } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Read } from '../define.ts';
import type { readParameters } from '../io/dfs/parameters.ts';
import { allowedItems } from '../io/dfs/parameters.ts';
import { nodeOrder, readGeometry } from './geometry.ts';
import { readHeader, type SelafinHeader, type SelafinVariable } from './header.ts';
import { readSteps } from './steps.ts';

export const read: Read<typeof readParameters> = async (source, { SRID, AllowedItemNames }, context): Promise<Mesh> => {
  const header = await readHeader(source);
  const { variables, records, nodes, planes, type, start, wrongDate } = header;
  const geometry = await readGeometry(header);
  const steps = await readSteps(header, context);
  if (wrongDate !== undefined)
    context.remark(`The date ${wrongDate} of the file is no date and was ignored; times are relative.`);
  const order = nodeOrder(header);
  const valuesAt = async (variable: number, step: number): Promise<Float32Array | Float64Array> => {
    const { name } = variables[variable]!;
    const values = await records.numbers(steps.offset(variable, step), nodes, type, `${name} of step ${step}`);
    if (planes === 0) return values;
    const ordered = values.slice();
    for (let n = 0; n < nodes; n++) ordered[order(n)] = values[n]!;
    return ordered;
  };
  const heights = variables.findIndex(({ name }) => (planes === 0 ? isBottom : isElevation).test(name));
  if (planes > 0 && heights < 0)
    throw new FormatError(`The file has ${planes} planes, but no variable 'ELEVATION Z' with their heights.`);
  if (heights >= 0 && steps.seconds.length > 0) {
    const values = await valuesAt(heights, 0);
    for (let n = 0; n < nodes; n++) geometry.nodes[3 * n + 2] = values[n]!;
  }
  // The heights of planes move the nodes.
  const stored = [...variables.keys()].filter((n) => planes === 0 || n !== heights);
  const described = stored.map((n) => itemOf(variables[n]!, type));
  const chosen = allowedItems(described, AllowedItemNames, context);
  return {
    kind: 'mesh',
    ...(SRID === undefined ? {} : { crs: parseSrid(SRID) }),
    ...geometry,
    items: chosen.map((n) => described[n]!),
    time: timeOf(steps.seconds, start),
    ...(planes === 0 ? {} : { heights: (step: number) => valuesAt(heights, step) }),
    values: (item, step) => valuesAt(stored[chosen[item]!]!, step),
  };
};

const isBottom = /^(?:BOTTOM|FOND)$/i;
const isElevation = /^(?:ELEVATION|COTE) Z$/i;

const timeOf = (seconds: readonly number[], start: number | undefined): TimeAxis => ({
  ...secondsAxis(seconds),
  ...(start === undefined ? {} : { start }),
});

/** Units of TELEMAC, which writes them in capital letters. */
const units: Readonly<Record<string, string>> = {
  M: 'm',
  S: 's',
  'M/S': 'm/s',
  M2: 'm^2',
  'M2/S': 'm^2/s',
  M3: 'm^3',
  'M3/S': 'm^3/s',
  'M/S2': 'm/s^2',
  'KG/M3': 'kg/m^3',
  'G/L': 'g/l',
};

function itemOf({ name, unit }: SelafinVariable, type: SelafinHeader['type']): MeshItem {
  const symbol = Object.hasOwn(units, unit) ? units[unit]! : unit;
  return {
    name: name === '' ? 'Variable' : name,
    location: 'node',
    type,
    nodata: Number.NaN,
    ...(symbol === '' ? {} : { unit: symbol }),
  };
}
