import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

const Hash = z.object({ passwordHash: z.string() });

/** Hashes of the current and former passwords of an account, newest first. */
export const listLastHashes = (db: Reads, userId: string, limit: number) =>
  db.anyFirst(sql.type(Hash)`
    select password_hash from (
      select password_hash, 'infinity'::timestamptz as until from accounts where user_id = ${userId}
      union all select password_hash, replaced_at from password_history where user_id = ${userId}) h
    order by until desc limit ${limit}`);

/**
 * Sets a password and ends a lockout. Keeps the hashes of the last `history` passwords, the new one included. Fires
 * `accounts_cached`, which raises the cache generation of accounts.
 */
export async function setPassword(tx: Transaction, userId: string, passwordHash: string, history: number) {
  if (history > 0)
    await tx.query(sql.unsafe`
      insert into password_history (user_id, password_hash) select user_id, password_hash from accounts where user_id = ${userId}`);
  await tx.query(sql.unsafe`
    delete from password_history where user_id = ${userId} and replaced_at not in (
      select replaced_at from password_history where user_id = ${userId} order by replaced_at desc limit ${Math.max(history - 1, 0)})`);
  await tx.query(sql.unsafe`
    update accounts set password_hash = ${passwordHash}, no_of_unsuccessful_login_attempts = 0, locked_out_until = null
    where user_id = ${userId}`);
}
