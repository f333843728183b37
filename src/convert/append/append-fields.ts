import { beginsWithDate, isDate } from '../../data/date-text.ts';
import type { FeatureCollection, Field, FieldType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { AppendRules, Context } from '../../formats/define.ts';
import { shortNames } from '../../formats/short-names.ts';

/** How the fields of appended features become those of the dataset. */
export interface FieldPlan {
  /** Of the whole: the dataset's, some of them made wider. */
  readonly fields: readonly Field[];
  /** Values of the dataset's fields out of the values of an appended feature, the `number`th; FormatError for one that does not fit. */
  values(values: readonly unknown[], id: string | number | undefined, number: number): unknown[];
  /** What was changed on the way, when all have passed. */
  tell(context: Pick<Context, 'reportLoss'>): void;
}

const mostNamed = 20;

/**
 * Fields are matched by name: the same name, else the same in another letter case; where a shapefile is one of the two, also by the name
 * that it would have there, in ten bytes. Fields that the new features lack are null in them.
 * @throws FormatError naming fields that the dataset does not have
 */
export function planFields(
  present: FeatureCollection,
  added: FeatureCollection,
  { declared }: AppendRules,
  context: Context,
): FieldPlan {
  // where types are not declared, fields neither, and a file without features says nothing of them
  const open = present.fields.length === 0 && present.count === 0 && !declared;
  const target = open ? added.fields : present.fields;
  const matches = open ? added.fields.map((_, n) => n) : matched(present, added, context);
  const unknown = added.fields.filter((_, n) => matches[n] === undefined).map(({ name }) => name);
  if (unknown.length > 0) throw new FormatError(unknownFields(unknown, target));
  const places = target.map((_, n) => matches.indexOf(n));
  // features of a table have no ids but in a field of that name, as the writer puts them there
  const idPlace = declared ? target.findIndex((field, n) => field.name.toLowerCase() === 'id' && places[n]! < 0) : -1;
  let idsLeft = 0;
  const columns = target.map((field, n) => new JoinedField(field, added.fields[places[n]!], declared, n === idPlace));
  for (const column of columns) column.tellWider(context);
  return {
    fields: columns.map(({ field }) => field),
    values(values, id, number) {
      if (declared && idPlace < 0 && id !== undefined) idsLeft++;
      return columns.map((column, n) => column.take(n === idPlace ? id : values[places[n]!], number));
    },
    tell({ reportLoss }) {
      if (idsLeft > 0) reportLoss(`Ids of ${idsLeft} features were left out: the dataset has no field 'id' for them.`);
      for (const column of columns) column.tell(reportLoss);
    },
  };
}

function unknownFields(unknown: readonly string[], known: readonly Field[]): string {
  const all = known.length === 0 ? 'it has none' : `it has ${listed(known.map(({ name }) => name))}`;
  return `The dataset has no field${unknown.length > 1 ? 's' : ''} ${listed(unknown)}; ${all}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed).map((name) => `'${name.slice(0, 80)}'`);
  return names.length > mostNamed ? `${shown.join(', ')} and ${names.length - mostNamed} more` : shown.join(', ');
}

/** For each appended field the number of the dataset's. */
function matched(present: FeatureCollection, added: FeatureCollection, { log }: Context): (number | undefined)[] {
  const found: (number | undefined)[] = added.fields.map(() => undefined);
  const free = new Set(present.fields.keys());
  const take = (n: number, place: number) => {
    found[n] = place;
    free.delete(place);
  };
  for (const key of [(name: string) => name, (name: string) => name.toLowerCase()]) {
    const places = Map.groupBy(free, (place) => key(present.fields[place]!.name));
    for (const [n, { name }] of added.fields.entries()) {
      const [place, another] = (places.get(key(name)) ?? []).filter((one) => free.has(one));
      if (found[n] === undefined && place !== undefined && another === undefined) take(n, place);
    }
  }
  if (present.cutNames || added.cutNames) matchShort(present.fields, added.fields, found, free, take);
  const renamed = found.flatMap((place, n) => {
    const [from, to] = [added.fields[n]!.name, place === undefined ? undefined : present.fields[place]!.name];
    return to === undefined || from === to ? [] : [`'${from}' to '${to}'`];
  });
  if (renamed.length > 0) log('info', `Fields were matched to others of the dataset: ${renamed.join(', ')}.`);
  return found;
}

/**
 * By the names of a shapefile, of which one side has to be one already. Names that begin alike are numbered there in their order, so they
 * are matched only when both sides have as many of them: otherwise nobody knows which is which.
 */
function matchShort(
  present: readonly Field[],
  added: readonly Field[],
  found: readonly (number | undefined)[],
  free: ReadonlySet<number>,
  take: (n: number, place: number) => void,
): void {
  const presentNames = shortNames(present.map(({ name }) => name));
  const addedNames = shortNames(added.map(({ name }) => name));
  const left = added.flatMap((_, n) => (found[n] === undefined ? [n] : []));
  const places = new Map([...free].map((place) => [presentNames[place]!.toLowerCase(), place]));
  const ours = Map.groupBy(left, (n) => stemOf(addedNames[n]!));
  const theirs = Map.groupBy(free, (place) => stemOf(presentNames[place]!));
  const pairs = left.flatMap((n) => {
    const short = addedNames[n]!;
    const place = places.get(short.toLowerCase());
    if (place === undefined || (present[place]!.name !== presentNames[place] && added[n]!.name !== short)) return [];
    const alike = theirs.get(stemOf(short)) ?? [];
    if (alike.length !== ours.get(stemOf(short))?.length)
      throw new FormatError(
        `The field '${added[n]!.name}' may be any of ${listed(alike.map((one) => present[one]!.name))} in the dataset; give it the name that it has there.`,
      );
    return [[n, place] as const];
  });
  for (const [n, place] of pairs) take(n, place);
}

const stemOf = (name: string): string => name.replace(/_\d+$/, '').slice(0, 6).toLowerCase();

const numbers: readonly FieldType[] = ['integer', 'integer64', 'real'];
const texts: readonly FieldType[] = ['string', 'date', 'dateTime'];

/** A field of the dataset, and what comes to it. */
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
      `Feature ${number} has ${shown(value)} in '${this.field.name}', where the dataset holds ${nouns[type]}.`,
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

  tellWider({ log }: Pick<Context, 'log'>): void {
    const { field } = this;
    if (field.type === this.#before.type || this.#before.untyped) return;
    log('info', `The field '${field.name}' held ${nouns[this.#before.type]}; it holds ${nouns[field.type]} now.`);
  }

  tell(reportLoss: Context['reportLoss']): void {
    if (this.#asText > 0)
      reportLoss(
        `${this.#asText} values of '${this.field.name}' are kept as text, which the field holds in the dataset.`,
      );
  }
}

/** Numbers become wider; where types are not declared, so do texts that only looked like dates, and fields without any value. */
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
  integer: 'whole numbers',
  integer64: 'whole numbers of 64 bits',
  real: 'numbers',
  boolean: 'true and false',
  date: 'dates',
  dateTime: 'times',
  json: 'objects and arrays',
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `'${value}'` : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};
