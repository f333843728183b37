import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** Remembers from where an account has logged in: one row a day and address. */
export const noteLogin = (tx: Db, userId: string, address: string) =>
  tx.query(sql.unsafe`
    insert into logins as l (user_id, address, day) values (${userId}, ${address}, current_date)
    on conflict (user_id, address, day) do update set times = l.times + 1, last_at = now()`);

export const forgetOldLogins = (db: Db, days: number) =>
  db.query(sql.unsafe`delete from logins where day < current_date - ${days}::integer`);
