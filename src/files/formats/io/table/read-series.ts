import type { ByteSource } from '../../../data/bytes.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../../data/series.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { distinctNames } from '../distinct-names.ts';
import type { Dialect } from './dialect.ts';
import { GatheredValues } from './gathered-values.ts';
import { seriesItem } from './item-header.ts';
import { isNanWord } from './numbers.ts';
import type { Roles } from './roles.ts';
import type { Rows } from './rows.ts';
import { columnNames, tableRows } from './table.ts';
import { Times } from './time-list.ts';

const perChunk = 8192;

type SeriesRoles = Roles & { readonly time: NonNullable<Roles['time']> };

export async function readSeries(
  source: ByteSource,
  dialect: Dialect,
  roles: SeriesRoles,
  context: Context,
): Promise<Series> {
  const names = columnNames(dialect);
  const { column, parser } = roles.time;
  context.remark(
    `Times were read from the column '${names[column]}' as ${parser.pattern}${parser.zoned ? ', in UTC' : ''}.`,
  );
  if (roles.long !== undefined) return readLong(source, dialect, { ...roles, long: roles.long }, names, context);
  const columns = itemColumns(dialect, column, names, context);
  const items = distinct(columns.map((n) => seriesItem(names[n]!, context)));
  const times = new Times();
  const quiet = { signal: context.signal, reportBadRecord() {} };
  for await (const _ of tableRows(source, dialect, quiet, (rows) => times.add(readTime(rows, roles.time))));
  if (!times.isSorted) {
    context.remark('Rows were sorted by time.');
    return sorted(source, dialect, roles, { columns, names, items }, context);
  }
  const reading = { columns, names, start: times.start };
  return {
    kind: 'series',
    items,
    time: times.axis(),
    chunks: () => sortedChunks(source, dialect, roles, reading, context),
  };
}

/** Series of rows that do not follow each other in time. */
async function sorted(
  source: ByteSource,
  dialect: Dialect,
  { time }: SeriesRoles,
  { columns, names, items }: { columns: readonly number[]; names: readonly string[]; items: readonly SeriesItem[] },
  context: Context,
): Promise<Series> {
  const cells = new CellReader(dialect, names);
  const gathered = new GatheredValues();
  for await (const _ of tableRows(source, dialect, context, (rows) => {
    const at = readTime(rows, time);
    for (const [item, column] of columns.entries()) gathered.add(at, item, cells.number(rows, column));
    return undefined;
  }));
  return gathered.series(items, context);
}

const distinct = (items: readonly SeriesItem[]): SeriesItem[] => {
  const names = distinctNames(items.map(({ name }) => name!));
  return items.map((item, n) => ({ ...item, name: names[n]! }));
};

/** The columns of numbers, other than the time. Columns of texts are left out; so are empty ones. */
function itemColumns(
  { sample, numbers, columns }: Dialect,
  time: number,
  names: readonly string[],
  context: Context,
): number[] {
  const isNumeric = (n: number) => {
    let some = false;
    for (const cells of sample) {
      const bytes = Buffer.from((cells[n] ?? '').trim());
      if (bytes.length === 0) continue;
      if (Number.isNaN(numbers.parse(bytes, 0, bytes.length)) && !isNanWord(bytes, 0, bytes.length)) return false;
      some = true;
    }
    return some;
  };
  const all = Array.from({ length: columns }, (_, n) => n).filter((n) => n !== time);
  const kept = all.filter(isNumeric);
  const left = all.filter((n) => !kept.includes(n)).map((n) => `'${names[n]!.slice(0, 80)}'`);
  if (left.length > 0)
    context.reportLoss(
      `Columns without numbers were left out: ${left.slice(0, 12).join(', ')}${left.length > 12 ? ', …' : ''}.`,
    );
  return kept;
}

/** @throws FormatError for a text that is no time */
function readTime(rows: Rows, { column, parser }: SeriesRoles['time']): number {
  const text = rows.text(column).trim();
  const time = parser.parse(text);
  if (Number.isNaN(time))
    throw new FormatError(
      `${rows.where} has '${text.slice(0, 40)}' in column ${column + 1} in place of a time (${parser.pattern}).`,
    );
  return time;
}

class CellReader {
  readonly #dialect: Dialect;
  readonly #names: readonly string[];

  constructor(dialect: Dialect, names: readonly string[]) {
    this.#dialect = dialect;
    this.#names = names;
  }

  /** NaN for an empty cell. @throws ConversionError for a text, which skipping the row would hide */
  number(rows: Rows, column: number): number {
    if (column >= rows.count) return Number.NaN;
    rows.trim(column);
    const { bytes } = rows;
    const start = rows.starts[column]!;
    const end = rows.ends[column]!;
    if (start === end) return Number.NaN;
    const value = this.#dialect.numbers.parse(bytes, start, end);
    if (Number.isNaN(value) && !isNanWord(bytes, start, end))
      throw new ConversionError(
        `${rows.where} has '${rows.text(column).slice(0, 40)}' in the column '${this.#names[column]}', whose values are numbers.`,
      );
    return value;
  }
}

async function* sortedChunks(
  source: ByteSource,
  dialect: Dialect,
  { time }: SeriesRoles,
  { columns, names, start }: { columns: readonly number[]; names: readonly string[]; start: number },
  context: Context,
): AsyncGenerator<SeriesChunk> {
  const cells = new CellReader(dialect, names);
  let chunk = new Steps(columns.length, 0);
  const take = (rows: Rows): Steps | undefined => {
    const { values, offsets, count } = chunk;
    const at = readTime(rows, time);
    for (let n = 0; n < columns.length; n++) values[n]![count] = cells.number(rows, columns[n]!);
    offsets[count] = (at - start) / 1000;
    if (++chunk.count < perChunk) return undefined;
    const full = chunk;
    chunk = new Steps(columns.length, full.firstStep + full.count);
    return full;
  };
  for await (const all of tableRows(source, dialect, context, take)) for (const full of all) yield full.chunk();
  if (chunk.count > 0) yield chunk.chunk();
}

/** Steps that are not complete yet. */
class Steps {
  count = 0;
  readonly firstStep: number;
  readonly offsets = new Float64Array(perChunk);
  readonly values: readonly Float64Array[];

  constructor(items: number, firstStep: number) {
    this.firstStep = firstStep;
    this.values = Array.from({ length: items }, () => new Float64Array(perChunk));
  }

  chunk(): SeriesChunk {
    const { firstStep, count } = this;
    return {
      firstStep,
      offsets: this.offsets.subarray(0, count),
      values: this.values.map((values) => values.subarray(0, count)),
    };
  }
}

/** Names of the items of rows of one value each, at most. */
const maxItems = 10_000;

async function readLong(
  source: ByteSource,
  dialect: Dialect,
  { time, long }: SeriesRoles & { readonly long: NonNullable<Roles['long']> },
  names: readonly string[],
  context: Context,
): Promise<Series> {
  const { item, value } = long;
  context.remark(`Each row was read as a value ('${names[value]}') of the item in '${names[item]}'.`);
  const left = names.filter((_, n) => n !== item && n !== value && n !== time.column);
  if (left.length > 0)
    context.reportLoss(
      `Columns other than time, item and value were left out: ${left.slice(0, 12).join(', ').slice(0, 400)}.`,
    );
  const cells = new CellReader(dialect, names);
  const numbers = new Map<string, number>();
  const gathered = new GatheredValues();
  for await (const _ of tableRows(source, dialect, context, (rows) => {
    const at = readTime(rows, time);
    const name = rows.text(item).trim();
    const number = numbers.get(name) ?? numbers.size;
    if (number === numbers.size) {
      if (number >= maxItems) throw new ConversionError(`${rows.where}: there are more than ${maxItems} items.`);
      numbers.set(name, number);
    }
    gathered.add(at, number, cells.number(rows, value));
    return undefined;
  }));
  const items = distinct([...numbers.keys()].map((name, n) => seriesItem(name || `Item ${n + 1}`, context)));
  return gathered.series(items, context);
}
