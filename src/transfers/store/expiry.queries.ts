import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';

const Id = z.object({ id: z.string() });
const Name = z.object({ name: z.string() });

/** No transfer needs the staged file `s` any more. An ended transfer can be retried for a day. */
const unneeded = sql.fragment`not exists (
  select from transfers t
  where t.staged_blob = s.name and (t.finished_at is null or t.finished_at > now() - interval '24 hours'))
  and not exists (
    select from transfer_inputs i join transfers t on t.id = i.transfer_id
    where i.staged_blob = s.name and (t.finished_at is null or t.finished_at > now() - interval '24 hours'))`;

const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * A kind of data that expires. `list`: the next expired rows after an id, by id. `clear`: clears listed rows that are
 * still expired.
 */
export interface Expiry {
  part: string;
  list(db: Reads, limit: number, after: string | undefined): Promise<readonly { id: string }[]>;
  clear(tx: Transaction, ids: readonly string[]): Promise<unknown>;
}

/**
 * Staged files that expired, or were deleted, an hour ago and that no transfer needs. The hour is for requests that
 * found the file just before. Locked and checked again before they are cleared, as in `deleteSources`. Fires
 * `release_blob`, which notes the former blob in `released_blobs`.
 */
const stagedFiles: Expiry = {
  part: 'expired uploads',
  list: (db, limit, after) =>
    db.any(sql.type(Id)`
      select name as id from staged_blobs s
      where blob is not null and least(expires_at, deleted_at) < now() - interval '1 hour' and ${unneeded} and name > ${after ?? ''}
      order by name limit ${limit}`),
  clear: async (tx, ids) => {
    const names = await tx.anyFirst(sql.write(Name)`
      select name from staged_blobs where name = any(${sql.array(ids, 'text')}) for update skip locked`);
    await tx.query(sql.unsafe`
      update staged_blobs s set blob = null, size = null where name = any(${sql.array(names, 'text')}) and ${unneeded}`);
  },
};

/** Expired upload addresses to which nothing was uploaded and that no transfer names. */
const unused = sql.fragment`
  blob is null and expires_at < now() - interval '1 hour' and not exists (select from transfers t where t.staged_blob = s.name)
  and not exists (select from transfer_inputs i where i.staged_blob = s.name)`;
const uploadAddresses: Expiry = {
  part: 'unused upload addresses',
  list: (db, limit, after) =>
    db.any(sql.type(Id)`
      select name as id from staged_blobs s where ${unused} and name > ${after ?? ''} order by name limit ${limit}`),
  clear: (tx, ids) =>
    tx.query(sql.unsafe`delete from staged_blobs s where name = any(${sql.array(ids, 'text')}) and ${unused}`),
};

/**
 * Exports and GeoJSON files of skipped records, which are stored for seven days. Fires `release_output_blob` or
 * `release_bad_records_blob`, which note the former blob in `released_blobs`.
 */
const ofTransfers = (part: string, column: string, condition: Fragment): Expiry => ({
  part,
  list: (db, limit, after) =>
    db.any(sql.type(Id)`
      select id from transfers
      where ${condition} and finished_at < now() - interval '7 days' and id > ${after ?? NO_ID}::uuid order by id limit ${limit}`),
  clear: (tx, ids) =>
    tx.query(sql.unsafe`
      update transfers set ${sql.identifier([column])} = null where id = any(${sql.array(ids, 'uuid')})`),
});

/** In this order: upload addresses are deleted after their files. */
export const EXPIRIES: readonly Expiry[] = [
  stagedFiles,
  ofTransfers('expired exports', 'output_blob', sql.fragment`type = 'Export' and output_blob is not null`),
  ofTransfers('expired skipped records', 'bad_records_blob', sql.fragment`bad_records_blob is not null`),
  uploadAddresses,
];
