import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

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

/** Holds the key until the transaction ends; false when another request holds it. */
export const tryLockKey = (tx: Db, { userId, key }: KeyOwner) =>
  tx.oneFirst(
    sql.type(z.object({ locked: z.boolean() }))`
      select pg_try_advisory_xact_lock(hashtextextended(${`${userId} ${key}`}, 0)) as locked`,
  );

/** What was answered under this key within the last day. */
export const findAnswer = (tx: Db, { userId, key }: KeyOwner) =>
  tx.maybeOne(
    sql.type(Answer)`
      select request_hash, status, headers, body from idempotency_keys
      where user_id = ${userId} and key = ${key} and created_at > now() - interval '24 hours'`,
  );

export const storeAnswer = (tx: Db, { userId, key }: KeyOwner, answer: StoredAnswer) =>
  tx.query(sql.unsafe`
    insert into idempotency_keys (user_id, key, request_hash, status, headers, body)
    values (${userId}, ${key}, ${sql.binary(answer.requestHash)}, ${answer.status}, ${sql.jsonb(answer.headers)},
      ${answer.body ?? null})
    on conflict (user_id, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`);

/** Forgets the answers of yesterday; for a daily or hourly job. Returns how many there were. */
export const forgetOldAnswers = async (db: Db) =>
  (await db.query(sql.unsafe`delete from idempotency_keys where created_at <= now() - interval '24 hours'`)).rowCount;
