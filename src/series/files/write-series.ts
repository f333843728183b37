import { FileSink, FileSource } from 'hydrofiles/bytes';
import { type Chosen, SeriesFile, windows } from 'hydrofiles/series';
import { type Table, writeCsvTable, writeParquetTable } from 'hydrofiles/tables';
import type { WriteAnswer } from '../../datasets/files/write-data.ts';
import type { Series } from '../definitions.ts';
import { fileColumns } from './columns.ts';
import { MOST_VALUES, tooManyValues } from './limits.ts';
import { boundedTexts, cellsOf, type Union } from './union.ts';
import { writeNetCdf } from './write-netcdf.ts';

/** Series in a file of packed blocks, of which a part is to be written. */
export interface SeriesInput {
  readonly path: string;
  readonly format: 'csv' | 'parquet' | 'netcdf';
  readonly series: readonly Series[];
  /** First and last time in microseconds since 1970, both included. */
  readonly from: bigint;
  readonly to: bigint;
}

/** Writes values of series: a row for each time, and a column or variable for each series and data field. */
export const write: WriteAnswer<SeriesInput> = async (input, target, context) => {
  const { path, series, from, to, format } = input;
  await using source = await FileSource.open(path, { checksum: false });
  const file = await SeriesFile.open(source);
  const columns = fileColumns(series);
  const chosen = series.map(
    (_, n): Chosen => ({
      series: n,
      kinds: columns.filter((one) => one.series === n).map((one) => one.source.kind),
    }),
  );
  const base = await firstTime(file, chosen, from);
  const rows = async function* (values: boolean) {
    for await (const window of windows(file, chosen, { base, values, interval: { from, to } })) {
      context.throwIfAborted();
      yield window;
    }
  };
  let count = 0;
  for await (const { times } of rows(false)) {
    count += times.length;
    if (count * columns.length > MOST_VALUES) throw tooManyValues();
  }
  const union: Union = { columns, base, rows: () => boundedTexts(rows(true), columns) };
  if (format === 'netcdf') return await writeNetCdf(union, series, target, context);
  await using sink = await FileSink.create(target.path, { checksum: false });
  await (format === 'csv' ? writeCsvTable : writeParquetTable)(tableOf(union), sink);
  await sink.flush();
  return { lost: [] };
};

/** Time of the first row, but not before the interval. */
async function firstTime(file: SeriesFile, chosen: readonly Chosen[], from: bigint): Promise<bigint> {
  let first: bigint | undefined;
  for (const { series } of chosen)
    for await (const block of file.blocks(series)) {
      const start = block.first < from ? from : block.first;
      if (first === undefined || start < first) first = start;
      break;
    }
  return first ?? 0n;
}

const tableOf = ({ columns, base, rows }: Union): Table => ({
  columns: [{ name: 'time', type: 'time' }, ...columns],
  async *chunks() {
    for await (const window of rows()) {
      const time = (row: number) => base + BigInt(window.times[row]!);
      yield { rows: window.times.length, cells: [time, ...cellsOf(window, columns)] };
    }
  },
});
