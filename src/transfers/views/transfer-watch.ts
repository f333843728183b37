import type { Reads } from '../../db.ts';
import { listen } from '../../platform/postgres/listen.ts';
import { ENDED } from '../ends/notices.queries.ts';
import { listVersions } from '../queries.ts';

/** Notifies this process of changes of transfers: one connection, one timer and one query for all watched transfers. */
export interface Changes {
  /**
   * Calls `onChange` when the transfer may have changed: at once when it ends, else within a second; and when the
   * server closes. Returns the function that stops watching.
   */
  watch(id: string, onChange: (ended: boolean) => void): () => void;
  /** Calls `onEnd` whenever transfers have ended, until the server closes. A call may be missed. */
  watchEnds(onEnd: () => void): void;
  /** Limits concurrent queries of watchers, so that a thousand watchers of one transfer do not take all connections. */
  limited<T>(query: () => Promise<T>): Promise<T>;
  closed(): boolean;
  close(): Promise<void>;
}

/** Runs report progress at most once a second, so polling more often would show nothing new. */
const POLL_EVERY_MS = 1000;
const MAX_CONCURRENT = 4;

interface Watched {
  listeners: Set<(ended: boolean) => void>;
  /** Last seen version; undefined before the first poll. */
  version?: string;
}

export function openTransferWatch(db: Reads, databaseUrl: string): Changes {
  const watched = new Map<string, Watched>();
  const waiting: (() => void)[] = [];
  const endListeners: (() => void)[] = [];
  let busy = 0;
  let stopListening: (() => Promise<void>) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let closed = false;

  const notify = (id: string, ended: boolean) => {
    for (const onChange of watched.get(id)?.listeners ?? []) onChange(ended);
  };

  async function poll() {
    if (polling) return;
    polling = true;
    try {
      for (const { id, version, ended } of await listVersions(db, [...watched.keys()])) {
        const one = watched.get(id);
        if (!one || (one.version === version && !ended)) continue;
        one.version = version;
        notify(id, ended);
      }
    } catch {
      // the database is unreachable; the next poll tries again
    } finally {
      polling = false;
    }
  }

  const startListening = () => {
    stopListening ??= listen(databaseUrl, ENDED, (ids) => {
      for (const onEnd of endListeners) onEnd();
      for (const id of ids.split(',')) notify(id, true);
    });
  };

  return {
    watchEnds(onEnd) {
      if (closed) return;
      endListeners.push(onEnd);
      startListening();
    },
    watch(id, onChange) {
      if (closed) {
        onChange(true);
        return () => {};
      }
      startListening();
      timer ??= setInterval(poll, POLL_EVERY_MS);
      const one = watched.get(id) ?? { listeners: new Set() };
      watched.set(id, one);
      one.listeners.add(onChange);
      return () => {
        one.listeners.delete(onChange);
        if (one.listeners.size === 0 && watched.get(id) === one) watched.delete(id);
        if (watched.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    async limited(query) {
      if (busy >= MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy++;
      try {
        return await query();
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
      for (const id of watched.keys()) notify(id, true);
      await stopListening?.();
    },
  };
}
