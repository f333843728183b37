import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db.ts';
import { openSecrets } from './secrets.ts';

/** Signs with HMAC-SHA-256 by the current key of one use; checks by any key of that use, also a retired one. */
export interface Signer {
  /** `kid` goes with the signature, so that the checker finds the key. */
  sign(text: string): Promise<{ kid: string; signature: Buffer }>;
  verify(text: string, kid: string, signature: Uint8Array): Promise<boolean>;
}

/** A signer with its keys in memory. Call it at start and not inside a transaction, as `openSecrets`. */
export async function openSigner(db: Db, use: 'address' | 'cursor'): Promise<Signer> {
  const secrets = await openSecrets(db, use);
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
