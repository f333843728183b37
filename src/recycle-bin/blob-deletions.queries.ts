import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

const Spent = z.object({ name: z.string(), requestedAt: z.string() });
export type Spent = z.infer<typeof Spent>;

/** Blobs without references from datasets, oldest first, after `after`. */
export const listBlobDeletions = (db: Reads, limit: number, after?: Spent) =>
  db.any(sql.type(Spent)`
    select name, requested_at from blob_deletions
    where (requested_at, name) > (${after?.requestedAt ?? '-infinity'}::timestamptz, ${after?.name ?? ''})
    order by requested_at, name limit ${limit}`);

/** Forgets blobs that the store has deleted. */
export const removeBlobDeletions = (tx: Transaction, names: readonly string[]) =>
  tx.query(sql.unsafe`delete from blob_deletions where name = any(${sql.array(names, 'text')})`);
