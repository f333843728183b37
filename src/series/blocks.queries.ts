import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

// times as text: a number of JavaScript is not exact from the year 2255 on
const micros = z.string().transform((text) => BigInt(text));
const BlockSpan = z.object({ first: micros, last: micros, count: z.number() });
/** Interval and number of values of a block. */
export type BlockSpan = z.infer<typeof BlockSpan>;
const Block = z.object({ first: micros, last: micros, data: z.instanceof(Buffer) });
export type Block = z.infer<typeof Block>;

/** The end of the last block that begins at or before this time belongs to the interval, too. */
const reaching = (from: bigint, to: bigint, key: number) => sql.fragment`
  b.series_key = ${key} and b.first <= ${String(to)}::bigint and b.last >= ${String(from)}::bigint
  and b.first >= coalesce((select max(c.first) from ts_blocks c where c.series_key = ${key} and c.first <= ${String(from)}::bigint), ${String(from)}::bigint)`;

/** Blocks with values in the interval, both ends included, in the order of time. */
export const listBlocks = (db: Reads, key: number, from: bigint, to: bigint, limit: number) =>
  db.any(sql.prepared('blocks of values', Block)`
    select b.first::text, b.last::text, b.data from ts_blocks b where ${reaching(from, to, key)} order by b.first limit ${limit}`);

/** Rows and bytes of the blocks of several series with values in the interval. */
export const sumBlocks = (db: Reads, keys: readonly number[], from: bigint, to: bigint) =>
  db.one(sql.type(z.object({ rows: z.number(), bytes: z.number() }))`
    select coalesce(sum(b.count), 0)::bigint as rows, coalesce(sum(length(b.data)), 0)::bigint as bytes from ts_blocks b
    where b.series_key = any(${sql.array([...keys], 'int8')}) and b.first <= ${String(to)}::bigint and b.last >= ${String(from)}::bigint`);

/** Places of the blocks with values in the interval, and of the one before it. */
export const listPlaces = (tx: Transaction, key: number, from: bigint, to: bigint) =>
  tx.any(sql.type(BlockSpan)`
    select b.first::text, b.last::text, b.count from ts_blocks b
    where b.series_key = ${key} and b.first <= ${String(to)}::bigint
      and b.first >= coalesce((select max(c.first) from ts_blocks c where c.series_key = ${key} and c.first <= ${String(from)}::bigint),
        ${String(from)}::bigint)
    order by b.first`);

/** Start of the first block after this time; null if there is none. */
export const findNextStart = (tx: Transaction, key: number, after: bigint) =>
  tx.maybeOneFirst(sql.type(z.object({ first: micros }))`
    select first::text from ts_blocks where series_key = ${key} and first > ${String(after)}::bigint order by ts_blocks.first limit 1`);

/** Time of the last row of a series; null if it has none. */
export const findLastTime = (tx: Transaction, key: number) =>
  tx.maybeOneFirst(sql.type(z.object({ last: micros }))`
    select last::text from ts_blocks where series_key = ${key} order by ts_blocks.first desc limit 1`);

export const readBlock = (tx: Transaction, key: number, first: bigint) =>
  tx.one(sql.type(Block)`
    select first::text, last::text, data from ts_blocks where series_key = ${key} and ts_blocks.first = ${String(first)}::bigint`);

export const deleteBlocks = (tx: Transaction, key: number, firsts: readonly bigint[]) =>
  tx.query(sql.unsafe`
    delete from ts_blocks where series_key = ${key} and first = any(${sql.array(firsts.map(String), 'int8')})`);

export interface NewBlock extends BlockSpan {
  data: Buffer;
}

export const insertBlocks = (tx: Transaction, key: number, blocks: readonly NewBlock[]) =>
  tx.query(sql.unsafe`
    insert into ts_blocks (series_key, first, last, count, data)
    select ${key}, b.first, b.last, b.count, b.data
    from unnest(${sql.array(
      blocks.map(({ first }) => String(first)),
      'int8',
    )}, ${sql.array(
      blocks.map(({ last }) => String(last)),
      'int8',
    )}, ${sql.array(
      blocks.map(({ count }) => count),
      'int4',
    )}, ${sql.array(
      blocks.map(({ data }) => data),
      'bytea',
    )}) as b (first, last, count, data)`);

/** Size and period of a series, from its blocks. */
export const updateExtent = (tx: Transaction, key: number) =>
  tx.query(sql.unsafe`
    update ts_series set bytes = b.bytes, first = b.first, last = b.last
    from (select coalesce(sum(length(data)), 0)::bigint as bytes, min(first) as first, max(last) as last
      from ts_blocks where series_key = ${key}) b
    where key = ${key}`);

/** Lets a transaction see one state of the data. Must be its first statement. */
export const beginSnapshot = (tx: Transaction) =>
  tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);

const Packed = Block.extend({ count: z.number() });

/** The next blocks of a series; null: from the first one on. */
export const listNextBlocks = (tx: Transaction, key: number, after: bigint | null, limit: number) =>
  tx.any(sql.type(Packed)`
    select b.first::text, b.last::text, b.count, b.data from ts_blocks b
    where b.series_key = ${key} and b.first > ${String(after ?? -(2n ** 63n))}::bigint order by b.first limit ${limit}`);

/** Numbers of rows and last times of the series of a dataset; those without rows are left out. */
export const listExtents = (tx: Transaction, datasetId: string) =>
  tx.any(sql.type(z.object({ key: z.number(), rows: z.number(), last: micros }))`
    select s.key, sum(b.count)::bigint as rows, max(b.last)::text as last
    from ts_series s join ts_blocks b on b.series_key = s.key where s.dataset_id = ${datasetId} group by s.key`);
