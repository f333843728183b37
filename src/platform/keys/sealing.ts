import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Db } from '../../db.ts';
import type { KeyRow } from './signing-keys.queries.ts';
import { findKey } from './signing-keys.queries.ts';
import { currentKey } from './signing-keys.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** A key's name is a uuid. */
const KID_BYTES = 16;
const KEEP_MS = 60_000;

/** Encrypts and authenticates (AES-256-GCM). `context` must be the same at opening: what was moved to another place does not open. */
export function sealWith(key: Uint8Array, text: string, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Nothing when key or context are others, or the bytes were changed. */
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

/** Secrets that must be read again are stored only in this form. */
export interface Sealer {
  seal(text: string, context: string): Buffer;
  /** By the key that sealed it, also when that was retired since. Throws for what was not sealed by a key of ours, or for another context. */
  open(sealed: Uint8Array, context: string): Promise<string>;
}

/** With its keys in memory. Makes the first key, so open it at start and not inside a transaction. */
export async function openSealer(db: Db): Promise<Sealer> {
  const secrets = new Map<string, Buffer>();
  const remember = ({ kid, material: { secret } }: KeyRow) => {
    if (typeof secret !== 'string') throw new Error(`Key ${kid} holds no secret.`);
    const bytes = Buffer.from(secret, 'base64');
    secrets.set(kid, bytes);
    return { kid, secret: bytes };
  };
  const load = async () =>
    remember(await currentKey(db, 'seal', () => ({ secret: randomBytes(32).toString('base64') })));

  let current = await load();
  let loadedAt = performance.now();
  /** Does not wait: whoever seals inside a transaction holds a connection, and must not stand in line for another. */
  function keepFresh() {
    if (performance.now() - loadedAt <= KEEP_MS) return;
    loadedAt = performance.now();
    load().then(
      (key) => {
        current = key;
      },
      () => {},
    );
  }
  return {
    seal(text, context) {
      keepFresh();
      return Buffer.concat([bytesOf(current.kid), sealWith(current.secret, text, context)]);
    },
    async open(sealed, context) {
      const kid = uuidOf(sealed.subarray(0, KID_BYTES));
      let secret = secrets.get(kid);
      if (!secret) {
        const found = await findKey(db, 'seal', kid);
        if (!found) throw new Error(`The key ${kid} that sealed a secret is gone.`);
        secret = remember(found).secret;
      }
      const text = openWith(secret, sealed.subarray(KID_BYTES), context);
      if (text === undefined) throw new Error('A sealed secret does not open: it was changed or moved.');
      return text;
    },
  };
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const uuidOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
