import type { BlobStore } from '../blobs/blobs.ts';
import type { Chore } from '../chore.ts';
import { UNGUARDED } from '../chore.ts';
import type { Db } from '../db.ts';
import { forgetStaged, listUnnamed, releaseBadRecords, releaseExports, releaseStaged } from './orphan-blobs.queries.ts';
import { forgetSources } from './sources.queries.ts';

/** Rows or names that one statement deals with. */
const BATCH = 500;
const LEFTOVERS_MS = 24 * 3_600_000;

export interface OrphanSweep {
  /** Bytes younger than this may be about to get their row. */
  olderThanMs: number;
  chore?: Chore;
}

/**
 * Removes bytes that nothing names: first the rows let go of what has had its time (staged files, exports, places of skipped records), then every blob without a row
 * goes. Addresses of remote files go as staged files do. Crash-safe by this order: what a row has let go of is found again without it. Any number may run at once.
 */
export async function removeOrphanBlobs(
  db: Db,
  blobs: BlobStore,
  { olderThanMs, chore = UNGUARDED }: OrphanSweep,
): Promise<{ removed: number; leftovers: number }> {
  const { signal, attempt } = chore;
  for (const letGo of [releaseStaged, releaseExports, releaseBadRecords, forgetStaged, forgetSources]) {
    await attempt('expired files', async () => {
      while ((await letGo(db, BATCH)) === BATCH) signal?.throwIfAborted();
    });
  }
  let removed = 0;
  let batch: string[] = [];
  const sweepBatch = async () => {
    signal?.throwIfAborted();
    const unnamed = await listUnnamed(db, batch);
    for (const name of unnamed) if (await attempt('blobs without a row', () => blobs.remove(name), name)) removed++;
    batch = [];
  };
  const before = Date.now() - olderThanMs;
  for await (const { name, lastModified } of blobs.list('')) {
    if (lastModified.getTime() >= before) continue;
    batch.push(name);
    if (batch.length === BATCH) await sweepBatch();
  }
  if (batch.length > 0) await sweepBatch();
  const leftovers = await blobs.removeLeftovers(Math.max(LEFTOVERS_MS, olderThanMs));
  return { removed, leftovers };
}
