import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../../db.ts';
import type { KeyStore } from './key-store.ts';
import { Secrets } from './secrets.ts';

/** Signs with HMAC-SHA-256 and the current key of one use. Verifies with any key of that use, also retired ones. */
export interface Signer {
  /** Send `kid` with the signature: `verify` needs it. */
  sign(text: string): Promise<{ kid: string; signature: Buffer }>;
  verify(text: string, kid: string, signature: Uint8Array): Promise<boolean>;
}

/** Keeps its keys in memory. Call it at start and outside of transactions, like `Secrets.open`. */
export async function openSigner(db: Database, keys: KeyStore, use: 'address' | 'cursor'): Promise<Signer> {
  const secrets = await Secrets.open(db, keys, use);
  const mac = (secret: Buffer, text: string) => createHmac('sha256', secret).update(text).digest();
  return {
    async sign(text) {
      const { kid, secret } = await secrets.current();
      return { kid, signature: mac(secret, text) };
    },
    async verify(text, kid, signature) {
      const secret = await secrets.find(kid);
      if (!secret) return false;
      const expected = mac(secret, text);
      return signature.length === expected.length && timingSafeEqual(expected, signature);
    },
  };
}
