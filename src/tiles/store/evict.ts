import type { Database } from '../../db.ts';
import { deleteOldestTiles, deleteUnusedContents, lockContents, storedBytes } from './tile-store.queries.ts';

/**
 * Deletes the least recently used tiles if the store has more than `most` bytes, until nine tenths are left. Each
 * transaction deletes some hundred tiles: requests that store a tile wait for it.
 */
export async function evictTiles(db: Database, most: number): Promise<void> {
  if ((await storedBytes(db)) <= most) return;
  for (;;) {
    const excess = (await storedBytes(db)) - Math.floor(0.9 * most);
    if (excess <= 0) return;
    const deleted = await db.transaction(async (tx) => {
      await lockContents(tx);
      // First the contents of deleted datasets.
      const former = await deleteUnusedContents(tx);
      if (former > 0) return former;
      await deleteOldestTiles(tx, excess);
      return deleteUnusedContents(tx);
    });
    if (deleted === 0) return;
  }
}
