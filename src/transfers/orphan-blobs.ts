import type { BlobStore } from '../blobs/blobs.ts';
import type { Chore } from '../chore.ts';
import { UNGUARDED } from '../chore.ts';
import type { Db } from '../db.ts';
import { clearExpired } from './expiry.ts';
import { listUnnamed } from './orphan-blobs.queries.ts';

/** Names that one statement deals with. */
const BATCH = 500;
const LEFTOVERS_MS = 24 * 3_600_000;

export interface OrphanSweep {
  /** Bytes younger than this may be about to get their row. */
  olderThanMs: number;
  chore?: Chore;
}

/**
 * Clears references to expired blobs, then deletes blobs without references. Crash-safe by this order: what a row has let go of is found
 * again without it. Any number may run at once.
 */
export async function removeOrphanBlobs(
  db: Db,
  blobs: BlobStore,
  { olderThanMs, chore = UNGUARDED }: OrphanSweep,
): Promise<{ removed: number; leftovers: number }> {
  const { signal, attempt } = chore;
  await clearExpired(db, chore);
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
