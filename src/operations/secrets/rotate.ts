import { audit } from '../../audit.ts';
import type { Database } from '../../db.ts';
import { conflict } from '../../errors.ts';
import { type RotatedKeys, rotateSecretKey } from '../../platform/keys/encrypt-keys.ts';
import { KeyStore } from '../../platform/keys/key-store.ts';
import { Sealer } from '../../platform/keys/sealing.ts';
import { type SecretKeySettings, SecretKeys } from '../../platform/keys/secret-key.ts';
import { sealClear } from './seal-clear.ts';
import { listOutdated, replaceSealed, SEALED } from './secrets.queries.ts';

const BATCH = 200;

export interface Rotation extends RotatedKeys {
  /** Number of secrets that were encrypted anew, by kind. */
  secrets: Record<string, number>;
}

/**
 * Changes to the first secret key of the settings: encrypts the keys of the database with it, and all other secrets
 * with a new key of the database. May run beside other processes that have both secret keys. May be repeated: after a
 * kill, the next call does what is left.
 */
export async function rotateSecrets(
  db: Database,
  settings: SecretKeySettings,
  secondFactorKey: string,
  stop: AbortSignal,
): Promise<Rotation> {
  const secretKeys = new SecretKeys(settings);
  const { first } = secretKeys;
  if (first === undefined)
    throw conflict('There is no secret key. Set PLATFORM_SECRET_KEY to the new one and the present one: NEW,PRESENT.');
  const rotated = await db.transaction(async (tx) => {
    const keys = await rotateSecretKey(tx, secretKeys, first);
    const { id, before } = keys;
    if (id !== before) await audit(tx, { action: 'secret.rotate', subject: id, details: { before } });
    return keys;
  });
  const sealer = await Sealer.open(db, new KeyStore(secretKeys));
  await sealClear({ db, sealer, secondFactorKey });
  const secrets: Rotation['secrets'] = {};
  for (const column of SEALED) secrets[column.name] = await reseal(db, sealer, column, stop);
  return { ...rotated, secrets };
}

async function reseal(
  db: Database,
  sealer: Sealer,
  column: (typeof SEALED)[number],
  stop: AbortSignal,
): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await listOutdated(db, column, sealer.keyPrefix(), BATCH);
    if (rows.length === 0) return count;
    for (const row of rows) {
      stop.throwIfAborted();
      const text = await sealer.unseal(row.sealed, row.context);
      const { rowCount } = await db.transaction((tx) => replaceSealed(tx, column, row, sealer.seal(text, row.context)));
      count += rowCount;
    }
  }
}
