import { audit } from '../audit.ts';
import type { Reads } from '../db.ts';
import { batchOrEach, FAIL_FAST, type MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { deleteNeverActivated, listNeverActivated } from './queries.ts';
import type { AccountStore } from './store.ts';

/** Maximum number of accounts per transaction. */
const BATCH = 1000;

/**
 * Part of the hourly clean-up: deletes registered accounts that were not activated within the lifetime of their mail,
 * which frees their login ids. Opens the store only if there are such accounts. Safe to run concurrently.
 */
export async function removeNeverActivated(
  db: Reads,
  openStore: () => Promise<AccountStore>,
  lifetimeMs: number,
  run: MaintenanceRun = FAIL_FAST,
): Promise<void> {
  const next = (after?: string) => listNeverActivated(db, lifetimeMs, BATCH, after);
  let accounts = await next();
  if (accounts.length === 0) return;
  const store = await openStore();
  const remove = (some: readonly { id: string }[]) =>
    store.change(async (tx) => {
      const userIds = some.map(({ id }) => id);
      const ids = await deleteNeverActivated(tx, lifetimeMs, userIds);
      if (ids.length > 0)
        await audit(tx, { action: 'account.registration.expire', subject: 'accounts', details: { ids: [...ids] } });
    });
  try {
    while (accounts.length > 0) {
      run.signal?.throwIfAborted();
      await batchOrEach(run, 'accounts that were never activated', accounts, remove);
      accounts = await next(accounts.at(-1)?.id);
    }
  } finally {
    await store.close();
  }
}
