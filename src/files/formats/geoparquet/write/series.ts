import type { ByteSink } from '../../../data/bytes.ts';
import { defined } from '../../../data/defined.ts';
import type { ExactIntegers, Item, Samples, SampleType } from '../../../data/item.ts';
import type { Series, SeriesItem } from '../../../data/series.ts';
import { clockOf, MILLISECONDS } from '../../../data/time-axis.ts';
import { ConversionError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { contentOf, storedPlaceOf } from '../../io/dfs/origin.ts';
import { distinctNames } from '../../io/distinct-names.ts';
import { describedItem } from '../../io/store/items.ts';
import { numberText } from '../../io/store/json-number.ts';
import { sourceOf } from '../../io/store/source-file.ts';
import { describedTime } from '../../io/store/time.ts';
import { createdBy } from '../created-by.ts';
import { DESCRIPTION_KEY } from '../own-description.ts';
import { physical } from '../parquet/constants.ts';
import { type ColumnSpec, ColumnWriter, integerType, timestampType } from './column-writer.ts';
import type { GeoParquetOptions } from './options.ts';
import { ParquetFile } from './parquet-file.ts';

const TIME = 'time';

/** Columns of samples. */
export const sampleColumns: Readonly<Record<SampleType | 'Int64' | 'UInt64', Omit<ColumnSpec, 'path'>>> = {
  Int8: { type: physical.int32, annotation: integerType(8, true) },
  UInt8: { type: physical.int32, annotation: integerType(8, false) },
  Int16: { type: physical.int32, annotation: integerType(16, true) },
  UInt16: { type: physical.int32, annotation: integerType(16, false) },
  Int32: { type: physical.int32, annotation: integerType(32, true) },
  UInt32: { type: physical.int32, annotation: integerType(32, false) },
  Int64: { type: physical.int64, annotation: integerType(64, true) },
  UInt64: { type: physical.int64, annotation: integerType(64, false) },
  Float32: { type: physical.float },
  Float64: { type: physical.double },
};

/** Series as a table: a column of times, and one for each item, with its unit in the name. */
export async function writeSeries(
  series: Series,
  { RowGroupRows }: GeoParquetOptions,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const { time } = series;
  if (series.items.length === 0) throw new ConversionError('The data have no series, so there is nothing to write.');
  if (time.start === undefined) context.remark('Times relative to a start count from 1970-01-01T00:00:00.');
  const items = series.items.map(writtenItem);
  const names = distinctNames([
    TIME,
    ...items.map(({ name, unit }, n) => `${(name ?? `Item ${n + 1}`).toWellFormed()}${unit ? ` [${unit}]` : ''}`),
  ]);
  const specs: ColumnSpec[] = [
    { path: [TIME], type: physical.int64, annotation: timestampType(false) },
    ...items.map((item, n) => ({ path: [names[n + 1]!], ...sampleColumns[item.integer64 ?? item.type ?? 'Float64'] })),
  ];
  const file = new ParquetFile(
    sink,
    specs.map((spec, n) => ({ name: spec.path[0]!, isOptional: n > 0, columns: [spec] })),
  );
  const newColumns = () => specs.map((spec, n) => new ColumnWriter(spec, { isOptional: n > 0 }));
  let columns = newColumns();
  let rows = 0;
  const clock = new Microseconds((time.start ?? 0) * 1000, MILLISECONDS[time.unit] * 1000);
  for await (const { offsets, values } of series.chunks()) {
    context.signal.throwIfAborted();
    for (let step = 0; step < offsets.length; step++) {
      columns[0]!.number(clock.at(offsets[step]!));
      for (let n = 0; n < items.length; n++) putSample(columns[n + 1]!, values[n]!, step, series.items[n]!);
      if (++rows < RowGroupRows) continue;
      await file.rowGroup(columns, rows);
      [columns, rows] = [newColumns(), 0];
    }
  }
  if (rows > 0) await file.rowGroup(columns, rows);
  if (clock.isCut) context.reportLoss('Times were rounded to microseconds.');
  await file.end({ [DESCRIPTION_KEY]: JSON.stringify(description(series, items, names.slice(1))) }, createdBy);
}

/** Scaled samples are written as the values that they mean. */
function writtenItem(item: SeriesItem): SeriesItem {
  const { scale = 1, offset = 0, type } = item;
  if (scale === 1 && offset === 0) return type === undefined ? { ...item, type: 'Float64' } : item;
  const { scale: _, offset: __, integer64: ___, exactNodata: ____, ...rest } = item;
  return { ...rest, type: 'Float64', nodata: Number.NaN };
}

/** Times of steps in microseconds since 1970. */
class Microseconds {
  isCut = false;
  readonly #start: number;
  readonly #unit: number;

  constructor(start: number, unit: number) {
    this.#start = start;
    this.#unit = unit;
  }

  at(offset: number): number {
    const exact = this.#start + offset * this.#unit;
    const rounded = Math.round(exact);
    // what the sum of doubles has lost is no part of the time
    if (Math.abs(rounded - exact) > 0.3) this.isCut = true;
    return rounded;
  }
}

function putSample(column: ColumnWriter, values: Samples | ExactIntegers, step: number, item: Item): void {
  const sample = values[step]!;
  const { nodata, scale = 1, offset = 0 } = item;
  if (typeof sample === 'bigint') {
    const none = item.exactNodata ?? (Number.isFinite(nodata) ? BigInt(Math.trunc(nodata!)) : undefined);
    const number = Number(sample);
    if (sample === none) column.null();
    else if (scale !== 1 || offset !== 0) column.number(number * scale + offset);
    else column.number(Number.isSafeInteger(number) ? number : sample);
    return;
  }
  const isNone = sample === (values instanceof Float32Array && nodata !== undefined ? Math.fround(nodata) : nodata);
  if (isNone || Number.isNaN(sample)) column.null();
  else column.number(scale === 1 && offset === 0 ? sample : sample * scale + offset);
}

function description(series: Series, items: readonly SeriesItem[], names: readonly string[]): object {
  const { crs, time } = series;
  const projection =
    storedPlaceOf(series)?.projection ??
    (contentOf(series)?.crs === crs ? contentOf(series)?.file.header.projection : undefined);
  return defined({
    version: 1,
    kind: 'series',
    dfs: projection && { projection },
    source: sourceOf(series),
    crs,
    time: time.spacing === 'pulled' ? { spacing: 'nonEquidistant', ...clockOf(time) } : describedTime(time),
    items: items.map((item, n) =>
      defined({ ...describedItem(item, names[n]!), position: item.position?.map((value) => numberText(value)) }),
    ),
  });
}
