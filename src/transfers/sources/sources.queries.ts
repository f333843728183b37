import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

export const insertSource = (tx: Db, id: string, sealed: Buffer) =>
  tx.query(sql.unsafe`insert into remote_sources (id, sealed) values (${id}, ${sql.binary(sealed)})`);

/** Whether the address of a remote file is still kept; it stays until the transaction ends. */
export const holdSource = (tx: Db, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from remote_sources where id = ${id} for share`);

/** Of an address `s`: no transfer needs it any more. One that failed may be tried again for a day. */
const spent = sql.fragment`not exists (
  select from transfers t
  where t.source_id = s.id
    and (t.finished_at is null or (t.status = 'Error' and t.finished_at > now() - interval '24 hours')))`;

/** Addresses that no transfer needs any more. */
export const listSpentSources = (db: Db, most: number, after: string | undefined) =>
  db.any(sql.type(z.object({ id: z.string() }))`
    select id from remote_sources s
    where ${spent} and id > coalesce(${after ?? null}::uuid, '00000000-0000-0000-0000-000000000000') order by id limit ${most}`);

/**
 * Forgets those of these addresses that no transfer needs. They are locked first and asked about again by a later statement, which sees a
 * transfer that was tried again meanwhile; who tries later waits, and hears that the address is gone.
 */
export const forgetSources = (db: Db, given: readonly string[]) =>
  db.transaction(async (tx) => {
    const ids = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from remote_sources where id = any(${sql.array(given, 'uuid')}) for update skip locked`);
    await tx.query(sql.unsafe`delete from remote_sources s where id = any(${sql.array(ids, 'uuid')}) and ${spent}`);
  });
