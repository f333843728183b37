import type { Reads } from '../../db.ts';
import { hasEnded } from '../queries.ts';
import type { Changes } from './transfer-watch.ts';

/** Lets requests wait for the end of a transfer. */
export interface EndWaiter {
  /** Resolves when the transfer has ended, after `time` milliseconds, or when the server closes. */
  wait(id: string, time: number): Promise<void>;
}

export const openEndWaiter = (db: Reads, changes: Changes): EndWaiter => ({
  async wait(id, time) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = changes.watch(id, (ended) => void (ended && resolve()));
    const timeout = setTimeout(resolve, time);
    try {
      // check after subscribing, so that an end in between is not missed
      if (!(await hasEnded(db, id))) await promise;
    } finally {
      clearTimeout(timeout);
      stop();
    }
  },
});
