import { forgetOldLoginFailures } from '../accounts/login-delay.ts';
import type { Db } from '../db.ts';
import { forgetAnswers, removeOldFamilies, removeOldTokens } from './families.queries.ts';
import { forgetRetiredKeys } from './keys.ts';
import { forgetReplayedLogins } from './preview.ts';
import { REPLAY_MS } from './replay.ts';

/** Rows that one statement deals with. */
const BATCH = 1000;

/** What tokens and logins leave behind when their time is over. Any number may run at once. */
export async function forgetOldTokens(db: Db, accessLifetimeMs: number, signal?: AbortSignal): Promise<void> {
  await forgetAnswers(db, REPLAY_MS);
  for (const remove of [removeOldFamilies, removeOldTokens]) {
    while ((await remove(db, BATCH)) === BATCH) signal?.throwIfAborted();
  }
  await forgetRetiredKeys(db, accessLifetimeMs);
  await forgetOldLoginFailures(db);
  await forgetReplayedLogins(db);
}
