import type { ParameterName } from '../../geo/raster/parameter-names.ts';
import { distinctNames } from '../io/distinct-names.ts';
import type { Field } from './field.ts';

/** Fields that are one item: the same parameter, kind of level and grid, at different times, levels and members. */
export interface FieldGroup {
  readonly name: string;
  readonly unit: string | undefined;
  readonly fields: readonly Field[];
}

/** The items of a file, in the order of their first fields. */
export function groupFields(
  fields: readonly Field[],
  names: ReadonlyMap<string, ParameterName | undefined>,
): FieldGroup[] {
  const groups = grouped(fields, ({ parameter, level, derived, time, grid }) => [
    parameter.key,
    level.name,
    level.attributes?.units,
    derived,
    time.process,
    grid.key,
  ]).flatMap(byInterval);
  // An item has as much of a name as tells it from the others.
  const parts = [
    ({ parameter, level }: Field) =>
      `${names.get(parameter.key)?.name ?? `Parameter ${parameter.label}`}, ${level.name}`,
    ({ derived }: Field) => derived,
    ({ time }: Field) => time.process,
    ({ time: { from, valid } }: Field) => (from === undefined ? undefined : `${hours(valid - from)} hours`),
    ({ grid }: Field) => grid.label,
  ];
  const texts = groups.map(([first]) => parts.map((part) => part(first!)));
  const lengths = texts.map(([, derived]) => (derived === undefined ? 1 : 2));
  const told = () => texts.map((own, n) => own.slice(0, lengths[n]).filter(Boolean).join(', '));
  for (let round = 1; round < parts.length; round++) {
    const names = told();
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const [n, name] of names.entries()) if (counts.get(name)! > 1) lengths[n]!++;
  }
  return distinctNames(told()).map((name, n) => ({
    name,
    unit: names.get(groups[n]![0]!.parameter.key)?.unit,
    fields: groups[n]!,
  }));
}

export const hours = (milliseconds: number): number => Number((milliseconds / 3_600_000).toPrecision(6));

function grouped<K>(fields: readonly Field[], keyOf: (field: Field) => K): Field[][] {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const key = JSON.stringify(keyOf(field));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [field]);
    else group.push(field);
  }
  return [...groups.values()];
}

/** Intervals that end at one time are told apart by their lengths, such as sums of three and of six hours. */
function byInterval(fields: Field[]): Field[][] {
  const places = grouped(fields, (field) => [placeOf(field), field.time.from]);
  const ends = grouped(fields, placeOf);
  if (places.length === ends.length) return [fields];
  return grouped(fields, ({ time: { from = 0, valid } }) => valid - from);
}

/** The place of a field among those of its item. */
export const placeOf = ({ time: { reference, valid }, level, member }: Field) => [
  reference,
  valid,
  level.value,
  member,
];
