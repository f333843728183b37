import { beginsWithDate, isDate } from '../../data/date-text.ts';
import type { FeatureCollection, Field, FieldType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { AppendRules, Context } from '../../formats/define.ts';
import { shortNames } from '../../formats/short-names.ts';

/** Mapping of the fields of added features to the fields of the dataset. */
export interface FieldPlan {
  /** Fields of the output: those of the dataset, some with a wider type. */
  readonly fields: readonly Field[];
  /**
   * Maps the values of an added feature to `fields`. Throws FormatError, with the feature's number, for a value that
   * does not fit.
   */
  values(values: readonly unknown[], id: string | number | undefined, number: number): unknown[];
  /** Reports values that were changed or left out; call it after the last feature. */
  reportLosses(context: Pick<Context, 'reportLoss'>): void;
}

const maxNamed = 20;

/**
 * Matches fields by name: exactly, else in any letter case; if one side is a shapefile, also by the name shortened to
 * ten bytes. Added features get null in fields that they lack.
 * @throws FormatError naming the added fields that the dataset lacks
 */
export function planFields(
  existing: FeatureCollection,
  added: FeatureCollection,
  { declared, ids }: AppendRules,
  context: Context,
): FieldPlan {
  // without declared types, an empty dataset has no fields yet: it takes those of the added features
  const open = existing.fields.length === 0 && existing.count === 0 && !declared;
  const target = open ? added.fields : existing.fields;
  const matches = open ? added.fields.map((_, n) => n) : matched(existing, added, context);
  const unknown = added.fields.filter((_, n) => matches[n] === undefined).map(({ name }) => name);
  if (unknown.length > 0) throw new FormatError(unknownFields(unknown, target));
  const places = target.map((_, n) => matches.indexOf(n));
  // formats with declared types store feature ids in a field named "id", as their writers do
  const asField = declared && !ids;
  const idPlace = asField ? target.findIndex((field, n) => field.name.toLowerCase() === 'id' && places[n]! < 0) : -1;
  let idsLeft = 0;
  const columns = target.map((field, n) => new JoinedField(field, added.fields[places[n]!], declared, n === idPlace));
  for (const column of columns) column.logWidening(context);
  return {
    fields: columns.map(({ field }) => field),
    values(values, id, number) {
      if (asField && idPlace < 0 && id !== undefined) idsLeft++;
      return columns.map((column, n) => column.take(n === idPlace ? id : values[places[n]!], number));
    },
    reportLosses({ reportLoss }) {
      if (idsLeft > 0) reportLoss(`Ids of ${idsLeft} features were left out: the dataset has no field 'id' for them.`);
      for (const column of columns) column.reportLosses(reportLoss);
    },
  };
}

function unknownFields(unknown: readonly string[], known: readonly Field[]): string {
  const all = known.length === 0 ? 'it has none' : `it has ${listed(known.map(({ name }) => name))}`;
  return `The dataset has no field${unknown.length > 1 ? 's' : ''} ${listed(unknown)}; ${all}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).map((name) => `'${name.slice(0, 80)}'`);
  return names.length > maxNamed ? `${shown.join(', ')} and ${names.length - maxNamed} more` : shown.join(', ');
}

/** For each added field the index of the matching field of the dataset. */
function matched(existing: FeatureCollection, added: FeatureCollection, { log }: Context): (number | undefined)[] {
  const found: (number | undefined)[] = added.fields.map(() => undefined);
  const free = new Set(existing.fields.keys());
  const take = (n: number, index: number) => {
    found[n] = index;
    free.delete(index);
  };
  for (const key of [(name: string) => name, (name: string) => name.toLowerCase()]) {
    const places = Map.groupBy(free, (index) => key(existing.fields[index]!.name));
    for (const [n, { name }] of added.fields.entries()) {
      const [index, another] = (places.get(key(name)) ?? []).filter((one) => free.has(one));
      if (found[n] === undefined && index !== undefined && another === undefined) take(n, index);
    }
  }
  if (existing.cutNames || added.cutNames) matchShort(existing.fields, added.fields, found, free, take);
  const renamed = found.flatMap((index, n) => {
    const [from, to] = [added.fields[n]!.name, index === undefined ? undefined : existing.fields[index]!.name];
    return to === undefined || from === to ? [] : [`'${from}' to '${to}'`];
  });
  if (renamed.length > 0) log('info', `Fields were matched under another name: ${renamed.join(', ')}.`);
  return found;
}

/**
 * Matches fields whose names are the same after shortening to ten bytes; one of the two must be short already. Names
 * with the same beginning are numbered in their order, so they match only if both sides have the same number of them;
 * otherwise the match is ambiguous.
 */
function matchShort(
  existing: readonly Field[],
  added: readonly Field[],
  found: readonly (number | undefined)[],
  free: ReadonlySet<number>,
  take: (n: number, index: number) => void,
): void {
  const presentNames = shortNames(existing.map(({ name }) => name));
  const addedNames = shortNames(added.map(({ name }) => name));
  const left = added.flatMap((_, n) => (found[n] === undefined ? [n] : []));
  const places = new Map([...free].map((index) => [presentNames[index]!.toLowerCase(), index]));
  const ours = Map.groupBy(left, (n) => stemOf(addedNames[n]!));
  const theirs = Map.groupBy(free, (index) => stemOf(presentNames[index]!));
  const pairs = left.flatMap((n) => {
    const short = addedNames[n]!;
    const index = places.get(short.toLowerCase());
    if (index === undefined || (existing[index]!.name !== presentNames[index] && added[n]!.name !== short)) return [];
    const alike = theirs.get(stemOf(short)) ?? [];
    if (alike.length !== ours.get(stemOf(short))?.length)
      throw new FormatError(
        `The field '${added[n]!.name}' matches several fields of the dataset: ${listed(alike.map((one) => existing[one]!.name))}. Rename it to one of them.`,
      );
    return [[n, index] as const];
  });
  for (const [n, index] of pairs) take(n, index);
}

const stemOf = (name: string): string => name.replace(/_\d+$/, '').slice(0, 6).toLowerCase();

const numbers: readonly FieldType[] = ['integer', 'integer64', 'real'];
const texts: readonly FieldType[] = ['string', 'date', 'dateTime'];

/** A field of the dataset and the added field that matches it. */
class JoinedField {
  readonly field: Field;
  readonly #before: Field;
  readonly #from: FieldType | undefined;
  #asText = 0;

  constructor(before: Field, added: Field | undefined, declared: boolean, ids: boolean) {
    this.#before = before;
    this.#from = ids ? 'string' : added?.type;
    const type = added === undefined ? before.type : joinedType(before, added, declared);
    if (type === before.type) this.field = before;
    else {
      const { untyped: _, ...rest } = before;
      this.field = { ...rest, type };
    }
  }

  take(value: unknown, number: number): unknown {
    if (value === null || value === undefined) return null;
    const { type } = this.field;
    if (type === 'string') return this.#text(value);
    if (this.#fits(value, type)) return value;
    throw new FormatError(
      `Feature ${number} has ${shown(value)} in '${this.field.name}'; the field of the dataset holds ${nouns[type]}.`,
    );
  }

  #fits(value: unknown, type: Exclude<FieldType, 'string'>): boolean {
    if (type === 'boolean') return typeof value === 'boolean';
    if (type === 'json') return this.#from === 'json';
    if (type === 'date') return typeof value === 'string' && isDate(value);
    if (type === 'dateTime') return typeof value === 'string' && beginsWithDate(value);
    return typeof value === 'number' || typeof value === 'bigint';
  }

  #text(value: unknown): string {
    if (typeof value === 'string') return value;
    this.#asText++;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }

  logWidening({ log }: Pick<Context, 'log'>): void {
    const { field } = this;
    if (field.type === this.#before.type || this.#before.untyped) return;
    log('info', `The field '${field.name}' held ${nouns[this.#before.type]}; now it holds ${nouns[field.type]}.`);
  }

  reportLosses(reportLoss: Context['reportLoss']): void {
    if (this.#asText > 0)
      reportLoss(
        `${this.#asText} values of '${this.field.name}' were converted to text, the type of the field in the dataset.`,
      );
  }
}

/**
 * Widens numbers. Without declared types, also widens dates to times or text, and takes the added type for a field
 * without values.
 */
function joinedType(before: Field, added: Field, declared: boolean): FieldType {
  if (before.untyped) return added.type;
  if (added.untyped) return before.type;
  for (const [order, allowed] of [
    [numbers, true],
    [texts, !declared],
  ] as const) {
    const [a, b] = [order.indexOf(before.type), order.indexOf(added.type)];
    if (!allowed || a < 0 || b < 0) continue;
    return order === numbers ? order[Math.max(a, b)]! : textType(before.type, added.type);
  }
  return before.type;
}

const textType = (a: FieldType, b: FieldType): FieldType =>
  a === b ? a : a === 'string' || b === 'string' ? 'string' : 'dateTime';

const nouns: Readonly<Record<FieldType, string>> = {
  string: 'texts',
  integer: 'integers',
  integer64: '64-bit integers',
  real: 'numbers',
  boolean: 'booleans',
  date: 'dates',
  dateTime: 'times',
  json: 'objects and arrays',
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `'${value}'` : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};
