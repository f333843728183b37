import { microClockText } from '../../data/date-text.ts';
import { offsetOf, timeOf } from '../../data/time-axis.ts';
import { RequestError } from '../../errors.ts';
import type { IndexedFeatures } from '../features/indexed-features.ts';
import { byIndex } from '../features/read-indexed.ts';
import type { Cell } from './cells.ts';
import { type Choice, layerNumber, type PreviewData, stepNumber } from './choose.ts';
import type { Column, RowSource } from './row-source.ts';
import { type CellRows, rowsOfArray, rowsOfGrid, rowsOfMesh } from './table-cells.ts';
import { featureRows, seriesRows } from './table-rows.ts';

export interface TableRequest extends Omit<Choice, 'item'> {
  /** `next` of the page before, which keeps its step and layer. */
  readonly cursor?: string;
  /** Maximum number of rows; absent: 100. */
  readonly limit?: number;
}

/** A page of a table: features, times of series, or cells of a grid, a mesh or an array at a step. */
export interface TableAnswer {
  readonly columns: readonly Column[];
  readonly rows: Cell[][];
  /** Absent: the last page. */
  readonly next?: string;
  /** Number of rows of all pages, if it is known. */
  readonly count?: number;
  /** Of cells. */
  readonly step?: number;
  readonly layer?: number;
  /** Time of the step, unless the axis is relative; then its offset. */
  readonly time?: string | number;
}

const mostRows = 1000;

/**
 * A page of the values as a table.
 * @param indexed the same features with an index: pages come at once, and in its order
 * @throws RequestError for a wrong cursor, limit, step or layer
 */
export async function table(
  data: PreviewData,
  { cursor, limit = 100, ...choice }: TableRequest,
  throwIfCancelled: () => void,
  indexed?: IndexedFeatures,
): Promise<TableAnswer> {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= mostRows))
    throw new RequestError(`limit must be a whole number of rows from 1 to ${mostRows}, not ${limit}.`);
  const [first, ...kept] = cursor === undefined ? [0] : parseCursor(cursor);
  const step = stepNumber(data, kept[0] ?? choice.step);
  const layer = layerNumber(data, 0, kept[1] ?? choice.layer);
  const source = sourceOf(data, step, layer, indexed);
  if (first > (source.count ?? Infinity)) throw wrongCursor(cursor!);
  const wanted = source.count === undefined ? limit + 1 : Math.min(limit, source.count - first);
  const rows = await source.read(first, wanted, throwIfCancelled);
  const isLast = source.count === undefined ? rows.length <= limit : first + rows.length >= source.count;
  const time = 'time' in data && data.kind !== 'series' ? data.time : undefined;
  return {
    columns: source.columns,
    rows: rows.slice(0, limit),
    ...(isLast ? {} : { next: writeCursor([first + limit, step, layer]) }),
    ...(source.count === undefined ? {} : { count: source.count }),
    ...(data.kind === 'features' || data.kind === 'series' ? {} : { step, layer }),
    ...(time && { time: time.start === undefined ? offsetOf(time, step) : microClockText(timeOf(time, step)) }),
  };
}

function sourceOf(data: PreviewData, step: number, layer: number, indexed: IndexedFeatures | undefined): RowSource {
  switch (data.kind) {
    case 'features':
      return featureRows(data, indexed && byIndex(data, indexed));
    case 'series':
      return seriesRows(data);
    case 'grid':
      return pagesOf(rowsOfGrid(data, step, layer));
    case 'mesh':
      return pagesOf(rowsOfMesh(data, step, layer));
    case 'array':
      return pagesOf(rowsOfArray(data, step));
  }
}

function pagesOf({ columns, count, cells }: CellRows): RowSource {
  return {
    columns,
    count,
    async read(first, limit, throwIfCancelled) {
      if (limit <= 0) return [];
      const own = await cells(first, limit, throwIfCancelled);
      return Array.from({ length: limit }, (_, n) => own.map((column) => column(n)));
    },
  };
}

const writeCursor = (numbers: readonly number[]): string => Buffer.from(numbers.join()).toString('base64url');

function parseCursor(cursor: string): [row: number, step: number, layer: number] {
  const found = /^(\d{1,15}),(\d{1,9}),(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (found === null) throw wrongCursor(cursor);
  return found.slice(1).map(Number) as [number, number, number];
}

const wrongCursor = (cursor: string): RequestError =>
  new RequestError(`'${cursor.slice(0, 60)}' is no cursor of this table. Take 'next' of the page before.`);
