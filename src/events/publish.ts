import type { Db } from '../db.ts';
import { hasUnpublished, lockPublishing, publishSome } from './publish.queries.ts';

const BATCH_SIZE = 1000;

/**
 * Publishes all events that were committed before this call, possibly together with other processes. Each event gets an offset, higher than
 * all offsets visible before, and a delivery for each subscribed webhook. Must not be called in a transaction.
 */
export async function publish(db: Db): Promise<void> {
  while (await hasUnpublished(db)) {
    const count = await db.transaction(async (tx) => {
      await lockPublishing(tx);
      return publishSome(tx, BATCH_SIZE);
    });
    if (count < BATCH_SIZE) return;
  }
}
