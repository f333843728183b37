import { loadConfig } from '../../src/config.ts';
import { type Rotation, rotateSecrets } from '../../src/operations/secrets/rotate.ts';
import { withDatabase } from '../../src/platform/postgres/with-database.ts';
import type { Io } from '../io.ts';

/**
 * Encrypts the secrets in the database of the settings with the first of their secret keys. Needs no login: whoever has
 * the keys and the database may run it.
 */
export async function rotateSecretKeys(io: Pick<Io, 'env' | 'json' | 'out'>, stop: AbortSignal): Promise<void> {
  const config = loadConfig(io.env);
  await withDatabase(config, { name: 'platform secret', stop }, async (db) => {
    const rotated = await rotateSecrets(db, config, config['twoFactor.metadataKey'], stop);
    io.out(io.json ? JSON.stringify(rotated) : sentence(rotated));
  });
}

function sentence({ id, before, keys, secrets }: Rotation): string {
  const moved = Object.values(secrets).reduce((sum, count) => sum + count, 0);
  const others = `${keys} keys and ${moved} other secrets were encrypted anew.`;
  if (before === id) return `The secret key ${id} encrypts the database already. ${others}`;
  return `The secret key ${id} encrypts the database now; it was ${before}. ${others} Remove the old key from the settings of all processes.`;
}
