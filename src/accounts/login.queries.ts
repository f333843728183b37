import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Database, type Reads, sql, type Transaction } from '../db.ts';

// SQL of a login attempt: the account's row, failed logins per client, and slots for delayed answers.

const LoginState = z.object({
  userId: z.string(),
  passwordHash: z.string(),
  enabled: z.boolean(),
  activated: z.boolean(),
  /** At present: a lock whose end has passed does not count. */
  locked: z.boolean(),
});
/** The columns that decide whether an account may log in. */
export type LoginState = z.infer<typeof LoginState>;

const loginState = sql.fragment`
  user_id, password_hash, enabled, activated,
  locked and (locked_date_end is null or locked_date_end > now()) or coalesce(locked_out_until > now(), false) as locked`;

/** Finds an account by its login id, in any letter case. */
export const findLoginState = (db: Reads, id: string) =>
  db.maybeOne(sql.type(LoginState)`select ${loginState} from accounts where folded_id = fold_name(${id})`);

/** Whether the account is locked at present. */
export const isLocked = (db: Reads, userId: string) =>
  db.exists(sql.unsafe`select from (select ${loginState} from accounts where user_id = ${userId}) a where locked`);

/** Locks the account's row until `tx` ends, so that no change of its password or state slips in between. */
export const lockLoginState = (tx: Transaction, userId: string) =>
  tx.maybeOne(sql.write(LoginState)`select ${loginState} from accounts where user_id = ${userId} for no key update`);

/** After how many wrong passwords in a row an account is locked out (0: never), and for how many milliseconds. */
export interface Lockout {
  after: number;
  duration: number;
}

/**
 * Counts a login attempt as failed; a success resets the count. The attempt after `after` failures locks the account
 * out, even with the right password. When the lockout is over, counting starts again at 1.
 */
export const countAttempt = (tx: Transaction, userId: string, { after, duration }: Lockout) =>
  tx.query(sql.unsafe`
    update accounts set last_login_attempted_date = now(),
      no_of_unsuccessful_login_attempts = case when locked_out_until <= now() then 1 else no_of_unsuccessful_login_attempts + 1 end,
      locked_out_until = case
        when locked_out_until > now() then locked_out_until
        when locked_out_until is null and ${after} > 0 and no_of_unsuccessful_login_attempts >= ${after}
          then now() + ${duration} * interval '1 millisecond' end
    where user_id = ${userId}`);

export const resetAttempts = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`
    update accounts set no_of_unsuccessful_login_attempts = 0, locked_out_until = null where user_id = ${userId}`);

/**
 * Replaces the hash of a password by another hash of the same password, unless the password was changed meanwhile.
 * Fires `accounts_cached`, which raises the cache generation of accounts.
 */
export const replaceHash = (tx: Transaction, userId: string, before: string, after: string) =>
  tx.query(sql.unsafe`
    update accounts set password_hash = ${after} where user_id = ${userId} and password_hash = ${before}`);

/** The client and the account of a login, for counting failures. */
export interface LoginSource {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  client: string;
  /** Login id as it was sent. */
  account: string;
}

const Failures = z.object({
  /** Failed logins of the client, whatever login ids it sent. */
  ofClient: z.number(),
  /** Failed logins of the client with this login id. */
  ofPair: z.number(),
});
export type Failures = z.infer<typeof Failures>;

/** Folded as login ids are when accounts are found, so that other spellings count together. */
const hash = (account: string) => sql.fragment`sha256(convert_to(fold_name(${account}), 'UTF8'))`;
const notForgotten = (forgetMs: number) => sql.fragment`last_at > now() - ${forgetMs} * interval '1 millisecond'`;

export const findFailures = (db: Reads, { client, account }: LoginSource, forgetMs: number) =>
  db.one(sql.type(Failures)`
    select
      coalesce((select failures from login_failures where client = ${client} and ${notForgotten(forgetMs)}), 0) as of_client,
      coalesce((select failures from login_pair_failures
        where client = ${client} and account = ${hash(account)} and ${notForgotten(forgetMs)}), 0) as of_pair`);

/** Counts one more failed login; returns the new counts. */
export const countFailure = (tx: Transaction, { client, account }: LoginSource, forgetMs: number) =>
  tx.one(sql.write(Failures)`
    with of_client as (
      insert into login_failures as f (client, failures) values (${client}, 1)
      on conflict (client) do update set last_at = now(), failures = case when f.${notForgotten(forgetMs)} then f.failures + 1 else 1 end
      returning failures),
    of_pair as (
      insert into login_pair_failures as f (client, account, failures)
      values (${client}, ${hash(account)}, 1)
      on conflict (client, account) do update set last_at = now(),
        failures = case when f.${notForgotten(forgetMs)} then f.failures + 1 else 1 end
      returning failures)
    select (select failures from of_client) as of_client, (select failures from of_pair) as of_pair`);

/** Deletes the failure count of the client with this login id; the count of the client stays. */
export const deletePairFailures = (tx: Transaction, { client, account }: LoginSource) =>
  tx.query(sql.unsafe`delete from login_pair_failures where client = ${client} and account = ${hash(account)}`);

export async function deleteOldFailures(tx: Transaction, forgetMs: number) {
  await tx.query(sql.unsafe`delete from login_failures where not ${notForgotten(forgetMs)}`);
  await tx.query(sql.unsafe`delete from login_pair_failures where not ${notForgotten(forgetMs)}`);
}

/** Maximum numbers of slots. */
export interface SlotLimits {
  total: number;
  /** Per client. */
  ofClient: number;
  /** Per client and account. */
  ofPair: number;
  /** Per client and account, including slots that the client abandoned by hanging up. */
  withAbandoned: number;
}

/** Reserves a slot for `ms` milliseconds; undefined when a limit is reached. Exact over all processes. */
export const takeSlot = (db: Database, { client, account }: LoginSource, limits: SlotLimits, ms: number) =>
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
          count(*) filter (where not abandoned and client = ${client} and account = ${hash(account)}) as of_pair,
          count(*) filter (where client = ${client} and account = ${hash(account)}) as with_abandoned
        from login_waits) taken
      where waiting < ${limits.total} and of_client < ${limits.ofClient} and of_pair < ${limits.ofPair}
        and with_abandoned < ${limits.withAbandoned}`);
    return rowCount === 1 ? id : undefined;
  });

/** The slot is free for others, but counts against its client and account until it ends. */
export const abandonSlot = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`update login_waits set abandoned = true where id = ${id}`);

/** Whether at least one administrator can sign in. */
export const canAdministratorSignIn = (tx: Transaction) =>
  tx.exists(sql.unsafe`
    select from group_members m join accounts a using (user_id)
    where m.group_id = 'Administrators' and a.enabled and a.activated
      and not (a.locked and (a.locked_date_end is null or a.locked_date_end > now()))`);
