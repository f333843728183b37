import type { Database } from '../../db.ts';
import { addEnds, findBatchEnd, lockPosition, setPosition } from './count-transfers.queries.ts';

/** Upper bounds of the histogram buckets for wait and run times, in seconds. */
export const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

const BATCH_SIZE = 5000;

/**
 * Adds transfers that have ended since the last call to the counters in the database. Each counts exactly once: events
 * are read in order, and the position advances in the same transaction. Every worker calls it every few seconds, so
 * that a scrape is cheap and every process returns the same values.
 */
export async function countEndedTransfers(db: Database): Promise<void> {
  for (let more = true; more; ) {
    more = await db.transaction(async (tx) => {
      const after = await lockPosition(tx);
      if (after === null) return false;
      const to = await findBatchEnd(tx, after, BATCH_SIZE);
      if (to === null || to === undefined) return false;
      await addEnds(tx, after, to, BUCKETS);
      await setPosition(tx, to);
      return true;
    });
  }
}
