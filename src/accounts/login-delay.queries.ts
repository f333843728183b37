import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const Count = z.object({ failures: z.number() });

export const findFailures = async (db: Db, client: string, forgetMs: number) =>
  (await db.maybeOneFirst(sql.type(Count)`
    select failures from login_failures
    where client = ${client} and last_at > now() - ${forgetMs} * interval '1 millisecond'`)) ?? 0;

/** Counts one more, and gives how many there are in a row. */
export const countFailure = (db: Db, client: string, forgetMs: number) =>
  db.oneFirst(sql.type(Count)`
    insert into login_failures as f (client, failures) values (${client}, 1)
    on conflict (client) do update set last_at = now(), failures =
      case when f.last_at > now() - ${forgetMs} * interval '1 millisecond' then f.failures + 1 else 1 end
    returning failures`);

export const forgetFailures = (db: Db, client: string) =>
  db.query(sql.unsafe`delete from login_failures where client = ${client}`);

export const forgetOldFailures = (db: Db, forgetMs: number) =>
  db.query(sql.unsafe`delete from login_failures where last_at < now() - ${forgetMs} * interval '1 millisecond'`);
