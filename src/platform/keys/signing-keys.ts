import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db.ts';
import type { KeyRow, KeyUse } from './signing-keys.queries.ts';
import { findCurrentKey, findKey, insertFirstKey } from './signing-keys.queries.ts';

/** The key that signs now, made by `make` on first use; two processes at once end up with the same one. */
export async function currentKey(
  db: Db,
  use: KeyUse,
  make: () => Promise<Record<string, unknown>> | Record<string, unknown>,
): Promise<KeyRow> {
  const found = await findCurrentKey(db, use);
  if (found) return found;
  await insertFirstKey(db, use, randomUUID(), await make());
  const current = await findCurrentKey(db, use);
  if (!current) throw new Error(`No current key for '${use}'.`);
  return current;
}

/** Signs with HMAC-SHA-256 by the current key of one use; checks by any key of that use, also a retired one. */
export interface Signer {
  /** `kid` goes with the signature, so that the checker finds the key. */
  sign(text: string): Promise<{ kid: string; signature: Buffer }>;
  verify(text: string, kid: string, signature: Uint8Array): Promise<boolean>;
}

/** How long a process may go on signing with a key that was retired elsewhere. */
const KEEP_MS = 60_000;

/**
 * A signer with its keys in memory. Makes the first key, so open it at start and not inside a transaction: what is rolled back must
 * not stay in memory.
 */
export async function openSigner(db: Db, use: 'address' | 'cursor'): Promise<Signer> {
  const secrets = new Map<string, Buffer>();
  const remember = (key: KeyRow) => {
    const { secret } = key.material;
    if (typeof secret !== 'string') throw new Error(`Key ${key.kid} holds no secret.`);
    const bytes = Buffer.from(secret, 'base64');
    secrets.set(key.kid, bytes);
    return { kid: key.kid, secret: bytes };
  };
  const load = async () => remember(await currentKey(db, use, () => ({ secret: randomBytes(32).toString('base64') })));

  let current = await load();
  let loadedAt = performance.now();
  const mac = (secret: Buffer, text: string) => createHmac('sha256', secret).update(text).digest();
  return {
    async sign(text) {
      if (performance.now() - loadedAt > KEEP_MS) {
        current = await load();
        loadedAt = performance.now();
      }
      return { kid: current.kid, signature: mac(current.secret, text) };
    },
    async verify(text, kid, signature) {
      let secret = secrets.get(kid);
      if (!secret) {
        const found = await findKey(db, use, kid);
        if (!found) return false;
        secret = remember(found).secret;
      }
      const expected = mac(secret, text);
      return signature.length === expected.length && timingSafeEqual(expected, signature);
    },
  };
}
