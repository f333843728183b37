import { z } from 'zod';
import { sql, type Transaction } from '../../db.ts';

const Id = z.object({ id: z.string() });

/** Id of the retry of a transfer. */
export const findRetry = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(Id)`select id from transfers where retry_of = ${id} order by created_at limit 1`);

/** Id of the account or API key that started a transfer. */
export const getStarter = (tx: Transaction, id: string) =>
  tx.oneFirst(sql.type(Id)`select created_by as id from transfers where id = ${id}`);
