import { microClockText } from '../../data/date-text.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection, FieldType } from '../../data/feature-collection.ts';
import type { Series } from '../../data/series.ts';
import { MILLISECONDS } from '../../data/time-axis.ts';
import type { FeaturesByIndex } from '../features/read-indexed.ts';
import { type Cell, cellOf, shortener, valueReader } from './cells.ts';
import { itemName } from './choose.ts';
import { geometryText } from './geometry-text.ts';
import type { RowSource } from './row-source.ts';

const numeric: ReadonlySet<FieldType> = new Set<FieldType>(['integer', 'integer64', 'real']);

/** A row per feature: its id, its values and a short text of its geometry. */
export function featureRows(data: FeatureCollection, byIndex?: FeaturesByIndex): RowSource {
  const stride = strideOf(data);
  return {
    columns: [
      { name: 'id', type: 'text' },
      ...data.fields.map(({ name, type }) => ({ name, type: numeric.has(type) ? 'number' : 'text' }) as const),
      { name: 'geometry', type: 'text' },
    ],
    read: (first, limit, throwIfCancelled) =>
      readRows(byIndex?.from(first) ?? data.chunks(), byIndex ? 0 : first, limit, throwIfCancelled, {
        lengthOf: (chunk) => chunk.length,
        rowOf(chunk, n) {
          const { id, values, geometry } = chunk[n]!;
          const own = data.fields.map((_, field) => cellOf(values[field]));
          return [id ?? null, ...own, geometryText(geometry, stride)];
        },
      }),
  };
}

/** A row per time. */
export function seriesRows({ items, time, chunks }: Series): RowSource {
  const { unit, start } = time;
  const readers = items.map((item) => ({ readValue: valueReader(item), shorten: shortener(item) }));
  const timeOf = (offset: number): Cell =>
    start === undefined ? offset : microClockText(start + offset * MILLISECONDS[unit]);
  return {
    columns: [
      start === undefined ? { name: 'time', unit, type: 'number' } : { name: 'time', type: 'text' },
      ...items.map((_, n) => {
        const { id: _id, ...named } = itemName(items, n);
        return { ...named, type: 'number' } as const;
      }),
    ],
    read: (first, limit, throwIfCancelled) =>
      readRows(chunks(), first, limit, throwIfCancelled, {
        lengthOf: ({ offsets }) => offsets.length,
        rowOf: ({ offsets, values }, n) => [
          timeOf(offsets[n]!),
          ...readers.map(({ readValue, shorten }, item) => {
            const value = readValue(values[item]!, n);
            return cellOf(typeof value === 'number' ? shorten(value) : value);
          }),
        ],
      }),
  };
}

/** Rows of streamed chunks from a number on. */
async function readRows<Chunk>(
  chunks: AsyncIterable<Chunk>,
  first: number,
  limit: number,
  throwIfCancelled: () => void,
  { lengthOf, rowOf }: { lengthOf(chunk: Chunk): number; rowOf(chunk: Chunk, n: number): Cell[] },
): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  let before = 0;
  for await (const chunk of chunks) {
    throwIfCancelled();
    const length = lengthOf(chunk);
    for (let n = Math.max(0, first - before); n < length && rows.length < limit; n++) rows.push(rowOf(chunk, n));
    before += length;
    if (rows.length >= limit) break;
  }
  return rows;
}
