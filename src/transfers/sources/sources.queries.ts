import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

export const insertSource = (tx: Transaction, id: string, sealed: Buffer) =>
  tx.query(sql.unsafe`insert into remote_sources (id, sealed) values (${id}, ${sql.binary(sealed)})`);

/** Locks addresses of remote files until the transaction ends. Gives the ids of those that were not deleted. */
export const lockSources = (tx: Transaction, ids: readonly string[]) =>
  tx.anyFirst(sql.write(z.object({ id: z.string() }))`
    select id from remote_sources where id = any(${sql.array(ids, 'uuid')}) order by id for share`);

/** Condition: the transfer `t` has not ended, or can be retried. */
const needing = sql.fragment`
  (t.finished_at is null or (t.status = 'Error' and t.finished_at > now() - interval '24 hours'))`;

/** Condition: no transfer needs the address `s` any longer. A failed transfer can be retried for a day. */
const unneeded = sql.fragment`not exists (
  select from transfers t where t.source_id = s.id and ${needing})
  and not exists (
    select from transfer_inputs i join transfers t on t.id = i.transfer_id where i.source_id = s.id and ${needing})`;

/** Addresses that no transfer needs, after an id. */
export const listUnneededSources = (db: Reads, limit: number, after: string | undefined) =>
  db.any(sql.type(z.object({ id: z.string() }))`
    select id from remote_sources s
    where ${unneeded} and id > coalesce(${after ?? null}::uuid, '00000000-0000-0000-0000-000000000000') order by id limit ${limit}`);

/**
 * Deletes the addresses among these that no transfer needs. Locks them first and checks again in a second statement,
 * which sees transfers that were retried meanwhile. A later retry waits for the lock and is refused.
 */
export async function deleteSources(tx: Transaction, candidates: readonly string[]): Promise<void> {
  const ids = await tx.anyFirst(sql.write(z.object({ id: z.string() }))`
    select id from remote_sources where id = any(${sql.array(candidates, 'uuid')}) for update skip locked`);
  await tx.query(sql.unsafe`delete from remote_sources s where id = any(${sql.array(ids, 'uuid')}) and ${unneeded}`);
}
