import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { forgetSpent, listSpent } from './spent-blobs.queries.ts';

const BATCH = 500;
const AT_ONCE = 20;

/**
 * Removes the bytes of what was removed for ever. A name is forgotten after the store has said that its bytes are gone, and removing what
 * is gone is fine: whatever breaks this off, the next run ends it.
 */
export async function removeSpentBlobs(db: Db, blobs: BlobStore, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const names = await listSpent(db, BATCH);
    for (let at = 0; at < names.length; at += AT_ONCE) {
      signal?.throwIfAborted();
      await Promise.all(names.slice(at, at + AT_ONCE).map((name) => blobs.remove(name)));
    }
    await forgetSpent(db, names);
    if (names.length < BATCH) return;
  }
}
