import { record } from '../audit.ts';
import type { Db } from '../db.ts';
import { deleteNeverActivated, hasNeverActivated } from './queries.ts';
import type { AccountStore } from './store.ts';

/** Accounts that one transaction removes. */
const BATCH = 1000;

/**
 * Part of the hourly clean-up: registrations whose mail was not answered within its lifetime. Their ids are free again. The store is
 * opened only where there is something to remove. Any number may run at once.
 */
export async function removeNeverActivated(
  db: Db,
  openStore: () => Promise<AccountStore>,
  lifetimeMs: number,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await hasNeverActivated(db, lifetimeMs))) return;
  const store = await openStore();
  try {
    let removed: number;
    do {
      signal?.throwIfAborted();
      removed = await store.change(async (tx) => {
        const ids = await deleteNeverActivated(tx, lifetimeMs, BATCH);
        if (ids.length > 0)
          await record(tx, { action: 'account.registration.expire', subject: 'accounts', details: { ids: [...ids] } });
        return ids.length;
      });
    } while (removed === BATCH);
  } finally {
    store.close();
  }
}
