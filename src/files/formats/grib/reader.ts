import type { ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Item, ValueKind } from '../../data/item.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { FormatError } from '../../errors.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import { parameterNames } from '../../geo/raster/parameter-names.ts';
import type { Context, Read } from '../define.ts';
import { readCf } from '../io/cf/read.ts';
import { allowedItems, type readParameters } from '../io/dfs/parameters.ts';
import { cfFileOf } from './cf-file.ts';
import type { Field } from './field.ts';
import { type FieldGroup, groupFields, hours } from './groups.ts';
import { readMessages } from './messages.ts';
import { Planes } from './variable.ts';

export const read: Read<typeof readParameters> = async (source, { AllowedItemNames, SRID }, context) => {
  const groups = await itemsOf(await fieldsOf(source, context));
  const chosen = allowedItems(groups, AllowedItemNames, context).map((n) => groups[n]!);
  const file = await cfFileOf(chosen, new Planes(source), context);
  const { data } = await readCf(file, context);
  remarkOnTimes(chosen, context);
  const kinds = chosen.map((group) => valueKindOf(group, context));
  const items = <I extends Item>(all: readonly I[]): I[] =>
    all.map((item, n) => ({
      ...item,
      ...(kinds[n] && { valueKind: kinds[n] }),
      ...(isAlongEarth(chosen[n]!) && { geographicAxes: true }),
    }));
  const kept: Grid | MultiArray =
    data.kind === 'grid' ? { ...data, bands: items(data.bands) } : { ...data, items: items(data.items) };
  return SRID === undefined ? kept : { ...kept, crs: parseSrid(SRID) };
};

/** Whether a field is a component of a vector along true east or north. */
const isAlongEarth = ({ name, fields }: FieldGroup): boolean =>
  /\b[uv]-component/i.test(name) && !fields[0]!.grid.alongGrid;

/** @throws FormatError for a file of which no message can be read */
async function fieldsOf(source: ByteSource, { signal, reportLoss }: Context): Promise<Field[]> {
  const fields: Field[] = [];
  const left = new Map<string, number>();
  // fields with the same cells or parameter share one description
  const grids = new Map<string, Field['grid']>();
  const parameters = new Map<string, Field['parameter']>();
  const shared = <T extends { readonly key: string }>(known: Map<string, T>, one: T): T => {
    const found = known.get(one.key) ?? one;
    known.set(one.key, found);
    return found;
  };
  for await (const one of readMessages(source, signal))
    if ('reason' in one) left.set(one.reason, (left.get(one.reason) ?? 0) + 1);
    else fields.push({ ...one, grid: shared(grids, one.grid), parameter: shared(parameters, one.parameter) });
  const [first] = left.keys();
  if (fields.length === 0) throw new FormatError(first ?? 'The file has no GRIB messages.');
  for (const [reason, count] of left)
    reportLoss(`${count === 1 ? 'A field was' : `${count} fields were`} left out: ${reason}`);
  if (fields.some(({ level }) => level.name.startsWith('hybrid')))
    reportLoss('The coefficients that give the pressures of hybrid levels were left out.');
  return fields;
}

async function itemsOf(fields: readonly Field[]): Promise<FieldGroup[]> {
  const samples = new Map(fields.map(({ parameter }) => [parameter.key, parameter.sample]));
  const names = await parameterNames([...samples.values()]);
  return groupFields(fields, new Map([...samples.keys()].map((key, n) => [key, names[n]])));
}

function remarkOnTimes(groups: readonly FieldGroup[], { remark }: Context): void {
  const references = [...new Set(groups.flatMap(({ fields }) => fields.map(({ time }) => time.reference)))].toSorted(
    (one, other) => one - other,
  );
  const text = (time: number) => new Date(time).toISOString().replace('.000', '');
  const [first, last] = [text(references[0]!), text(references.at(-1)!)];
  if (references.length === 1) remark(`The reference time of the fields is ${first}.`);
  else remark(`The fields have ${references.length} reference times, from ${first} to ${last}.`);
  for (const { name, fields } of groups) {
    const levels = new Set(fields.map(({ level }) => level.value));
    const { value, attributes } = fields[0]!.level;
    if (levels.size === 1 && value !== undefined)
      remark(`'${name}' is at ${[value, attributes!.units].filter((part) => part !== '1').join(' ')}.`);
  }
}

/** The kind of values over intervals. */
function valueKindOf({ name, fields }: FieldGroup, { remark }: Context): ValueKind | undefined {
  const { process } = fields[0]!.time;
  if (process === undefined) return undefined;
  const lengths = [...new Set(fields.map(({ time: { from, valid } }) => hours(valid - from!)))].toSorted(
    (one, other) => one - other,
  );
  const text = lengths.length === 1 ? `${lengths[0]}` : `${lengths[0]} to ${lengths.at(-1)}`;
  const ofReference = fields.every(({ time: { from, reference } }) => from === reference);
  remark(`The values of '${name}' are over ${text} h before their time (${process}).`);
  if (process === 'accumulation') return ofReference && lengths.length > 1 ? 'accumulated' : 'stepAccumulated';
  if (process === 'average') return 'meanStepBackward';
  remark(`The values of '${name}' have no kind of value for '${process}'; they were taken as instantaneous.`);
  return undefined;
}
