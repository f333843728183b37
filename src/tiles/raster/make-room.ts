import type { Db } from '../../db.ts';
import { deleteOldestTiles, deleteUnusedContents, keptBytes, lockContents } from './kept-tiles.queries.ts';

/**
 * Deletes the least recently used tiles in the database until nine tenths of `most` are left; if there are more than
 * `most`. Each transaction deletes some hundred: requests that keep a tile wait for it.
 * @param most bytes
 */
export async function makeRoom(db: Db, most: number): Promise<void> {
  if ((await keptBytes(db)) <= most) return;
  for (;;) {
    const excess = (await keptBytes(db)) - Math.floor(0.9 * most);
    if (excess <= 0) return;
    const deleted = await db.transaction(async (tx) => {
      await lockContents(tx);
      // First what was deleted with its dataset.
      const former = await deleteUnusedContents(tx);
      if (former > 0) return former;
      await deleteOldestTiles(tx, excess);
      return deleteUnusedContents(tx);
    });
    if (deleted === 0) return;
  }
}
