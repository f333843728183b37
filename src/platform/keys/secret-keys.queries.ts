import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

/** Id of the secret key that encrypts the keys in the database, or null. */
export const findSecretKeyId = (db: Reads) =>
  db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`select id from secret_keys`);

/** Serializes first encryption and rotation until `tx` ends. */
export const lockSecretKey = (tx: Transaction) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('secret key', 0))`);

export const insertSecretKeyId = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`insert into secret_keys (id) values (${id})`);

/**
 * Waits for transactions that add keys. The rows of encrypted keys follow; their material is still encrypted with the
 * old key.
 */
export const replaceSecretKeyId = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`update secret_keys set id = ${id}, created_at = now()`);

const Row = z.object({
  kid: z.string(),
  use: z.string(),
  material: z.record(z.string(), z.unknown()),
});

export const listClearKeys = (tx: Transaction) =>
  tx.any(
    sql.write(Row)`select kid, use, material from signing_keys where secret_key_id is null order by kid for update`,
  );

export const listEncryptedKeys = (tx: Transaction) =>
  tx.any(
    sql.write(Row)`select kid, use, material from signing_keys where secret_key_id is not null order by kid for update`,
  );

export const updateMaterial = (tx: Transaction, kid: string, material: Record<string, unknown>, secretKeyId: string) =>
  tx.query(sql.unsafe`
    update signing_keys set material = ${sql.jsonb(material as never)}, secret_key_id = ${secretKeyId} where kid = ${kid}`);
