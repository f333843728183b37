import type { BlobStore } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { FAIL_FAST, type MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { mayDeleteBlobs } from '../platform/sql/deletion-lock.ts';
import { listBlobDeletions, removeBlobDeletions, type Spent } from './blob-deletions.queries.ts';

const BATCH = 500;
const CONCURRENCY = 20;

/**
 * Deletes the blobs of purged datasets from the store. A name is forgotten only after the store has confirmed the
 * deletion, and deleting a missing blob succeeds, so after a crash the next run finishes the work; so it does after a
 * backup, during which no blob is deleted.
 */
export async function removeSpentBlobs(db: Database, blobs: BlobStore, run: MaintenanceRun = FAIL_FAST): Promise<void> {
  for (let after: Spent | undefined; ; ) {
    const spent = await listBlobDeletions(db, BATCH, after);
    if (!(await mayDeleteBlobs(db))) return;
    for (let at = 0; at < spent.length; at += CONCURRENCY) {
      run.signal?.throwIfAborted();
      const names = spent.slice(at, at + CONCURRENCY).map(({ name }) => name);
      const deleted = await Promise.all(
        names.map((name) => run.attempt('spent blobs', () => blobs.remove(name), name)),
      );
      const forgotten = names.filter((_, n) => deleted[n]);
      if (forgotten.length > 0) await db.transaction((tx) => removeBlobDeletions(tx, forgotten));
    }
    if (spent.length < BATCH) return;
    after = spent.at(-1);
  }
}
