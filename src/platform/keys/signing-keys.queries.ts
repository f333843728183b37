import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

export type KeyUse = 'token' | 'address' | 'cursor' | 'seal';

const Key = z.object({
  kid: z.string(),
  /** The stored key, encrypted if there is a `secretKeyId`. Only `key-store.ts` reads it. */
  material: z.record(z.string(), z.unknown()),
  secretKeyId: z.string().optional(),
  /** Absent for the next key, which is published before it signs. */
  activatedAt: z.string().optional(),
  /** A retired key signs no more, but its signatures may still be accepted. */
  retiredAt: z.string().optional(),
});
export type StoredKey = z.infer<typeof Key>;
const columns = sql.fragment`kid, material, secret_key_id, activated_at, retired_at`;

export const findCurrentKey = (db: Reads, use: KeyUse) =>
  db.maybeOne(sql.type(Key)`
    select ${columns} from signing_keys where use = ${use} and activated_at is not null and retired_at is null`);

export const findKey = (db: Reads, use: KeyUse, kid: string) =>
  db.maybeOne(sql.type(Key)`select ${columns} from signing_keys where use = ${use} and kid = ${kid}`);

/** Keys of one use in this order: current, next, retired (last retired first). */
export const listKeys = (db: Reads, use: KeyUse) =>
  db.any(
    sql.type(Key)`
      select ${columns} from signing_keys where use = ${use}
      order by retired_at is null desc, activated_at is null, retired_at desc`,
  );

type NewKey = Pick<StoredKey, 'kid' | 'material' | 'secretKeyId'>;

/**
 * Stores the first key unless there is one. Fires `signing_keys_clear`, which refuses a key in clear if there is a
 * secret key.
 */
export const insertFirstKey = (tx: Transaction, use: KeyUse, { kid, material, secretKeyId }: NewKey) =>
  tx.query(sql.unsafe`
    insert into signing_keys (kid, use, material, secret_key_id)
    values (${kid}, ${use}, ${sql.jsonb(material as never)}, ${secretKeyId ?? null})
    on conflict (use) where activated_at is not null and retired_at is null do nothing`);

/**
 * Stores the next key unless there is one. Fires `signing_keys_clear`, which refuses a key in clear if there is a
 * secret key.
 */
export const insertNextKey = (tx: Transaction, use: KeyUse, { kid, material, secretKeyId }: NewKey) =>
  tx.query(sql.unsafe`
    insert into signing_keys (kid, use, material, secret_key_id, activated_at)
    values (${kid}, ${use}, ${sql.jsonb(material as never)}, ${secretKeyId ?? null}, null)
    on conflict (use) where activated_at is null do nothing`);

/** Retires the current key and activates the next one. Concurrent calls are serialized. */
export async function promoteNextKey(tx: Transaction, use: KeyUse) {
  await tx.query(
    sql.unsafe`select from signing_keys where use = ${use} and retired_at is null order by kid for update`,
  );
  await tx.query(sql.unsafe`
    update signing_keys set retired_at = now() where use = ${use} and activated_at is not null and retired_at is null`);
  await tx.query(sql.unsafe`update signing_keys set activated_at = now() where use = ${use} and activated_at is null`);
}

export const removeRetiredKeys = (tx: Transaction, use: KeyUse, retiredForMs: number) =>
  tx.query(sql.unsafe`
    delete from signing_keys where use = ${use} and retired_at < now() - ${retiredForMs} * interval '1 millisecond'`);

/** Retires the current key without a successor: the next process that signs creates one. */
export const retireCurrentKey = (tx: Transaction, use: KeyUse) =>
  tx.query(sql.unsafe`
    update signing_keys set retired_at = now() where use = ${use} and activated_at is not null and retired_at is null`);
