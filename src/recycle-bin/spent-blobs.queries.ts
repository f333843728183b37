import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

const Spent = z.object({ name: z.string(), spentAt: z.string() });
export type Spent = z.infer<typeof Spent>;

/** Blobs that no dataset references any more, oldest first, starting behind `after`. */
export const listSpent = (db: Reads, limit: number, after?: Spent) =>
  db.any(sql.type(Spent)`
    select name, spent_at from spent_blobs
    where (spent_at, name) > (${after?.spentAt ?? '-infinity'}::timestamptz, ${after?.name ?? ''})
    order by spent_at, name limit ${limit}`);

/** Forgets blobs that the store has deleted. */
export const forgetSpent = (tx: Transaction, names: readonly string[]) =>
  tx.query(sql.unsafe`delete from spent_blobs where name = any(${sql.array(names, 'text')})`);
