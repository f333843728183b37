import type { Database, Reads } from '../../db.ts';
import { openWith, sealWith } from './encryption.ts';
import type { KeyStore } from './key-store.ts';
import { Secrets } from './secrets.ts';

/** Key ids are UUIDs. */
const KID_BYTES = 16;

/** Encrypts secrets for the database. */
export interface Sealer {
  seal(text: string, context: string): Buffer;
  /**
   * Decrypts with the key that encrypted, also a retired one. Throws if the key is unknown or the context differs.
   * @param tx the open transaction, if there is one: a key that another process has made is read in it
   */
  open(sealed: Uint8Array, context: string, tx?: Reads): Promise<string>;
  /** The first bytes of what `seal` returns now; they differ for another key. */
  keyPrefix(): Buffer;
}

/** Keeps its keys in memory. Call it at start and outside of transactions, like `Secrets.open`. */
export async function openSealer(db: Database, keys: KeyStore): Promise<Sealer> {
  const secrets = await Secrets.open(db, keys, 'seal');
  return {
    seal(text, context) {
      const { kid, secret } = secrets.currentNow();
      return Buffer.concat([uuidToBytes(kid), sealWith(secret, text, context)]);
    },
    async open(sealed, context, tx) {
      const kid = bytesToUuid(sealed.subarray(0, KID_BYTES));
      const secret = await secrets.find(kid, tx);
      if (!secret) throw new Error(`The key ${kid} that encrypted a secret does not exist.`);
      const text = openWith(secret, sealed.subarray(KID_BYTES), context);
      if (text === undefined)
        throw new Error('A secret cannot be decrypted: it was changed or copied from another row.');
      return text;
    },
    keyPrefix: () => uuidToBytes(secrets.currentNow().kid),
  };
}

const uuidToBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const bytesToUuid = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
