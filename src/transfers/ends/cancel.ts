import type { Database, Transaction } from '../../db.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { may } from '../../projects/access.ts';
import { findSummary, findTransfer, isFinal, lockTransfer, requestCancel, type Summary } from '../queries.ts';
import { notifyCancel } from './notices.queries.ts';
import { CANCELLED } from './outcome.ts';
import { settle } from './settle.ts';

/**
 * Ends a waiting transfer at once: its status becomes Error with the message 'Cancelled.', and its queue row is
 * deleted. A running transfer is ended by its worker within seconds, or becomes Completed if it is about to commit.
 * Allowed for its starter and for who may change content in its project.
 */
export async function cancelTransfer(db: Database, caller: Caller, id: string): Promise<Summary> {
  const transfer = await findTransfer(db, caller, id);
  if (!transfer) throw notFound('Transfer', id);
  if (transfer.createdBy !== caller.userId && !may({ rights: transfer.rights }, 'canUpdateContent'))
    throw forbidden(`You did not start transfer '${id}', and you may not change content in its project.`);
  return db.transaction((tx) => endTransfer(tx, id, caller.userId));
}

/** Cancels a transfer without a check of rights. */
export async function endTransfer(tx: Transaction, id: string, userId: string): Promise<Summary> {
  const now = await lockTransfer(tx, id);
  if (isFinal(now.status))
    throw conflict(`Transfer '${id}' has already ended (${now.status}).`, { code: 'TransferEnded' });
  await requestCancel(tx, id, userId);
  if (now.status === 'Pending') await settle(tx, { unheld: now, outcome: CANCELLED });
  else await notifyCancel(tx, id);
  return findSummary(tx, id);
}
