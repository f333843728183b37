import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../../db.ts';
import type { KeyStore } from './key-store.ts';
import { Secrets } from './secrets.ts';

/**
 * Signs with HMAC-SHA-256 and the current key of one use. Verifies with any key of that use, also retired ones. Keeps
 * its keys in memory.
 */
export class Signer {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Call it at start and outside of transactions, like `Secrets.open`. */
  static async open(db: Database, keys: KeyStore, use: 'address' | 'cursor'): Promise<Signer> {
    return new Signer(await Secrets.open(db, keys, use));
  }

  /** Send `kid` with the signature: `verify` needs it. */
  async sign(text: string): Promise<{ kid: string; signature: Buffer }> {
    const { kid, secret } = await this.#secrets.current();
    return { kid, signature: mac(secret, text) };
  }

  async verify(text: string, kid: string, signature: Uint8Array): Promise<boolean> {
    const secret = await this.#secrets.find(kid);
    if (!secret) return false;
    const expected = mac(secret, text);
    return signature.length === expected.length && timingSafeEqual(expected, signature);
  }
}

const mac = (secret: Buffer, text: string) => createHmac('sha256', secret).update(text).digest();
