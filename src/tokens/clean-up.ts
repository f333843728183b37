import { forgetOldLoginFailures } from '../accounts/login-delay.ts';
import type { Database } from '../db.ts';
import { FAIL_FAST, type MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { forgetAnswers, removeOldFamilies, removeOldTokens } from './families.queries.ts';
import { forgetRetiredKeys } from './keys.ts';
import { forgetReplayedLogins } from './preview.ts';
import { REPLAY_MS } from './replay.ts';

/** Maximum number of rows per statement. */
const BATCH = 1000;

/** Deletes expired tokens, logins, keys and counts of failed logins. Safe to run concurrently. */
export async function forgetOldTokens(
  db: Database,
  accessLifetimeMs: number,
  run: MaintenanceRun = FAIL_FAST,
): Promise<void> {
  const { attempt, signal } = run;
  const all = (remove: typeof removeOldTokens) => async () => {
    while ((await db.transaction((tx) => remove(tx, BATCH))) === BATCH) signal?.throwIfAborted();
  };
  await attempt('answers of token exchanges', () => db.transaction((tx) => forgetAnswers(tx, REPLAY_MS)));
  await attempt('old logins', all(removeOldFamilies));
  await attempt('old tokens', all(removeOldTokens));
  await attempt('retired keys', () => forgetRetiredKeys(db, accessLifetimeMs));
  await attempt('failed logins', () => forgetOldLoginFailures(db));
  await attempt('addresses of logins', () => forgetReplayedLogins(db));
}
