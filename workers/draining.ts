import type { Database } from '../src/db.ts';
import { isDrained, noteDraining } from '../src/operations/workers/queries.ts';

/** Whether an operator has drained this worker. */
export interface Draining {
  /** As of the last poll. */
  readonly now: boolean;
  /** Reads the drains. Call it before the first job and about every second. */
  poll(): Promise<void>;
}

/**
 * Records in the worker's row that it takes no transfers one poll after it stopped: by then a transfer that a slot was
 * just fetching is visible as running. Before the first job it is recorded at once.
 */
export function watchDraining(db: Database, pool: string): Draining {
  let now = false;
  let recorded = false;
  let polled = false;
  return {
    get now() {
      return now;
    },
    async poll() {
      const before = polled ? now : true;
      now = await isDrained(db, pool);
      polled = true;
      const settled = now && before;
      if (settled === recorded) return;
      await db.transaction((tx) => noteDraining(tx, pool, settled));
      recorded = settled;
    },
  };
}
