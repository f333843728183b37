import type { Db } from '../db.ts';
import { hasUnpublished, lockPublishing, publishSome } from './publish.queries.ts';

const AT_ONCE = 1000;

/**
 * Publishes all events that were committed before this call, whoever is at it: each gets its place in the one order that readers follow
 * (later than all that could be read before), and a delivery for each webhook that wants it. Outside of any transaction.
 */
export async function publish(db: Db): Promise<void> {
  while (await hasUnpublished(db)) {
    const count = await db.transaction(async (tx) => {
      await lockPublishing(tx);
      return publishSome(tx, AT_ONCE);
    });
    if (count < AT_ONCE) return;
  }
}
