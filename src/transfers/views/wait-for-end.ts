import type { Db } from '../../db.ts';
import { hasEnded } from '../queries.ts';
import type { Changes } from './changes.ts';

/** For those who wait until a transfer has ended. */
export interface Endings {
  /** Resolves when it has ended, when the time (milliseconds) is over, or when the server closes. */
  wait(id: string, time: number): Promise<void>;
}

export const openEndings = (db: Db, changes: Changes): Endings => ({
  async wait(id, time) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = changes.watch(id, (ended) => void (ended && resolve()));
    const timeout = setTimeout(resolve, time);
    try {
      // looked at after it was made known who waits, so that no end is missed in between
      if (!(await hasEnded(db, id))) await promise;
    } finally {
      clearTimeout(timeout);
      stop();
    }
  },
});
