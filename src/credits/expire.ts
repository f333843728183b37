import type { Database } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import type { MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { expireCredits, listExpiredPools, listExpiringPools, warnOfExpiry } from './queries.ts';

/**
 * Job: books expired credits and writes events, also for those that expire soon. Reserved credits can still be spent;
 * what is left of them expires when their reservation ends (SQL function `credit_settle`). Each pool is its own
 * transaction; a pool that fails is tried again by the next run.
 */
export async function bookExpiredCredits(db: Database, run: MaintenanceRun): Promise<void> {
  for (const pool of await listExpiredPools(db))
    await run.attempt(
      'expired credits',
      () => db.transaction((tx) => expireCredits(tx, pool, { dryRun: false, actor: {} })),
      pool,
    );
  for (const pool of await listExpiringPools(db))
    await run.attempt('expiring credits', () => db.transaction((tx) => warnOfExpiry(tx, pool)), pool);
}

/** Books expired credits of all pools now. */
export async function expire(db: Database, { userId, requestId }: Caller, dryRun: boolean) {
  const total = { credits: 0, lots: 0, pools: 0 };
  for (const pool of await listExpiredPools(db)) {
    const { lots, credits } = await db.transaction((tx) =>
      expireCredits(tx, pool, { dryRun, actor: { userId, requestId } }),
    );
    total.credits += credits;
    total.lots += lots;
    total.pools += Math.min(1, lots);
  }
  return { ...total, credits: Math.round(total.credits * 1e6) / 1e6 };
}
