import type { Samples, Series as SeriesData } from 'hydrofiles/data';
import { itemOf } from 'hydrofiles/series';
import type { TaskContext } from 'hydrofiles/threads';
import { type FileTarget, type WrittenFile, writeData } from '../../datasets/files/write-data.ts';
import { AppError } from '../../errors.ts';
import type { Series } from '../definitions.ts';
import type { FileColumn } from './columns.ts';
import { cellsOf, type Union } from './union.ts';

const SECOND = 1_000_000n;

/** Numbers over the union of times, by CF: a variable for each series and each data field of numbers. */
export function writeNetCdf(
  { columns, base, rows }: Union,
  series: readonly Series[],
  target: FileTarget,
  context: Pick<TaskContext, 'throwIfAborted'>,
): Promise<WrittenFile> {
  const isNumeric = ({ type }: FileColumn) => type !== 'text' && type !== 'time';
  const numeric = columns.filter(isNumeric);
  if (numeric.length === 0)
    throw new AppError('unprocessable', 'The values are no numbers, which NetCDF needs. Ask for f=csv or f=parquet.');
  const left = columns.filter((one) => !isNumeric(one));
  const lost = new Set(left.map(({ name }) => `'${name}' was left out: its values are no numbers.`));
  const items = numeric.map((column) => itemOfColumn(column, series));
  const fraction = Number(((base % SECOND) + SECOND) % SECOND);
  const data: SeriesData = {
    kind: 'series',
    items,
    // from a whole second, so that offsets have few decimals
    time: { spacing: 'pulled', unit: 'second', start: Number(base - BigInt(fraction)) / 1000 },
    async *chunks() {
      let firstStep = 0;
      for await (const window of rows()) {
        const { times } = window;
        const values = cellsOf(window, numeric).map((cell, n): Samples => {
          const own = new (items[n]!.type === 'Float32' ? Float32Array : Float64Array)(times.length).fill(Number.NaN);
          for (let row = 0; row < own.length; row++) {
            const value = cell(row);
            if (value === null) continue;
            own[row] = Number(value);
            if (typeof value === 'bigint' && BigInt(own[row]!) !== value)
              lost.add(`Integers of '${numeric[n]!.name}' were rounded to double precision.`);
          }
          return own;
        });
        yield { firstStep, offsets: times.map((time) => (fraction + time) / 1e6), values };
        firstStep += times.length;
      }
    },
  };
  return writeData(data, target, context, lost);
}

/** Missing values are NaN, as xarray and pandas have them. */
function itemOfColumn({ name, series, column, source: { dataType } }: FileColumn, all: readonly Series[]) {
  const type = dataType === 'Single' || dataType === 'Int16' ? ('Float32' as const) : ('Float64' as const);
  const { name: _, nodata: __, ...quantity } = column === 0 ? itemOf(all[series]!) : {};
  return { ...quantity, name, type, nodata: Number.NaN };
}
