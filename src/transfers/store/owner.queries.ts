import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

const Identity = z.object({
  id: z.string(),
  database: z.string(),
  place: z.string().optional(),
  counter: z.number(),
});

/** Inserts the identity on first use, so that a database that was created from a template gets its own. */
export const insertIdentity = (tx: Transaction) =>
  tx.query(sql.unsafe`insert into blob_store default values on conflict do nothing`);

/**
 * The identity of this database. It contains the ids of cluster and database, so that a copy and a database restored
 * from a dump are other databases than the original.
 */
export const getIdentity = (db: Reads) =>
  db.one(sql.type(Identity)`
    select b.id || '@' || s.system_identifier || '/' || d.oid as id, d.datname::text as database, b.place, b.counter
    from blob_store b, pg_control_system() s, pg_database d where d.datname = current_database()`);

export const setPlace = (tx: Transaction, place: string) =>
  tx.query(sql.unsafe`update blob_store set place = ${place} where place is distinct from ${place}`);

/** Records the adoption of a store; from now on the sweep deletes no unknown blob without confirmation. */
export const setAdopted = (tx: Transaction, place: string, counter: number) =>
  tx.query(sql.unsafe`
    update blob_store set place = ${place}, confirm_all = true, confirmed = null, stopped_because = null, stopped_at = null,
      counter = greatest(counter, ${counter}::bigint)`);

/** Raises the counter of the database, above this one too. */
export const raiseCounter = (tx: Transaction, above: number) =>
  tx.oneFirst(sql.write(z.object({ counter: z.number() }))`
    update blob_store set counter = greatest(counter, ${above}::bigint) + 1 returning counter`);

/** Some blobs that this database references, up to `limit` of each kind. */
export const sampleReferenced = (db: Reads, limit: number) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`
    (select blob as name from datasets where blob is not null limit ${limit})
    union all (select blob from staged_blobs where blob is not null limit ${limit})
    union all (select output_blob from transfers where type = 'Export' and output_blob is not null limit ${limit})`);
