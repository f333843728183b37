import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

/**
 * Channel: ids of transfers that have ended, separated by commas. A notification may be lost, so clients that wait also
 * poll.
 */
export const ENDED = 'transfer_ended';
/** Channel: id of a transfer that its worker must stop. */
export const CANCEL = 'transfer_cancel';

export const notifyEnded = (db: Reads, ids: readonly string[]) =>
  db.any(sql.prepared('notify ended', z.object({}))`select from pg_notify(${ENDED}, ${ids.join(',')})`);

export const notifyCancel = (tx: Transaction, id: string) => tx.query(sql.unsafe`select pg_notify(${CANCEL}, ${id})`);
