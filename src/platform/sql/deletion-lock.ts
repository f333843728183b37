import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

/**
 * Whether blobs may be deleted that no row names any more. False while a backup is being made, which copies the blobs
 * of an earlier state of the database and holds this advisory lock exclusively: then a sweep deletes them later. A
 * backup that begins after the answer reads a later state, so nobody needs to hold the lock.
 */
export const mayDeleteBlobs = (db: Reads): Promise<boolean> =>
  db.oneFirst(sql.prepared('may delete blobs', z.object({ free: z.boolean() }))`
    select pg_try_advisory_xact_lock_shared(hashtextextended('blob deletions', 0)) as free`);
