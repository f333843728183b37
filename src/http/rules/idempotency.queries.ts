import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

/** Whose key it is; each caller has keys of his own. */
export interface KeyOwner {
  userId: string;
  key: string;
}

const Answer = z.object({
  requestHash: z.instanceof(Buffer),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
});
/** An answer as it was given. Without `body` it held a secret; an empty answer has an empty one. */
export type StoredAnswer = z.infer<typeof Answer>;

/**
 * Claims a key for a request; false while another one runs under it. A claim past its time is that of a process that is gone, and is taken
 * over.
 */
export async function claimKey(db: Db, { userId, key }: KeyOwner, claim: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(sql.unsafe`
    insert into idempotency_claims as c (user_id, key, claim, leased_until)
    values (${userId}, ${key}, ${claim}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (user_id, key) do update set claim = excluded.claim, leased_until = excluded.leased_until
      where c.leased_until < now()`);
  return rowCount === 1;
}

/** Those that are being given up at this moment are left alone. */
export const renewClaims = (db: Db, claims: readonly string[], leaseMs: number) =>
  db.query(sql.unsafe`
    update idempotency_claims set leased_until = now() + ${leaseMs} * interval '1 millisecond'
    where claim in (
      select claim from idempotency_claims where claim = any(${sql.array([...claims], 'uuid')}) for update skip locked)`);

/** False when another request has taken it over. */
export const giveUpClaim = async (db: Db, claim: string): Promise<boolean> =>
  (await db.query(sql.unsafe`delete from idempotency_claims where claim = ${claim}`)).rowCount === 1;

/** What was answered under this key within the last day. */
export const findAnswer = (tx: Db, { userId, key }: KeyOwner) =>
  tx.maybeOne(
    sql.type(Answer)`
      select request_hash, status, headers, body from idempotency_keys
      where user_id = ${userId} and key = ${key} and created_at > now() - interval '24 hours'`,
  );

/** False when there is an answer of another request already. */
export async function storeAnswer(tx: Db, { userId, key }: KeyOwner, answer: StoredAnswer): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into idempotency_keys as k (user_id, key, request_hash, status, headers, body)
    values (${userId}, ${key}, ${sql.binary(answer.requestHash)}, ${answer.status}, ${sql.jsonb(answer.headers)},
      ${answer.body ?? null})
    on conflict (user_id, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
      where k.created_at <= now() - interval '24 hours'`);
  return rowCount === 1;
}

/** Forgets the answers of yesterday, and claims of processes that are gone; for a daily or hourly job. Returns how many answers there were. */
export async function forgetOldAnswers(db: Db): Promise<number> {
  await db.query(sql.unsafe`delete from idempotency_claims where leased_until < now() - interval '1 hour'`);
  return (await db.query(sql.unsafe`delete from idempotency_keys where created_at <= now() - interval '24 hours'`))
    .rowCount;
}
