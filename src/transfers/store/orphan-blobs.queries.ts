import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { UUID_PATTERN } from '../../platform/text/uuid.ts';

const Unreferenced = z.object({
  name: z.string(),
  /** Whether this database made the blob or released it; else it may belong to another database. */
  known: z.boolean(),
});

/**
 * The blobs among these that no row references. The query must contain every table that references blobs. Known are
 * blobs that rows have released, and leftovers of uploads and of attempts of this database's transfers.
 */
export const listUnreferenced = (db: Reads, names: readonly string[]) =>
  db.any(sql.type(Unreferenced)`
    select stored.name,
      exists (select from released_blobs r where r.name = stored.name)
      or exists (select from blob_deletions s where s.name = stored.name)
      -- stores of previews, which nobody else names so
      or stored.name like 'dataset/preview-%'
      or exists (select from staged_blobs s where s.name = substring(stored.name from '^staging/([^.]+)[.]'))
      or exists (
        select from transfers t where t.id = substring(stored.name from ${`^[a-z]+/(${UUID_PATTERN})-[0-9]+(?:-bad)?$`})::uuid) as known
    from unnest(${sql.array(names, 'text')}) as stored (name)
    where not exists (select from datasets d where d.blob = stored.name)
      and not exists (select from previews p where p.store = stored.name or p.overview = stored.name)
      and not exists (select from staged_blobs s where s.blob = stored.name)
      and not exists (select from transfers t where t.type = 'Export' and t.output_blob = stored.name)
      and not exists (select from transfers t where t.bad_records_blob = stored.name)
      -- the output of a running attempt, which may be stopped between storing and committing for any time
      and not exists (
        select from transfers t
        where t.status = 'InProgress' and (stored.name like '%/' || t.id || '-' || t.attempt or stored.name like '%/' || t.id || '-' || t.attempt || '-bad'))`);

/** Deletes notes of released blobs: of these, whose bytes are deleted, and of all others after a month. */
export const deleteReleased = (tx: Transaction, names: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from released_blobs where name = any(${sql.array(names, 'text')}) or released_at < now() - interval '30 days'`);
