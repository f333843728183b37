import { z } from 'zod';
import { sql, type Transaction } from '../../db.ts';

const Place = z.object({ finishedAt: z.string(), id: z.string(), deleted: z.boolean() });
type Place = z.infer<typeof Place>;

/**
 * Looks at the next transfers that ended before, in the order of their ends, and deletes those that nothing needs: that
 * made no present dataset (its lineage), have no file, and are repeated by no other transfer. Their lines and inputs go
 * with them. Fires `transfers_counted`, which fills `transfer_counts`.
 * @param after the last one that was looked at
 */
export const forgetSomeTransfers = (tx: Transaction, ageMs: number, after: Place | undefined, limit: number) =>
  tx.any(sql.write(Place)`
    with old as materialized (
      select id, finished_at, output_dataset_id, output_blob, bad_records_blob from transfers
      where finished_at < now() - ${ageMs} * interval '1 millisecond'
        and (finished_at, id) > (${after?.finishedAt ?? '-infinity'}::timestamptz, ${after?.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
      order by finished_at, id limit ${limit}),
    gone as (
      delete from transfers t using old o
      where t.id = o.id and o.output_blob is null and o.bad_records_blob is null
        and not exists (select from datasets d where d.id = o.output_dataset_id)
        and not exists (select from transfers r where r.retry_of = o.id)
      returning t.id)
    select finished_at, id, id in (select id from gone) as deleted from old order by finished_at, id`);

/** Deletes the oldest lines of ended transfers, at most this number. Returns how many. */
export async function forgetSomeLines(tx: Transaction, ageMs: number, limit: number): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from transfer_log where id in (
      select l.id from transfer_log l join transfers t on t.id = l.transfer_id
      where t.finished_at < now() - ${ageMs} * interval '1 millisecond' order by t.finished_at limit ${limit})`);
  return rowCount;
}
