import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

/** Idempotency keys are unique per caller. */
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
/** A stored answer. `body` is absent if the answer contained a secret, and empty for an answer without a body. */
export type StoredAnswer = z.infer<typeof Answer>;

/** Claims a key for a request. False while another request holds it; an expired lease is taken over. */
export async function claimKey(
  tx: Transaction,
  { userId, key }: KeyOwner,
  claim: string,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into idempotency_claims as c (user_id, key, claim, leased_until)
    values (${userId}, ${key}, ${claim}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (user_id, key) do update set claim = excluded.claim, leased_until = excluded.leased_until
      where c.leased_until < now()`);
  return rowCount === 1;
}

/** Skips claims that are being released. */
export const renewClaims = (tx: Transaction, claims: readonly string[], leaseMs: number) =>
  tx.query(sql.unsafe`
    update idempotency_claims set leased_until = now() + ${leaseMs} * interval '1 millisecond'
    where claim in (
      select claim from idempotency_claims where claim = any(${sql.array([...claims], 'uuid')}) for update skip locked)`);

/** False if another request has taken over the claim. */
export const releaseClaim = async (tx: Transaction, claim: string): Promise<boolean> =>
  (await tx.query(sql.unsafe`delete from idempotency_claims where claim = ${claim}`)).rowCount === 1;

/** The stored answer of the last 24 hours. */
export const findAnswer = (db: Reads, { userId, key }: KeyOwner) =>
  db.maybeOne(
    sql.type(Answer)`
      select request_hash, status, headers, body from idempotency_keys
      where user_id = ${userId} and key = ${key} and created_at > now() - interval '24 hours'`,
  );

/** False if another request has stored an answer. */
export async function storeAnswer(tx: Transaction, { userId, key }: KeyOwner, answer: StoredAnswer): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into idempotency_keys as k (user_id, key, request_hash, status, headers, body)
    values (${userId}, ${key}, ${sql.binary(answer.requestHash)}, ${answer.status}, ${sql.jsonb(answer.headers)},
      ${answer.body ?? null})
    on conflict (user_id, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
      where k.created_at <= now() - interval '24 hours'`);
  return rowCount === 1;
}

/** Answers that one statement deletes. */
const BATCH = 5000;

/**
 * Part of the hourly clean-up: deletes expired claims, and some of the answers older than 24 hours. Returns the number
 * of these answers; `isLast`: there are no more.
 */
export async function forgetOldAnswers(tx: Transaction): Promise<{ count: number; isLast: boolean }> {
  await tx.query(sql.unsafe`delete from idempotency_claims where leased_until < now() - interval '1 hour'`);
  const { rowCount: count } = await tx.query(sql.unsafe`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at <= now() - interval '24 hours' order by created_at limit ${BATCH}))`);
  return { count, isLast: count < BATCH };
}
