import type { Database, Transaction } from '../db.ts';

/**
 * The authoritative store of accounts. The table `accounts` always contains a copy, so that queries can join it; a
 * store other than the table keeps both equal.
 */
export interface AccountStore {
  /**
   * Updates the table if the store was changed from outside. Call it before reads that must be current; cheap without
   * changes.
   */
  refresh(): Promise<void>;
  /** Runs a change in a transaction. After a return, table and store have it; after an error, neither has it. */
  change<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Resolves when the reads and writes that it has begun by itself have ended. */
  close(): Promise<void>;
}

/** The default: the table is the store. */
export const tableStore = (db: Database): AccountStore => ({
  refresh: async () => {},
  change: (work) => db.transaction(work),
  close: async () => {},
});
