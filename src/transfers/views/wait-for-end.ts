import type { Reads } from '../../db.ts';
import { hasEnded } from '../queries.ts';
import type { Changes } from './transfer-watch.ts';

/** Lets requests wait for the end of a transfer. */
export class EndWaiter {
  readonly #db: Reads;
  readonly #changes: Changes;

  constructor(db: Reads, changes: Changes) {
    this.#db = db;
    this.#changes = changes;
  }

  /** Resolves when the transfer has ended, after `time` milliseconds, or when the server closes. */
  async wait(id: string, time: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#changes.watch(id, (ended) => void (ended && resolve()));
    const timeout = setTimeout(resolve, time);
    try {
      // check after subscribing, so that an end in between is not missed
      if (!(await hasEnded(this.#db, id))) await promise;
    } finally {
      clearTimeout(timeout);
      stop();
    }
  }
}
