import type { Db } from '../db.ts';
import { listen } from '../listen.ts';
import { ENDED } from './notices.queries.ts';
import { hasEnded, listEnded } from './queries.ts';

/** For those who wait until a transfer has ended. */
export interface Endings {
  /** Resolves when it has ended, when the time (milliseconds) is over, or when the server closes. */
  wait(id: string, time: number): Promise<void>;
  close(): Promise<void>;
}

/** Between two looks at the transfers that somebody waits for, whose notification may have been lost. One statement for all of them. */
const LOOK_EVERY_MS = 1000;

/** Any number of waiters share one connection, opened when the first one comes. */
export function openEndings(db: Db, databaseUrl: string): Endings {
  const waiters = new Map<string, Set<() => void>>();
  let stopListening: (() => Promise<void>) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const wake = (id: string) => waiters.get(id)?.forEach((resolve) => void resolve());
  const look = () => {
    listEnded(db, [...waiters.keys()]).then(
      (ids) => ids.forEach(wake),
      () => {}, // the database is away; the next look may find it
    );
  };

  return {
    async wait(id, time) {
      if (closed) return;
      stopListening ??= listen(databaseUrl, ENDED, (ids) => ids.split(',').forEach(wake));
      const { promise, resolve } = Promise.withResolvers<void>();
      const others = waiters.get(id) ?? new Set();
      waiters.set(id, others.add(resolve));
      timer ??= setInterval(look, LOOK_EVERY_MS);
      const timeout = setTimeout(resolve, time);
      try {
        // looked at after it was made known who waits, so that no end is missed in between
        if (!(await hasEnded(db, id))) await promise;
      } finally {
        clearTimeout(timeout);
        others.delete(resolve);
        if (others.size === 0 && waiters.get(id) === others) waiters.delete(id);
        if (waiters.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
    async close() {
      closed = true;
      for (const id of waiters.keys()) wake(id);
      await stopListening?.();
    },
  };
}
