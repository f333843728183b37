import type { Database, Transaction } from '../../db.ts';
import { decryptMaterial, encryptMaterial, KeyStore, MissingSecretKey } from './key-store.ts';
import { type SecretKey, type SecretKeySettings, SecretKeys } from './secret-key.ts';
import {
  findSecretKeyId,
  insertSecretKeyId,
  listClearKeys,
  listEncryptedKeys,
  lockSecretKey,
  replaceSecretKeyId,
  updateMaterial,
} from './secret-keys.queries.ts';
import { retireCurrentKey } from './signing-keys.queries.ts';

const UNENCRYPTED =
  'Signing keys, webhook secrets and second-factor setup codes can be read in the database. Encrypt them: set PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE';

/**
 * Opens the keys in the database. The first process with a secret key encrypts what is stored in clear; from then on,
 * a process without it throws `MissingSecretKey`. Call it at the start of a process.
 */
export async function openKeyStore(
  db: Database,
  settings: SecretKeySettings,
  log: { warn(details: object, message: string): void },
): Promise<KeyStore> {
  const secretKeys = new SecretKeys(settings);
  const present = await findSecretKeyId(db);
  if (present === null && secretKeys.first === undefined) log.warn({}, UNENCRYPTED);
  else await db.transaction((tx) => encryptClearKeys(tx, secretKeys));
  return new KeyStore(secretKeys);
}

async function encryptClearKeys(tx: Transaction, secretKeys: SecretKeys): Promise<void> {
  await lockSecretKey(tx);
  const present = await findSecretKeyId(tx);
  const secretKey = present === null ? secretKeys.first : secretKeys.find(present);
  if (secretKey === undefined) throw new MissingSecretKey(present ?? '');
  if (present === null) {
    await insertSecretKeyId(tx, secretKey.id);
    // copies of the database may contain it in clear: secrets of the future get another one
    await retireCurrentKey(tx, 'seal');
  }
  for (const { kid, use, material } of await listClearKeys(tx))
    await updateMaterial(tx, kid, encryptMaterial(secretKey.key, use, kid, material), secretKey.id);
}

export interface RotatedKeys {
  /** Id of the secret key that encrypts the keys now, and of the one before. */
  id: string;
  before: string | undefined;
  /** Number of keys that were encrypted anew. */
  keys: number;
}

/**
 * Encrypts all keys with the first secret key of the settings, in one transaction. Running processes must have it. The
 * key that encrypts webhook secrets and setup codes is retired too; `reseal` moves them to its successor.
 */
export async function rotateSecretKey(tx: Transaction, secretKeys: SecretKeys, first: SecretKey): Promise<RotatedKeys> {
  await encryptClearKeys(tx, secretKeys);
  const before = await findSecretKeyId(tx);
  if (before === null || before === first.id) return { id: first.id, before: before ?? undefined, keys: 0 };
  const old = secretKeys.find(before);
  if (old === undefined) throw new MissingSecretKey(before);
  await replaceSecretKeyId(tx, first.id);
  const rows = await listEncryptedKeys(tx);
  for (const { kid, use, material } of rows) {
    const clear = decryptMaterial(old.key, use, kid, material);
    await updateMaterial(tx, kid, encryptMaterial(first.key, use, kid, clear), first.id);
  }
  await retireCurrentKey(tx, 'seal');
  return { id: first.id, before, keys: rows.length };
}
