import { randomUUID } from 'node:crypto';
import type { Database, Reads, Transaction } from '../../db.ts';
import { openWith, sealWith } from './encryption.ts';
import { SecretKeys } from './secret-key.ts';
import { findSecretKeyId } from './secret-keys.queries.ts';
import {
  findCurrentKey,
  findKey,
  insertFirstKey,
  insertNextKey,
  type KeyUse,
  listKeys,
  type StoredKey,
} from './signing-keys.queries.ts';

export type Material = Record<string, unknown>;
export type KeyRow = Pick<StoredKey, 'kid' | 'material' | 'activatedAt' | 'retiredAt'>;

/** The keys in the database, which a secret key outside of it encrypts if there is one. */
export class KeyStore {
  readonly #secretKeys: SecretKeys;
  /**
   * By key id. A key that this process has read once stays usable, even after a rotation to a secret key that it lacks.
   */
  readonly #materials = new Map<string, Material>();

  constructor(secretKeys = new SecretKeys()) {
    this.#secretKeys = secretKeys;
  }

  /** The current key of a use. Creates it with `make` if there is none; concurrent processes get the same key. */
  async current(db: Database, use: KeyUse, make: () => Promise<Material> | Material): Promise<KeyRow> {
    const found = await findCurrentKey(db, use);
    if (found) return this.#opened(use, found);
    const made = await this.#encrypted(db, use, await make());
    await db.transaction((tx) => insertFirstKey(tx, use, made));
    const current = await findCurrentKey(db, use);
    if (!current) throw new Error(`There is no current key for '${use}'.`);
    return this.#opened(use, current);
  }

  /** A key by its id, also a retired one. */
  async find(db: Reads, use: KeyUse, kid: string): Promise<KeyRow | undefined> {
    const found = await findKey(db, use, kid);
    return found ? this.#opened(use, found) : undefined;
  }

  /** Keys of one use in this order: current, next, retired (last retired first). */
  async list(db: Reads, use: KeyUse): Promise<KeyRow[]> {
    return (await listKeys(db, use)).map((row) => this.#opened(use, row));
  }

  /** Stores the next key unless there is one. */
  async insertNext(tx: Transaction, use: KeyUse, material: Material): Promise<void> {
    await insertNextKey(tx, use, await this.#encrypted(tx, use, material));
  }

  async #encrypted(db: Reads, use: KeyUse, material: Material) {
    const kid = randomUUID();
    const id = await findSecretKeyId(db);
    if (id === null) return { kid, material };
    return { kid, material: encryptMaterial(this.#secretKey(id), use, kid, material), secretKeyId: id };
  }

  #opened(use: KeyUse, row: StoredKey): KeyRow {
    const { kid, secretKeyId } = row;
    const known = this.#materials.get(kid);
    if (known !== undefined) return { ...row, material: known };
    const material =
      secretKeyId === undefined ? row.material : decryptMaterial(this.#secretKey(secretKeyId), use, kid, row.material);
    this.#materials.set(kid, material);
    return { ...row, material };
  }

  #secretKey(id: string): Buffer {
    const found = this.#secretKeys.find(id);
    if (found === undefined) throw new MissingSecretKey(id);
    return found.key;
  }
}

/** The database needs a secret key that this process does not have. */
export class MissingSecretKey extends Error {
  override readonly name = 'MissingSecretKey';
  constructor(id: string) {
    super(
      `The keys in the database are encrypted with the secret key ${id}, which this process does not have. Set PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE to it.`,
    );
  }
}

/** Bound to the row: copied to another one, it does not decrypt. */
const contextOf = (use: string, kid: string) => `${use} key ${kid}`;

export const encryptMaterial = (key: Buffer, use: string, kid: string, material: Material): Material => ({
  sealed: sealWith(key, JSON.stringify(material), contextOf(use, kid)).toString('base64'),
});

export function decryptMaterial(key: Buffer, use: string, kid: string, { sealed }: Material): Material {
  const text = openWith(key, Buffer.from(String(sealed), 'base64'), contextOf(use, kid));
  if (text === undefined) throw new Error(`Key ${kid} cannot be decrypted: it was changed or copied from another row.`);
  return JSON.parse(text);
}
