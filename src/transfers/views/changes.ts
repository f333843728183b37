import type { Db } from '../../db.ts';
import { listen } from '../../platform/postgres/listen.ts';
import { ENDED } from '../ends/notices.queries.ts';
import { listVersions } from '../queries.ts';

/** Tells this process when transfers change: one connection, one timer and one statement for all that somebody looks out for. */
export interface Changes {
  /**
   * Calls `hear` whenever the transfer may have changed: at once when it ends, else within a second. At the close of the server, too.
   * Gives how to stop.
   */
  watch(id: string, hear: (ended: boolean) => void): () => void;
  /** Runs a look at the database; of a thousand that were told of one change a few look at a time, so that others find a connection. */
  inTurn<T>(look: () => Promise<T>): Promise<T>;
  closed(): boolean;
  close(): Promise<void>;
}

/** A run tells how far it is at most once a second, so looking more often would show nothing more. */
const LOOK_EVERY_MS = 1000;
const AT_ONCE = 4;

interface Watched {
  hearers: Set<(ended: boolean) => void>;
  /** As it was seen last; undefined: not yet. */
  version?: string;
}

export function openChanges(db: Db, databaseUrl: string): Changes {
  const watched = new Map<string, Watched>();
  const waiting: (() => void)[] = [];
  let busy = 0;
  let stopListening: (() => Promise<void>) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let closed = false;

  const tell = (id: string, ended: boolean) => {
    for (const hear of watched.get(id)?.hearers ?? []) hear(ended);
  };

  async function look() {
    if (looking) return;
    looking = true;
    try {
      for (const { id, version, ended } of await listVersions(db, [...watched.keys()])) {
        const one = watched.get(id);
        if (!one || (one.version === version && !ended)) continue;
        one.version = version;
        tell(id, ended);
      }
    } catch {
      // the database is away; the next look may find it
    } finally {
      looking = false;
    }
  }

  return {
    watch(id, hear) {
      if (closed) {
        hear(true);
        return () => {};
      }
      stopListening ??= listen(databaseUrl, ENDED, (ids) => ids.split(',').forEach((each) => void tell(each, true)));
      timer ??= setInterval(look, LOOK_EVERY_MS);
      const one = watched.get(id) ?? { hearers: new Set() };
      watched.set(id, one);
      one.hearers.add(hear);
      return () => {
        one.hearers.delete(hear);
        if (one.hearers.size === 0 && watched.get(id) === one) watched.delete(id);
        if (watched.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    async inTurn(work) {
      if (busy >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy++;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else busy--;
      }
    },
    closed: () => closed,
    async close() {
      closed = true;
      clearInterval(timer);
      for (const id of watched.keys()) tell(id, true);
      await stopListening?.();
    },
  };
}
