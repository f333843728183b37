import { sql, type Transaction } from '../../db.ts';

/** Ends a transaction whose process sends nothing for a minute. */
export const limitIdleTime = (tx: Transaction) =>
  tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '60s'`);
