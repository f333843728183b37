import type { Reads } from '../../db.ts';
import { listen } from '../../platform/postgres/listen.ts';
import { ENDED } from '../ends/notices.queries.ts';
import { listVersions } from '../queries.ts';

/** Runs report progress at most once a second, so polling more often would show nothing new. */
const POLL_EVERY_MS = 1000;
const MAX_CONCURRENT = 4;

interface Watched {
  listeners: Set<(ended: boolean) => void>;
  /** Last seen version; undefined before the first poll. */
  version?: string;
}

/** Notifies this process of changes of transfers: one connection, one timer and one query for all watched transfers. */
export class Changes {
  readonly #db: Reads;
  readonly #databaseUrl: string;
  readonly #watched = new Map<string, Watched>();
  readonly #waiting: (() => void)[] = [];
  readonly #endListeners: (() => void)[] = [];
  #busy = 0;
  #stopListening: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling = false;
  #closed = false;

  constructor(db: Reads, databaseUrl: string) {
    this.#db = db;
    this.#databaseUrl = databaseUrl;
  }

  /** Calls `onEnd` whenever transfers have ended, until the server closes. A call may be missed. */
  watchEnds(onEnd: () => void): void {
    if (this.#closed) return;
    this.#endListeners.push(onEnd);
    this.#startListening();
  }

  /**
   * Calls `onChange` when the transfer may have changed: at once when it ends, else within a second; and when the
   * server closes. Returns the function that stops watching.
   */
  watch(id: string, onChange: (ended: boolean) => void): () => void {
    if (this.#closed) {
      onChange(true);
      return () => {};
    }
    this.#startListening();
    this.#timer ??= setInterval(() => this.#poll(), POLL_EVERY_MS);
    const one = this.#watched.get(id) ?? { listeners: new Set() };
    this.#watched.set(id, one);
    one.listeners.add(onChange);
    return () => {
      one.listeners.delete(onChange);
      if (one.listeners.size === 0 && this.#watched.get(id) === one) this.#watched.delete(id);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Limits concurrent queries of watchers, so that a thousand watchers of one transfer do not take all connections. */
  async limited<T>(query: () => Promise<T>): Promise<T> {
    if (this.#busy >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy++;
    try {
      return await query();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }

  closed(): boolean {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const id of this.#watched.keys()) this.#notify(id, true);
    await this.#stopListening?.();
  }

  #notify(id: string, ended: boolean) {
    for (const onChange of this.#watched.get(id)?.listeners ?? []) onChange(ended);
  }

  async #poll() {
    if (this.#polling) return;
    this.#polling = true;
    try {
      for (const { id, version, ended } of await listVersions(this.#db, [...this.#watched.keys()])) {
        const one = this.#watched.get(id);
        if (!one || (one.version === version && !ended)) continue;
        one.version = version;
        this.#notify(id, ended);
      }
    } catch {
      // the database is unreachable; the next poll tries again
    } finally {
      this.#polling = false;
    }
  }

  #startListening() {
    this.#stopListening ??= listen(this.#databaseUrl, ENDED, (ids) => {
      for (const onEnd of this.#endListeners) onEnd();
      for (const id of ids.split(',')) this.#notify(id, true);
    });
  }
}
