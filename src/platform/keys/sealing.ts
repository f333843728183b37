import type { Database, Reads } from '../../db.ts';
import { openWith, sealWith } from './encryption.ts';
import type { KeyStore } from './key-store.ts';
import { Secrets } from './secrets.ts';

/** Key ids are UUIDs. */
const KID_BYTES = 16;

/** Encrypts secrets for the database. Keeps its keys in memory. */
export class Sealer {
  readonly #secrets: Secrets;

  private constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Call it at start and outside of transactions, like `Secrets.open`. */
  static async open(db: Database, keys: KeyStore): Promise<Sealer> {
    return new Sealer(await Secrets.open(db, keys, 'seal'));
  }

  seal(text: string, context: string): Buffer {
    const { kid, secret } = this.#secrets.currentNow();
    return Buffer.concat([uuidToBytes(kid), sealWith(secret, text, context)]);
  }

  /**
   * Decrypts with the key that encrypted, also a retired one. Throws if the key is unknown or the context differs.
   * @param tx the open transaction, if there is one: a key that another process has made is read in it
   */
  async unseal(sealed: Uint8Array, context: string, tx?: Reads): Promise<string> {
    const kid = bytesToUuid(sealed.subarray(0, KID_BYTES));
    const secret = await this.#secrets.find(kid, tx);
    if (!secret) throw new Error(`The key ${kid} that encrypted a secret does not exist.`);
    const text = openWith(secret, sealed.subarray(KID_BYTES), context);
    if (text === undefined) throw new Error('A secret cannot be decrypted: it was changed or copied from another row.');
    return text;
  }

  /** The first bytes of what `seal` returns now; they differ for another key. */
  keyPrefix(): Buffer {
    return uuidToBytes(this.#secrets.currentNow().kid);
  }
}

const uuidToBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const bytesToUuid = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
