import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

/** Size in bytes of the time series of a dataset. */
export const findSeriesSize = (db: Db, datasetId: string) =>
  db.maybeOneFirst(sql.type(z.object({ storageSize: z.number() }))`
    select storage_size from datasets where id = ${datasetId}`);

/** Copies schema, series and values of a dataset into another one, which has none yet. */
export async function copySeries(tx: Db, fromId: string, toId: string): Promise<void> {
  await tx.query(sql.unsafe`
    insert into ts_datasets (dataset_id, schema) select ${toId}::uuid, schema from ts_datasets where dataset_id = ${fromId}`);
  // in the order of the keys, which is the order of lists
  await tx.query(sql.unsafe`
    insert into ts_series (dataset_id, id, item, properties, data_fields, bytes, first, last)
    select ${toId}::uuid, id, item, properties, data_fields, bytes, first, last
    from ts_series where dataset_id = ${fromId} order by key`);
  await tx.query(sql.unsafe`
    insert into ts_blocks (series_key, first, last, count, data)
    select made.key, b.first, b.last, b.count, b.data
    from ts_series old join ts_series made on made.dataset_id = ${toId} and made.id = old.id join ts_blocks b on b.series_key = old.key
    where old.dataset_id = ${fromId}`);
}
