import type { Db } from '../src/db.ts';
import { isDrained, noteDraining } from '../src/operations/workers/queries.ts';

/** Whether this worker is to take no more transfers, as operators said last. */
export interface Draining {
  /** At this moment. */
  readonly now: boolean;
  /** Looks what operators say. Call it before the first job and every second or so. */
  look(): Promise<void>;
}

/**
 * The worker says that it takes no transfers one look after it stopped, when whatever was being taken from the queue at that moment is
 * there to be seen; before its first job at once.
 */
export function watchDraining(db: Db, pool: string): Draining {
  let now = false;
  let noted = false;
  let looked = false;
  return {
    get now() {
      return now;
    },
    async look() {
      const before = looked ? now : true;
      now = await isDrained(db, pool);
      looked = true;
      const settled = now && before;
      if (settled === noted) return;
      await noteDraining(db, pool, settled);
      noted = settled;
    },
  };
}
