import type { Db } from '../../db.ts';
import { conflict } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { callerWithKey } from '../../keys/holder.ts';
import { findKey } from '../../keys/queries.ts';
import { holderOf } from '../../tokens/caller.ts';
import { findIdentity } from '../../tokens/queries.ts';
import type { Summary } from '../../transfers/queries.ts';
import { lockTransfer } from '../../transfers/queries.ts';
import { retryTransfer } from '../../transfers/starts/retry.ts';
import { findRetry, getStarter } from './retry.queries.ts';

/** From where a retry was asked for, and what the tokens of accounts are good for. */
export type RetryContext = Pick<Caller, 'scopes' | 'address' | 'requestId'>;

/**
 * Starts a failed transfer again for the account or key that started it, with the rights it has now: an operator's order opens nothing
 * that its owner may no longer do. Refused when that was done before, by whomever: its retry is what can be tried again.
 */
export async function retryAsStarter(tx: Db, id: string, context: RetryContext): Promise<Summary> {
  await lockTransfer(tx, id);
  // a statement of its own behind the lock: it sees what another one committed meanwhile
  const before = await findRetry(tx, id);
  if (before) throw conflict(`Transfer '${id}' was tried again already, as '${before}'.`, { code: 'AlreadyRetried' });
  const starter = await findStarter(tx, id, context);
  if (!starter)
    throw conflict(`Whoever started transfer '${id}' has no account or key any more.`, { code: 'StarterGone' });
  return retryTransfer(tx, starter, id);
}

async function findStarter(tx: Db, id: string, context: RetryContext): Promise<Caller | undefined> {
  const userId = await getStarter(tx, id);
  const identity = await findIdentity(tx, userId);
  if (identity) {
    if (!identity.enabled || !identity.activated) return undefined;
    return { ...holderOf(identity), via: 'token', ...context };
  }
  const key = await findKey(tx, userId);
  return key ? callerWithKey(key, context) : undefined;
}
