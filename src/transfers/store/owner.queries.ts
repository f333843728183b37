import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

const Identity = z.object({ id: z.string(), database: z.string(), place: z.string().optional() });

/** Made when it is asked for the first time, so that a database that was made from a template has one of its own. */
export const insertIdentity = (db: Db) =>
  db.query(sql.unsafe`insert into blob_store default values on conflict do nothing`);

/**
 * A copy of a database keeps its tables, but neither its cluster's number nor its own: it is another database. So is one that was
 * restored from a dump.
 */
export const getIdentity = (db: Db) =>
  db.one(sql.type(Identity)`
    select b.id || '@' || s.system_identifier || '/' || d.oid as id, d.datname::text as database, b.place
    from blob_store b, pg_control_system() s, pg_database d where d.datname = current_database()`);

export const setPlace = (db: Db, place: string) =>
  db.query(sql.unsafe`update blob_store set place = ${place} where place is distinct from ${place}`);

/** From now on the sweep asks before it removes any unknown blob. */
export const setAdopted = (tx: Db, place: string) =>
  tx.query(sql.unsafe`
    update blob_store set place = ${place}, confirm_all = true, confirmed = null, stopped_because = null, stopped_at = null`);

/** Some names of blobs that this database knows, of each kind. */
export const listSomeNamed = (db: Db, most: number) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`
    (select blob as name from datasets where blob is not null limit ${most})
    union all (select blob from staged_blobs where blob is not null limit ${most})
    union all (select output_blob from transfers where type = 'Export' and output_blob is not null limit ${most})`);
