import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const Exchanged = z.object({ familyId: z.string(), userId: z.string() });

export const insertFamily = (tx: Db, userId: string, lifetimeMs: number) =>
  tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into refresh_families (user_id, expires_at) values (${userId}, now() + ${lifetimeMs} * interval '1 millisecond')
    returning id`);

/** Ends with its family at the latest. */
export const insertRefreshToken = (tx: Db, hash: Buffer, familyId: string, lifetimeMs: number) =>
  tx.oneFirst(sql.type(z.object({ expiresAt: z.string() }))`
    insert into refresh_tokens (hash, family_id, expires_at)
    select ${sql.binary(hash)}, id, least(expires_at, now() + ${lifetimeMs} * interval '1 millisecond')
    from refresh_families where id = ${familyId}
    returning expires_at`);

/** Uses a token up. Of any number of callers at once one gets the row; nobody does when it is used, expired, revoked or unknown. */
export const useRefreshToken = (tx: Db, hash: Buffer, address: string) =>
  tx.maybeOne(sql.type(Exchanged)`
    update refresh_tokens t set used_at = now(), used_from = ${address} from refresh_families f
    where t.hash = ${sql.binary(hash)} and f.id = t.family_id and t.used_at is null and t.expires_at > now()
      and f.expires_at > now() and f.revoked_at is null
    returning f.id as family_id, f.user_id`);

/** Keeps the answer to an exchange for a moment, encrypted. */
export const keepAnswer = (tx: Db, hash: Buffer, sealed: Buffer) =>
  tx.query(
    sql.unsafe`update refresh_tokens set sealed_answer = ${sql.binary(sealed)} where hash = ${sql.binary(hash)}`,
  );

const Presented = Exchanged.extend({
  revoked: z.boolean(),
  used: z.boolean(),
  /** Used before, longer ago than the leeway or by another address. */
  late: z.boolean(),
  /** What its exchange answered, encrypted; for the same address, for a moment. */
  answer: z.instanceof(Buffer).optional(),
});

/** Why a token could not be used. */
export const findRefreshToken = (
  tx: Db,
  hash: Buffer,
  { address, leewayMs, replayMs }: { address: string; leewayMs: number; replayMs: number },
) =>
  tx.maybeOne(sql.type(Presented)`
    select f.id as family_id, f.user_id, f.revoked_at is not null as revoked, t.used_at is not null as used,
      t.used_at is not null and (t.used_from is distinct from ${address}
        or clock_timestamp() - t.used_at > ${leewayMs} * interval '1 millisecond') as late,
      case when t.used_from = ${address} and clock_timestamp() - t.used_at < ${replayMs} * interval '1 millisecond'
        then t.sealed_answer end as answer
    from refresh_tokens t join refresh_families f on f.id = t.family_id where t.hash = ${sql.binary(hash)}`);

export const findFamily = (tx: Db, hash: Buffer) =>
  tx.maybeOne(sql.type(Exchanged)`
    select f.id as family_id, f.user_id from refresh_tokens t join refresh_families f on f.id = t.family_id
    where t.hash = ${sql.binary(hash)}`);

/** True for the one that ended it. */
export async function revokeFamily(tx: Db, familyId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    update refresh_families set revoked_at = now() where id = ${familyId} and revoked_at is null`);
  return rowCount > 0;
}

/** Whether a token waits to be exchanged, its family still open. */
export const isUnused = (tx: Db, hash: Buffer) =>
  tx.exists(sql.unsafe`
    select from refresh_tokens t join refresh_families f on f.id = t.family_id
    where t.hash = ${sql.binary(hash)} and t.used_at is null and f.revoked_at is null`);
