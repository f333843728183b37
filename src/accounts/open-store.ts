import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import { FileStore } from './file-store.ts';
import { type AccountStore, tableStore } from './store.ts';

type Log = Record<'warn' | 'error', (details: object, message: string) => void>;

/** Opens the store of the setting `accounts.store`: `postgres`, or `file:` and a path. */
export const openAccountStore = async (
  { 'accounts.store': store }: Pick<Config, 'accounts.store'>,
  db: Database,
  log: Log,
): Promise<AccountStore> =>
  store.startsWith('file:') ? FileStore.open(resolve(store.slice('file:'.length)), db, log) : tableStore(db);
