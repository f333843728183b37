import type { Database } from '../src/db.ts';
import { isDrained, noteDraining } from '../src/operations/workers/queries.ts';

/**
 * Whether an operator has drained this worker. Records in the worker's row that it takes no transfers one poll after it
 * stopped: by then a transfer that a slot was just fetching is visible as running. Before the first job it is recorded
 * at once.
 */
export class Draining {
  readonly #db: Database;
  readonly #pool: string;
  /** Undefined before the first poll. */
  #now: boolean | undefined;
  #recorded = false;

  constructor(db: Database, pool: string) {
    this.#db = db;
    this.#pool = pool;
  }

  /** Whether the worker drained at the last poll. */
  get now(): boolean {
    return this.#now ?? false;
  }

  /** Reads the drains. Call it before the first job and about every second. */
  async poll(): Promise<void> {
    const before = this.#now ?? true;
    this.#now = await isDrained(this.#db, this.#pool);
    const settled = this.#now && before;
    if (settled === this.#recorded) return;
    await this.#db.transaction((tx) => noteDraining(tx, this.#pool, settled));
    this.#recorded = settled;
  }
}
