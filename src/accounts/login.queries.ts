import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** Who tries to log in. */
export interface Login {
  client: string;
  /** The login id as it was sent; absent where none was shown. */
  account: string | undefined;
}

const Failures = z.object({
  /** Of the client, whatever ids it used. */
  ofClient: z.number(),
  /** Of the client with this id. */
  ofPair: z.number(),
});
export type Failures = z.infer<typeof Failures>;

/** Folded as accounts are found: whoever spells an id in another way guesses at the same account. Null without an id. */
const hash = (account: string | undefined) =>
  sql.fragment`sha256(convert_to(fold_name(${account ?? null}::text), 'UTF8'))`;
const lately = (forgetMs: number) => sql.fragment`last_at > now() - ${forgetMs} * interval '1 millisecond'`;

export const findFailures = (db: Db, { client, account }: Login, forgetMs: number) =>
  db.one(sql.type(Failures)`
    select
      coalesce((select failures from login_failures where client = ${client} and ${lately(forgetMs)}), 0) as of_client,
      coalesce((select failures from login_pair_failures
        where client = ${client} and account = ${hash(account)} and ${lately(forgetMs)}), 0) as of_pair`);

/** Counts one more, and gives how many there are. */
export const countFailure = (db: Db, { client, account }: Login, forgetMs: number) =>
  db.one(sql.type(Failures)`
    with of_client as (
      insert into login_failures as f (client, failures) values (${client}, 1)
      on conflict (client) do update set last_at = now(), failures = case when f.${lately(forgetMs)} then f.failures + 1 else 1 end
      returning failures),
    of_pair as (
      insert into login_pair_failures as f (client, account, failures)
      select ${client}, account, 1 from (values (${hash(account)})) given (account) where account is not null
      on conflict (client, account) do update set last_at = now(),
        failures = case when f.${lately(forgetMs)} then f.failures + 1 else 1 end
      returning failures)
    select (select failures from of_client) as of_client, coalesce((select failures from of_pair), 0) as of_pair`);

export const forgetPair = (db: Db, { client, account }: Login) =>
  db.query(sql.unsafe`delete from login_pair_failures where client = ${client} and account = ${hash(account)}`);

export async function forgetOldFailures(db: Db, forgetMs: number) {
  await db.query(sql.unsafe`delete from login_failures where not ${lately(forgetMs)}`);
  await db.query(sql.unsafe`delete from login_pair_failures where not ${lately(forgetMs)}`);
}

/** How many may wait. */
export interface Places {
  /** In all. */
  most: number;
  /** Of one client, and for one account. */
  share: number;
  /** Of one client, with those that it has given up by hanging up. */
  mostBegun: number;
}

/** Takes one of the places for this long; nothing when there is none for this login. */
export const takePlace = (db: Db, { client, account }: Login, { most, share, mostBegun }: Places, ms: number) =>
  db.transaction(async (tx) => {
    const id = randomUUID();
    await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('login waits', 0))`);
    await tx.query(sql.unsafe`delete from login_waits where until <= now()`);
    const { rowCount } = await tx.query(sql.unsafe`
      insert into login_waits (id, client, account, until)
      select ${id}, ${client}, ${hash(account)}, now() + ${ms} * interval '1 millisecond'
      from (
        select count(*) filter (where not abandoned) as waiting,
          count(*) filter (where not abandoned and client = ${client}) as of_client,
          count(*) filter (where client = ${client}) as begun,
          count(*) filter (where not abandoned and account = ${hash(account)}) as of_account
        from login_waits) taken
      where waiting < ${most} and of_client < ${share} and begun < ${mostBegun} and of_account < ${share}`);
    return rowCount === 1 ? id : undefined;
  });

/** It is held for this much longer. */
export const keepPlace = (db: Db, id: string, ms: number) =>
  db.query(sql.unsafe`update login_waits set until = now() + ${ms} * interval '1 millisecond' where id = ${id}`);

export const leavePlace = (db: Db, id: string) => db.query(sql.unsafe`delete from login_waits where id = ${id}`);

export const abandonPlace = (db: Db, id: string) =>
  db.query(sql.unsafe`update login_waits set abandoned = true where id = ${id}`);
