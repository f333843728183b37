import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

const Id = z.object({ id: z.string() });
const Name = z.object({ name: z.string() });

/** Of a staged file `s`: no transfer needs it any more. One that ended may be tried again for a day. */
const unneeded = sql.fragment`not exists (
  select from transfers t
  where t.staged_blob = s.name and (t.finished_at is null or t.finished_at > now() - interval '24 hours'))`;

const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Something whose time comes: `list` gives the next of it behind an id, in the order of ids; `clear` deals with some that were listed. */
export interface Expiry {
  part: string;
  list(db: Db, most: number, after: string | undefined): Promise<readonly { id: string }[]>;
  clear(db: Db, ids: readonly string[]): Promise<unknown>;
}

/**
 * Staged files that have been past their day, or deleted, for an hour and that no transfer needs any more lose their bytes. The hour is
 * for those who found the file just before. They are locked first, as addresses of remote files are.
 */
const stagedFiles: Expiry = {
  part: 'expired uploads',
  list: (db, most, after) =>
    db.any(sql.type(Id)`
      select name as id from staged_blobs s
      where blob is not null and least(expires_at, deleted_at) < now() - interval '1 hour' and ${unneeded} and name > ${after ?? ''}
      order by name limit ${most}`),
  clear: (db, ids) =>
    db.transaction(async (tx) => {
      const names = await tx.anyFirst(sql.type(Name)`
        select name from staged_blobs where name = any(${sql.array(ids, 'text')}) for update skip locked`);
      await tx.query(sql.unsafe`
        update staged_blobs s set blob = null, size = null where name = any(${sql.array(names, 'text')}) and ${unneeded}`);
    }),
};

/** Places that are past their day, hold nothing, and were never named are forgotten. */
const unused = sql.fragment`
  blob is null and expires_at < now() - interval '1 hour' and not exists (select from transfers t where t.staged_blob = s.name)`;
const stagedPlaces: Expiry = {
  part: 'unused upload places',
  list: (db, most, after) =>
    db.any(sql.type(Id)`
      select name as id from staged_blobs s where ${unused} and name > ${after ?? ''} order by name limit ${most}`),
  clear: (db, ids) =>
    db.query(sql.unsafe`delete from staged_blobs s where name = any(${sql.array(ids, 'text')}) and ${unused}`),
};

/** Files that were made for downloading, and the places of skipped records, are kept for seven days. */
const ofTransfers = (part: string, column: string, condition: ReturnType<typeof sql.fragment>): Expiry => ({
  part,
  list: (db, most, after) =>
    db.any(sql.type(Id)`
      select id from transfers
      where ${condition} and finished_at < now() - interval '7 days' and id > ${after ?? NO_ID}::uuid order by id limit ${most}`),
  clear: (db, ids) =>
    db.query(sql.unsafe`
      update transfers set ${sql.identifier([column])} = null where id = any(${sql.array(ids, 'uuid')})`),
});

/** In this order: an upload place is forgotten when its file is gone. */
export const EXPIRIES: readonly Expiry[] = [
  stagedFiles,
  ofTransfers('expired exports', 'output_blob', sql.fragment`type = 'Export' and output_blob is not null`),
  ofTransfers('expired skipped records', 'bad_records_blob', sql.fragment`bad_records_blob is not null`),
  stagedPlaces,
];
