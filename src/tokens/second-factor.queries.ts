import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const Authenticator = z.object({
  type: z.string(),
  fingerprint: z.instanceof(Buffer),
  /** The account's own setup code; absent: a group's. */
  sealed: z.instanceof(Buffer).optional(),
  createdAt: z.string(),
  provedAt: z.string().optional(),
});

/** Its own ones, and those of groups that it has used. */
export const listAuthenticators = (db: Db, userId: string) =>
  db.any(sql.type(Authenticator)`
    select type, fingerprint, sealed, created_at, proved_at from account_authenticators where user_id = ${userId}
    order by created_at, type`);

/** True for the first of any number at once that present a code of this step, if no code of this or a later step was accepted before. */
export async function acceptStep(tx: Db, userId: string, type: string, fingerprint: Buffer, step: number) {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into account_authenticators as a (user_id, type, fingerprint, proved_at, last_step)
    values (${userId}, ${type}, ${sql.binary(fingerprint)}, now(), ${step})
    on conflict (user_id, fingerprint) do update set last_step = ${step}, proved_at = coalesce(a.proved_at, now())
      where a.last_step is null or a.last_step < ${step}`);
  return rowCount > 0;
}

/** One that is there already stays. */
export const insertOwnAuthenticator = (tx: Db, userId: string, type: string, fingerprint: Buffer, sealed: Buffer) =>
  tx.query(sql.unsafe`
    insert into account_authenticators (user_id, type, fingerprint, sealed)
    values (${userId}, ${type}, ${sql.binary(fingerprint)}, ${sql.binary(sealed)}) on conflict do nothing`);

export const removeOwnAuthenticators = (tx: Db, userId: string) =>
  tx.query(sql.unsafe`delete from account_authenticators where user_id = ${userId} and sealed is not null`);

/** Setup codes of groups may be shown to the account again; codes that were accepted stay used. */
export const forgetProofs = (tx: Db, userId: string) =>
  tx.query(sql.unsafe`update account_authenticators set proved_at = null where user_id = ${userId}`);

export const replaceRecoveryCodes = (tx: Db, userId: string, hashes: readonly Buffer[]) =>
  tx.query(sql.unsafe`
    with old as (delete from recovery_codes where user_id = ${userId})
    insert into recovery_codes (user_id, hash) select ${userId}, * from ${sql.unnest(
      hashes.map((hash) => [hash]),
      ['bytea'],
    )}`);

/** True for one caller alone. */
export async function useRecoveryCode(tx: Db, userId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from recovery_codes where user_id = ${userId} and hash = ${sql.binary(hash)}`);
  return rowCount > 0;
}

export const countRecoveryCodes = (db: Db, userId: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from recovery_codes where user_id = ${userId}`);

const Failures = z.object({
  failures: z.number(),
  blockedUntil: z.string().optional(),
  /** Seconds; absent when codes are checked. */
  blockedFor: z.number().optional(),
});

export const findOtpFailures = (db: Db, userId: string) =>
  db.maybeOne(sql.type(Failures)`
    select failures, blocked_until,
      case when blocked_until > now() then ceil(extract(epoch from blocked_until - now()))::integer end as blocked_for
    from otp_failures where user_id = ${userId}`);

/** From the `free`th in a row on each failure blocks, the first 30 seconds, each twice as long as the one before, an hour at most. */
export const countOtpFailure = (tx: Db, userId: string, free: number) =>
  tx.query(sql.unsafe`
    insert into otp_failures as f (user_id, failures) values (${userId}, 1)
    on conflict (user_id) do update set failures = f.failures + 1, blocked_until =
      case when f.failures + 1 >= ${free} then now() + least(30 * 2 ^ least(f.failures + 1 - ${free}, 10), 3600) * interval '1 second' end`);

export const clearOtpFailures = (tx: Db, userId: string) =>
  tx.query(sql.unsafe`delete from otp_failures where user_id = ${userId}`);
