import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';
import { UUID_PATTERN } from '../../platform/text/uuid.ts';

const Unnamed = z.object({
  name: z.string(),
  /** Whether this database made it or let go of it; else it may be anybody's. */
  known: z.boolean(),
});

/**
 * Of these names in the store, those that no row of any table gives to anything. Every table that names bytes must stand here. Known are
 * those that rows have let go of, and what an upload or an attempt of a transfer of this database has left.
 */
export const listUnnamed = (db: Db, names: readonly string[]) =>
  db.any(sql.type(Unnamed)`
    select stored.name,
      exists (select from released_blobs r where r.name = stored.name)
      or exists (select from spent_blobs s where s.name = stored.name)
      or exists (select from staged_blobs s where s.name = substring(stored.name from '^staging/([^.]+)[.]'))
      or exists (
        select from transfers t where t.id = substring(stored.name from ${`^[a-z]+/(${UUID_PATTERN})-[0-9]+(?:-bad)?$`})::uuid) as known
    from unnest(${sql.array(names, 'text')}) as stored (name)
    where not exists (select from datasets d where d.blob = stored.name)
      and not exists (select from staged_blobs s where s.blob = stored.name)
      and not exists (select from transfers t where t.type = 'Export' and t.output_blob = stored.name)
      and not exists (select from transfers t where t.bad_records_blob = stored.name)
      -- of a run that was stopped between storing and committing, for however long
      and not exists (
        select from transfers t
        where t.status = 'InProgress' and (stored.name like '%/' || t.id || '-' || t.attempt or stored.name like '%/' || t.id || '-' || t.attempt || '-bad'))`);

/** Once their bytes are gone. What was removed in another way is forgotten after a month. */
export const forgetReleased = (db: Db, names: readonly string[]) =>
  db.query(sql.unsafe`
    delete from released_blobs where name = any(${sql.array(names, 'text')}) or released_at < now() - interval '30 days'`);
