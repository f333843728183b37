import type { Database } from '../db.ts';
import { databaseErrorKind } from '../platform/sql/error-kind.ts';
import { hasUnpublished, lockPublishing, publishSome } from './publish.queries.ts';

const BATCH_SIZE = 1000;

/**
 * Publishes all events that were committed before this call, possibly together with other processes. Each event gets an
 * offset, higher than all offsets visible before, and a delivery for each subscribed webhook. Must not be called in a
 * transaction.
 */
export async function publish(db: Database): Promise<void> {
  while (await hasUnpublished(db)) {
    const count = await publishBatch(db).catch((error) => {
      // Postgres ends a transaction that pauses for seconds while it holds the lock, as on a busy machine.
      if (databaseErrorKind(error) === 'outage') return publishBatch(db);
      throw error;
    });
    if (count < BATCH_SIZE) return;
  }
}

const publishBatch = (db: Database): Promise<number> =>
  db.transaction(async (tx) => {
    await lockPublishing(tx);
    return publishSome(tx, BATCH_SIZE);
  });
