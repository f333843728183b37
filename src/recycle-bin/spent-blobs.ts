import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import type { Chore } from '../platform/async/chore.ts';
import { UNGUARDED } from '../platform/async/chore.ts';
import type { Spent } from './spent-blobs.queries.ts';
import { forgetSpent, listSpent } from './spent-blobs.queries.ts';

const BATCH = 500;
const AT_ONCE = 20;

/**
 * Removes the bytes of what was removed for ever. A name is forgotten after the store has said that its bytes are gone, and removing what
 * is gone is fine: whatever breaks this off, the next run ends it.
 */
export async function removeSpentBlobs(db: Db, blobs: BlobStore, chore: Chore = UNGUARDED): Promise<void> {
  for (let after: Spent | undefined; ; ) {
    const spent = await listSpent(db, BATCH, after);
    for (let at = 0; at < spent.length; at += AT_ONCE) {
      chore.signal?.throwIfAborted();
      const names = spent.slice(at, at + AT_ONCE).map(({ name }) => name);
      const gone = await Promise.all(names.map((name) => chore.attempt('spent blobs', () => blobs.remove(name), name)));
      const forgotten = names.filter((_, n) => gone[n]);
      if (forgotten.length > 0) await forgetSpent(db, forgotten);
    }
    if (spent.length < BATCH) return;
    after = spent.at(-1);
  }
}
