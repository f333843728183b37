import { isLocked } from '../../accounts/login.queries.ts';
import type { Transaction } from '../../db.ts';
import { conflict } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { findPresentCaller } from '../../keys/issuers.ts';
import { lockTransfer } from '../../transfers/queries.ts';
import { retryTransfer } from '../../transfers/starts/retry.ts';
import type { StartRules } from '../../transfers/starts/rules.ts';
import type { Written } from '../../transfers/starts/start.ts';
import { findRetry, getStarter } from './retry.queries.ts';

/** Origin of the request for a retry, and scopes of API keys and of accounts without own ones. */
export type RetryContext = Pick<Caller, 'scopes' | 'address' | 'requestId'>;

/**
 * Retries a failed transfer as the account or API key that started it, with its current rights, so that an operator's
 * retry does nothing that the starter may no longer do. Throws `conflict` if the transfer has a retry already; then
 * only that one can be retried.
 */
export async function retryAsStarter(
  tx: Transaction,
  rules: StartRules,
  id: string,
  context: RetryContext,
): Promise<Written> {
  await lockTransfer(tx, id);
  // a separate statement after the lock, which sees retries committed in the meantime
  const previous = await findRetry(tx, id);
  if (previous)
    throw conflict(`Transfer '${id}' was retried already, as '${previous}'. Retry that one.`, {
      code: 'AlreadyRetried',
    });
  const starter = await findStarter(tx, id, context);
  if (!starter)
    throw conflict(
      `The account or API key that started transfer '${id}' no longer exists, or is disabled, locked or expired. ` +
        'Start the transfer anew.',
      { code: 'StarterGone' },
    );
  return retryTransfer(tx, rules, starter, id);
}

/** Undefined if the starter could not make a request now. */
async function findStarter(tx: Transaction, id: string, context: RetryContext): Promise<Caller | undefined> {
  const userId = await getStarter(tx, id);
  if (await isLocked(tx, userId)) return undefined;
  return findPresentCaller(tx, userId, context);
}
