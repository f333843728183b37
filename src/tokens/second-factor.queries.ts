import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { factorColumns, GroupFactor } from '../groups/setup-codes.queries.ts';

/** Requirements of each group of an account, in the metadata under `key`. */
export const listGroupFactors = (db: Reads, userId: string, key: string) =>
  db.any(sql.type(GroupFactor)`
    select ${factorColumns(key)}
    from group_members m join user_groups g on g.id = m.group_id where m.user_id = ${userId}
    order by g.name collate "C"`);

const Authenticator = z.object({
  type: z.string(),
  fingerprint: z.instanceof(Buffer),
  /** Encrypted setup code of the account's own authenticator; absent for a group's. */
  sealed: z.instanceof(Buffer).optional(),
  createdAt: z.string(),
  /** When a code of this authenticator was first accepted from this account. */
  provedAt: z.string().optional(),
});

/** Authenticators of the account's own, and those of groups that it has used. */
export const listAuthenticators = (db: Reads, userId: string) =>
  db.any(sql.type(Authenticator)`
    select type, fingerprint, sealed, created_at, proved_at from account_authenticators where user_id = ${userId}
    order by created_at, type`);

/**
 * Replay protection (RFC 6238, 5.2): accepts a code's time step if no code of it or of a later step was accepted
 * before. Of concurrent calls one returns true.
 */
export async function acceptStep(tx: Transaction, userId: string, type: string, fingerprint: Buffer, step: number) {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into account_authenticators as a (user_id, type, fingerprint, proved_at, last_step)
    values (${userId}, ${type}, ${sql.binary(fingerprint)}, now(), ${step})
    on conflict (user_id, fingerprint) do update set last_step = ${step}, proved_at = coalesce(a.proved_at, now())
      where a.last_step is null or a.last_step < ${step}`);
  return rowCount > 0;
}

/** Does nothing if the account has this authenticator. */
export const insertOwnAuthenticator = (
  tx: Transaction,
  userId: string,
  type: string,
  fingerprint: Buffer,
  sealed: Buffer,
) =>
  tx.query(sql.unsafe`
    insert into account_authenticators (user_id, type, fingerprint, sealed)
    values (${userId}, ${type}, ${sql.binary(fingerprint)}, ${sql.binary(sealed)}) on conflict do nothing`);

export const removeOwnAuthenticators = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`delete from account_authenticators where user_id = ${userId} and sealed is not null`);

/** Setup codes of groups may be shown to the account again. Accepted time steps stay, so that no code works twice. */
export const forgetProofs = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`update account_authenticators set proved_at = null where user_id = ${userId}`);

/** Stores the hashes of new recovery codes and deletes those of the old ones. */
export const replaceRecoveryCodes = (tx: Transaction, userId: string, hashes: readonly Buffer[]) =>
  tx.query(sql.unsafe`
    with old as (delete from recovery_codes where user_id = ${userId})
    insert into recovery_codes (user_id, hash) select ${userId}, * from ${sql.unnest(
      hashes.map((hash) => [hash]),
      ['bytea'],
    )}`);

/** Deletes a recovery code. Of concurrent calls one returns true. */
export async function useRecoveryCode(tx: Transaction, userId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from recovery_codes where user_id = ${userId} and hash = ${sql.binary(hash)}`);
  return rowCount > 0;
}

export const countRecoveryCodes = (db: Reads, userId: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from recovery_codes where user_id = ${userId}`);

const Failures = z.object({
  /** Wrong codes in a row. */
  failures: z.number(),
  blockedUntil: z.string().optional(),
  /** Seconds; absent if codes are not blocked now. */
  blockedFor: z.number().optional(),
});

export const findOtpFailures = (db: Reads, userId: string) =>
  db.maybeOne(sql.type(Failures)`
    select failures, blocked_until,
      case when blocked_until > now() then ceil(extract(epoch from blocked_until - now()))::integer end as blocked_for
    from otp_failures where user_id = ${userId}`);

/**
 * Counts a wrong code. From the `free`th in a row on, each one blocks codes: for 30 seconds first, then twice as long
 * each time, up to an hour.
 */
export const countOtpFailure = (tx: Transaction, userId: string, free: number) =>
  tx.query(sql.unsafe`
    insert into otp_failures as f (user_id, failures) values (${userId}, 1)
    on conflict (user_id) do update set failures = f.failures + 1, blocked_until =
      case when f.failures + 1 >= ${free} then now() + least(30 * 2 ^ least(f.failures + 1 - ${free}, 10), 3600) * interval '1 second' end`);

export const clearOtpFailures = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`delete from otp_failures where user_id = ${userId}`);
