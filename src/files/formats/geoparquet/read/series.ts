import type { ByteSource } from '../../../data/bytes.ts';
import type { Crs } from '../../../data/crs-reference.ts';
import { defined } from '../../../data/defined.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../../data/series.ts';
import { newValues, type StoredType, type StoredValues } from '../../../data/stored-values.ts';
import { clockOf, MILLISECONDS, offsetOf, stepCount, type TimeAxis, timeOf } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { distinctNames } from '../../io/distinct-names.ts';
import type { SeriesDescription } from '../../io/store/description.ts';
import { itemOfDescription } from '../../io/store/items.ts';
import { originOf } from '../../io/store/read-origin.ts';
import { GatheredValues } from '../../io/table/gathered-values.ts';
import { seriesItem } from '../../io/table/item-header.ts';
import { Times } from '../../io/table/time-list.ts';
import { ownSeries } from '../own-description.ts';
import { logical, physical } from '../parquet/constants.ts';
import type { Footer } from '../parquet/footer.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import { fieldColumn, kindOf } from './field-column.ts';
import { namesOf } from './table-fields.ts';
import { type TableColumn, tableRows } from './table-rows.ts';
import type { TimeColumn } from './time-column.ts';

/** An item with the column of its values. */
interface ItemColumn {
  readonly item: SeriesItem;
  readonly stored: StoredType;
  readonly column: TableColumn;
}

interface Table {
  readonly source: ByteSource;
  readonly footer: Footer;
  readonly time: TimeColumn;
  readonly context: Context;
}

/** The columns of numbers; columns in lists and groups are none. */
export const itemNodes = (columns: readonly SchemaNode[]): readonly SchemaNode[] =>
  columns.filter((node) => {
    if (node.column < 0 || node.maxRepetition > 0) return false;
    const type = fieldColumn(node)?.field.type;
    return type === 'integer' || type === 'integer64' || type === 'real';
  });

/** Series over the times of a column: columns of numbers are its items. */
export async function readSeries(
  source: ByteSource,
  footer: Footer,
  columns: readonly SchemaNode[],
  time: TimeColumn,
  context: Context,
): Promise<Series> {
  const table = { source, footer, time, context };
  const times = new Times();
  for await (const { values } of tableRows(source, footer, [columnOf(time)], context.signal))
    for (const value of values[0]!) if (value !== null) times.add(value as number);
  const own = ownSeries(footer.keyValues);
  const described = own === undefined || !times.isSorted ? undefined : describedItems(own, columns);
  const known = new Set([time.node.name, ...(described ?? []).map(({ column }) => column.name)]);
  const items = foreignItems(
    columns.filter(({ name }) => !known.has(name)),
    context,
  );
  if (own !== undefined && described !== undefined) return describedSeries(table, own, [...described, ...items], times);
  context.remark(`Times were read from the column '${time.node.name.slice(0, 80)}'${time.isUtc ? ', in UTC' : ''}.`);
  if (!times.isSorted) {
    context.remark('Rows were sorted by time.');
    return gathered(table, items);
  }
  const axis = times.axis();
  return { kind: 'series', items: items.map(({ item }) => item), time: axis, chunks: () => chunks(table, items, axis) };
}

const columnOf = ({ node, leaf }: TimeColumn): TableColumn => ({ name: node.name, leaves: [{ node, leaf }] });

/** Counts integers that a double cannot hold. */
class Rounded {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  number(value: number | bigint, name: string): number {
    const rounded = Number(value);
    if (typeof value === 'bigint' && BigInt(rounded) !== value)
      this.#context.reportLoss(`Integers of '${name.slice(0, 80)}' were rounded to double precision.`);
    return rounded;
  }
}

/** Items of columns that no description of this library names. Other columns than those of numbers are left out. */
function foreignItems(columns: readonly SchemaNode[], context: Context): ItemColumn[] {
  const nodes = new Set(itemNodes(columns));
  const left = columns.filter((node) => !nodes.has(node)).map(({ name }) => name);
  if (left.length > 0) context.reportLoss(`Columns without numbers were left out: ${namesOf(left)}.`);
  const named = [...nodes].map((node) => ({ node, item: seriesItem(node.name, context) }));
  const names = distinctNames(named.map(({ item }) => item.name!));
  const rounded = new Rounded(context);
  return named.map(({ node, item }, n) => foreignItem(node, { ...item, name: names[n]! }, rounded));
}

function foreignItem(node: SchemaNode, item: SeriesItem, rounded: Rounded): ItemColumn {
  const { leaf } = fieldColumn(node)!;
  const { number, bytes } = leaf;
  const double = (value: unknown) => rounded.number(value as number | bigint, node.name);
  const stored = node.type === physical.float && kindOf(node) === 0 ? 'Float32' : 'Float64';
  const values = {
    ...leaf,
    number: (value: number | bigint | boolean) => double(number === undefined ? value : number(value)),
    ...(bytes && { bytes: (buffer: Buffer, start: number, end: number) => double(bytes(buffer, start, end)) }),
  };
  return { item: { ...item, type: stored }, stored, column: { name: node.name, leaves: [{ node, leaf: values }] } };
}

const smallTypes: Readonly<Record<string, StoredType>> = {
  'true 8': 'Int8',
  'true 16': 'Int16',
  'true 32': 'Int32',
  'true 64': 'Int64',
  'false 8': 'UInt8',
  'false 16': 'UInt16',
  'false 32': 'UInt32',
  'false 64': 'UInt64',
};

/** The type of samples of a column that this library has written. */
function storedType({ type, logical: annotation }: SchemaNode): StoredType | undefined {
  if (annotation?.kind === logical.integer) return smallTypes[`${annotation.signed} ${annotation.bits}`];
  return annotation === undefined ? plainTypes[type!] : undefined;
}

/** Other programs leave out the annotation that says no more than the type. */
const plainTypes: Readonly<Record<number, StoredType>> = {
  [physical.int32]: 'Int32',
  [physical.int64]: 'Int64',
  [physical.float]: 'Float32',
  [physical.double]: 'Float64',
};

/** The items as they were written; undefined if the columns do not fit the description. */
function describedItems({ items }: SeriesDescription, columns: readonly SchemaNode[]): ItemColumn[] | undefined {
  const found = items.map((item): ItemColumn | undefined => {
    const node = columns.find(({ name, column }) => name === item.array && column >= 0);
    const stored = node && storedType(node);
    const { leaf } = (node && fieldColumn(node)) ?? {};
    if (node === undefined || stored === undefined || leaf === undefined || node.maxRepetition > 0) return undefined;
    const { position, ...rest } = item;
    return {
      item: defined({ ...itemOfDescription(rest, stored), position }) as SeriesItem,
      stored,
      column: { name: node.name, leaves: [{ node, leaf }] },
    };
  });
  return found.every((item) => item !== undefined) ? found : undefined;
}

/** Milliseconds: times are written in whole microseconds. */
const roundedBy = 0.002;

function describedSeries(
  table: Table,
  description: SeriesDescription,
  items: readonly ItemColumn[],
  times: Times,
): Series {
  const { time, crs } = description;
  const start = time.start ?? 0;
  const counted = times.axis();
  const unit = MILLISECONDS[time.unit];
  const offsets = Float64Array.from(
    { length: stepCount(counted) },
    (_, step) => (timeOf(counted, step) - start) / unit,
  );
  // Another program may have changed the rows and kept the description.
  const isAsSaid =
    time.spacing === 'equidistant' &&
    time.count === offsets.length &&
    offsets.every((offset, step) => Math.abs(offset - offsetOf(time, step)) * unit < roundedBy);
  const axis: TimeAxis = isAsSaid ? time : { ...clockOf(time), spacing: 'nonEquidistant', offsets };
  const system = crs as Crs | undefined;
  return defined({
    kind: 'series',
    crs: system,
    items: items.map(({ item }) => item),
    time: axis,
    origin: originOf(description, system),
    chunks: () => chunks(table, items, axis),
  }) as Series;
}

/** Calls `take` for each row that has a time. */
async function* timedRows(
  { source, footer, time, context }: Table,
  items: readonly ItemColumn[],
): AsyncGenerator<{ times: readonly unknown[]; rows: readonly number[]; values: readonly (readonly unknown[])[] }> {
  const columns = [columnOf(time), ...items.map(({ column }) => column)];
  let first = 0;
  for await (const { count, values } of tableRows(source, footer, columns, context.signal)) {
    const [times, ...rest] = values as [readonly unknown[], ...(readonly unknown[])[]];
    const rows: number[] = [];
    for (let row = 0; row < count; row++) {
      if (times[row] !== null) {
        rows.push(row);
        continue;
      }
      const number = first + row + 1;
      const reason = new FormatError(`Row ${number} has no time in the column '${time.node.name.slice(0, 80)}'.`);
      context.reportBadRecord({ number, reason });
    }
    first += count;
    if (rows.length > 0) yield { times, rows, values: rest };
  }
}

async function* chunks(table: Table, items: readonly ItemColumn[], axis: TimeAxis): AsyncGenerator<SeriesChunk> {
  let firstStep = 0;
  for await (const { rows, values } of timedRows(table, items)) {
    const offsets = Float64Array.from(rows, (_, n) => offsetOf(axis, firstStep + n));
    yield { firstStep, offsets, values: items.map((item, n) => samples(item, rows, values[n]!, table.context)) };
    firstStep += rows.length;
  }
}

function samples(
  { item, stored, column: { name } }: ItemColumn,
  rows: readonly number[],
  column: readonly unknown[],
  { reportLoss }: Context,
): StoredValues {
  const isBig = stored === 'Int64' || stored === 'UInt64';
  const nodata = isBig ? (item.exactNodata ?? BigInt(Math.trunc(item.nodata ?? 0) || 0)) : (item.nodata ?? Number.NaN);
  const values = newValues(stored, rows.length);
  const isWhole = stored !== 'Float32' && stored !== 'Float64';
  if (isWhole && item.nodata === undefined && rows.some((row) => column[row] === null))
    reportLoss(`The column '${name.slice(0, 80)}' has rows without a value, which became 0.`);
  for (const [n, row] of rows.entries()) {
    const value = column[row] as number | bigint | null;
    values[n] = (value === null ? nodata : isBig ? BigInt(value) : value) as never;
  }
  return values;
}

/** Series of rows that do not follow each other in time. */
async function gathered(table: Table, items: readonly ItemColumn[]): Promise<Series> {
  const all = new GatheredValues();
  for await (const { times, rows, values } of timedRows(table, items))
    for (const row of rows)
      for (let item = 0; item < items.length; item++)
        all.add(times[row] as number, item, (values[item]![row] as number | null) ?? Number.NaN);
  return all.series(
    items.map(({ item }) => ({ ...item, type: 'Float64' })),
    table.context,
  );
}
