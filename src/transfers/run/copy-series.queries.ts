import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

/** Size in bytes of the time series of a dataset. */
export const findSeriesSize = (db: Reads, datasetId: string) =>
  db.maybeOneFirst(sql.type(z.object({ storageSize: z.number() }))`
    select storage_size from datasets where id = ${datasetId}`);

const Pair = z.object({ from: z.number(), to: z.number(), bytes: z.number() });
/** Keys of a series and of its copy, and the bytes of its values. */
export type Pair = z.infer<typeof Pair>;

/** Copies schema and series of a dataset into another one, which has none yet. Gives all pairs. */
export async function copyDefinitions(tx: Transaction, fromId: string, toId: string): Promise<readonly Pair[]> {
  await tx.query(sql.unsafe`
    insert into ts_datasets (dataset_id, schema) select ${toId}::uuid, schema from ts_datasets where dataset_id = ${fromId}`);
  // in the order of the keys, which is the order of lists
  await tx.query(sql.unsafe`
    insert into ts_series (dataset_id, id, item, properties, data_fields, bytes, first, last)
    select ${toId}::uuid, id, item, properties, data_fields, bytes, first, last
    from ts_series where dataset_id = ${fromId} order by key`);
  return tx.any(sql.type(Pair)`
    select old.key as "from", made.key as "to", old.bytes from ts_series old
    join ts_series made on made.dataset_id = ${toId} and made.id = old.id where old.dataset_id = ${fromId} order by old.key`);
}

/** Copies all values of some series. */
export const copyValues = (tx: Transaction, pairs: readonly Pair[]) =>
  tx.query(sql.unsafe`
    insert into ts_blocks (series_key, first, last, count, data)
    select p.made, b.first, b.last, b.count, b.data
    from unnest(${sql.array(
      pairs.map(({ from }) => from),
      'int8',
    )}, ${sql.array(
      pairs.map(({ to }) => to),
      'int8',
    )}) p (old, made) join ts_blocks b on b.series_key = p.old`);

/**
 * Copies the next blocks of a series, those that begin after a time. Gives the start of the last one; undefined: there
 * are none.
 */
export const copyBlocks = (tx: Transaction, { from, to }: Pair, after: string, limit: number) =>
  tx.oneFirst(sql.write(z.object({ last: z.string().optional() }))`
    with made as (
      insert into ts_blocks (series_key, first, last, count, data)
      select ${to}::bigint, b.first, b.last, b.count, b.data from ts_blocks b
      where b.series_key = ${from} and b.first > ${after}::bigint order by b.first limit ${limit}
      returning first)
    select max(first)::text as last from made`);
