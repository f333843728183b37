import type { Db } from '../db.ts';

/**
 * Where the records of accounts are kept. The table `accounts` always holds them too, so that everything can be joined and looked up in
 * one place; a store that is not the table itself keeps both alike.
 */
export interface AccountStore {
  /** Brings the table up to date with what others changed in the store. Before a read that must not miss it; costs next to nothing. */
  settle(): Promise<void>;
  /** Runs a change of records in a transaction. When it returns, table and store have it; when it throws, neither has. */
  change<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  close(): void;
}

/** The default: the table is the store. */
export const tableStore = (db: Db): AccountStore => ({
  settle: async () => {},
  change: (work) => db.transaction(work),
  close() {},
});
