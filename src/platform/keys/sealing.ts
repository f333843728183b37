import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Db } from '../../db.ts';
import { openSecrets } from './secrets.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Key ids are UUIDs. */
const KID_BYTES = 16;

/**
 * Encrypts with AES-256-GCM. `context` is authenticated too: a secret that is copied to another row does not decrypt
 * there.
 */
export function sealWith(key: Uint8Array, text: string, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Decrypts. Undefined if the key or context differs, or if the bytes were changed. */
export function openWith(key: Uint8Array, sealed: Uint8Array, context: string): string | undefined {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Encrypts secrets for the database. */
export interface Sealer {
  seal(text: string, context: string): Buffer;
  /** Decrypts with the key that encrypted, also a retired one. Throws if the key is unknown or the context differs. */
  open(sealed: Uint8Array, context: string): Promise<string>;
}

/** Keeps its keys in memory. Call it at start and outside of transactions, like `openSecrets`. */
export async function openSealer(db: Db): Promise<Sealer> {
  const secrets = await openSecrets(db, 'seal');
  return {
    seal(text, context) {
      const { kid, secret } = secrets.currentNow();
      return Buffer.concat([bytesOf(kid), sealWith(secret, text, context)]);
    },
    async open(sealed, context) {
      const kid = uuidOf(sealed.subarray(0, KID_BYTES));
      const secret = await secrets.find(kid);
      if (!secret) throw new Error(`The key ${kid} that encrypted a secret does not exist.`);
      const text = openWith(secret, sealed.subarray(KID_BYTES), context);
      if (text === undefined)
        throw new Error('A secret cannot be decrypted: it was changed or copied from another row.');
      return text;
    },
  };
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const uuidOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
