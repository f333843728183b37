import type { Db } from '../db.ts';
import { lockTreesOf } from '../projects/tree.ts';
import type { Removed } from './purge.queries.ts';
import { removeItems } from './purge.ts';
import { listExpired, listTenantsToSweep, stillExpired } from './sweep.queries.ts';

/** Rows that one transaction takes on; one item that is heavier goes alone. */
const BATCH_ROWS = 500;

export interface Sweep {
  /** Milliseconds that things stay in the bin, where their tenant says nothing else. */
  retention: number;
  signal?: AbortSignal | undefined;
}

/**
 * Removes for ever what has been in the bin for longer than it is kept. Each batch is a transaction of its own, so it can be broken off
 * anywhere and goes on where it was; two at once take nothing twice.
 */
export async function sweepBin(db: Db, { retention, signal }: Sweep): Promise<Removed> {
  const total = { projects: 0, datasets: 0 };
  for (const tenantId of await listTenantsToSweep(db, retention)) {
    for (;;) {
      signal?.throwIfAborted();
      const removed = await sweepBatch(db, tenantId, retention);
      if (!removed) break;
      total.projects += removed.projects;
      total.datasets += removed.datasets;
    }
  }
  return total;
}

/** Undefined: nothing is left to do. */
async function sweepBatch(db: Db, tenantId: string, retention: number): Promise<Removed | undefined> {
  const expired = await listExpired(db, tenantId, retention, BATCH_ROWS);
  if (expired.length === 0) return undefined;
  return db.transaction(async (tx) => {
    await lockTreesOf(tx, ...expired.map((item) => item.placeId));
    // some may have been restored or removed while the trees were somebody else's
    const still = new Set(
      await stillExpired(
        tx,
        expired.map((item) => item.id),
        retention,
      ),
    );
    const ids = (itemType: 'Project' | 'Dataset') =>
      expired.filter((item) => item.itemType === itemType && still.has(item.id)).map((item) => item.id);
    return removeItems(tx, { projectIds: ids('Project'), datasetIds: ids('Dataset'), reason: 'Retention' });
  });
}
