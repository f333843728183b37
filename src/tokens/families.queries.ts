import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

const Family = z.object({
  id: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastExchangedAt: z.string().optional(),
  /** Client address of the last exchange. */
  lastAddress: z.string().optional(),
  /** User-Agent and client address of the login; absent for logins of older versions. */
  agent: z.string().optional(),
  address: z.string().optional(),
});

/** Active logins of an account, newest first. */
export const listFamilies = (db: Reads, userId: string) =>
  db.any(sql.type(Family)`
    select f.id, f.created_at, f.expires_at, t.used_at as last_exchanged_at, t.used_from as last_address,
      f.agent, f.address
    from refresh_families f
    left join lateral (
      select used_at, used_from from refresh_tokens where family_id = f.id and used_at is not null order by used_at desc limit 1) t on true
    where f.user_id = ${userId} and f.revoked_at is null and f.expires_at > now()
      and (not f.refreshes
        or exists (select from refresh_tokens o where o.family_id = f.id and o.used_at is null and o.expires_at > now()))
    order by f.id desc`);

export const findFamilyOwner = (db: Reads, id: string) =>
  db.maybeOneFirst(sql.type(z.object({ userId: z.string() }))`
    select user_id from refresh_families where id = ${id} and revoked_at is null`);

/** Ends all logins of an account, except that of `keptId`. Returns their number. */
export async function revokeUserFamilies(tx: Transaction, userId: string, keptId?: string): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    update refresh_families set revoked_at = now()
    where user_id = ${userId} and revoked_at is null and id is distinct from ${keptId ?? null}::uuid`);
  return rowCount;
}

/** Whether a login has neither ended nor expired. */
export const isFamilyActive = (tx: Transaction, id: string) =>
  tx.exists(sql.unsafe`select from refresh_families where id = ${id} and revoked_at is null and expires_at > now()`);

const KEPT = sql.fragment`interval '30 days'`;

/** Deletes at most `most` logins that ended 30 days ago, with their tokens. Returns their number. */
export async function removeOldFamilies(tx: Transaction, most: number): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from refresh_families where id in (
      select id from refresh_families where expires_at < now() - ${KEPT} or revoked_at < now() - ${KEPT} limit ${most})`);
  return rowCount;
}

/** Deletes at most `most` tokens that expired 30 days ago, of active logins too. Returns their number. */
export async function removeOldTokens(tx: Transaction, most: number): Promise<number> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from refresh_tokens where hash in (
      select hash from refresh_tokens where expires_at < now() - ${KEPT} limit ${most})`);
  return rowCount;
}

/** Deletes stored answers to exchanges whose time for a replay is over. */
export const forgetAnswers = (tx: Transaction, afterMs: number) =>
  tx.query(sql.unsafe`
    update refresh_tokens set sealed_answer = null
    where sealed_answer is not null and used_at < now() - ${afterMs} * interval '1 millisecond'`);
