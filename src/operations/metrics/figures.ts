import type { Db } from '../../db.ts';
import { addEnds, findBatchEnd, lockPosition, setPosition } from './figures.queries.ts';

/** Upper bounds of the buckets of waits and runs, in seconds. */
export const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

const AT_ONCE = 5000;

/**
 * Adds up the transfers that have ended since the last call, each once whoever calls: in the order of their events, behind a position
 * that moves in the same transaction. Every live worker calls it every few seconds, so that a look at the figures costs nothing and all
 * processes tell the same.
 */
export async function addFigures(db: Db): Promise<void> {
  for (let more = true; more; ) {
    more = await db.transaction(async (tx) => {
      const after = await lockPosition(tx);
      if (after === null) return false;
      const to = await findBatchEnd(tx, after, AT_ONCE);
      if (to === null || to === undefined) return false;
      await addEnds(tx, after, to, BUCKETS);
      await setPosition(tx, to);
      return true;
    });
  }
}
