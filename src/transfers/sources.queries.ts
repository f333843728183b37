import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

export const insertSource = (tx: Db, id: string, sealed: Buffer) =>
  tx.query(sql.unsafe`insert into remote_sources (id, sealed) values (${id}, ${sql.binary(sealed)})`);

/** Whether the address of a remote file is still kept; it stays until the transaction ends. */
export const holdSource = (tx: Db, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from remote_sources where id = ${id} for share`);

/** Forgets addresses that no transfer needs any more: one that failed may be tried again for a day. Says how many. */
export async function forgetSources(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    delete from remote_sources
    where id in (
      select id from remote_sources s
      where not exists (
        select from transfers t
        where t.source_id = s.id
          and (t.finished_at is null or (t.status = 'Error' and t.finished_at > now() - interval '24 hours')))
      limit ${most} for update skip locked)`);
  return rowCount;
}
