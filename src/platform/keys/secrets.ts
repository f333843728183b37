import { randomBytes } from 'node:crypto';
import type { Database, Reads } from '../../db.ts';
import type { KeyRow, KeyStore } from './key-store.ts';
import type { KeyUse } from './signing-keys.queries.ts';

/** Maximum time that a process uses a key after another process has retired it. */
const KEEP_MS = 60_000;

export interface Secret {
  /** Key id. */
  kid: string;
  /** 256 bits. */
  secret: Buffer;
}

/** The symmetric keys of one use, cached in memory. */
export class Secrets {
  readonly #db: Database;
  readonly #keys: KeyStore;
  readonly #use: Exclude<KeyUse, 'token'>;
  readonly #found = new Map<string, Buffer>();
  #latest!: Secret;
  #readAt = 0;
  #reading: Promise<void> | undefined;

  private constructor(db: Database, keys: KeyStore, use: Exclude<KeyUse, 'token'>) {
    this.#db = db;
    this.#keys = keys;
    this.#use = use;
  }

  /**
   * Creates the first key. Call it at start and outside of transactions: after a rollback, the memory would contain a
   * key that does not exist.
   */
  static async open(db: Database, keys: KeyStore, use: Exclude<KeyUse, 'token'>): Promise<Secrets> {
    const secrets = new Secrets(db, keys, use);
    await secrets.#read();
    return secrets;
  }

  /** The current key, at most a minute old. */
  async current(): Promise<Secret> {
    if (this.#isOld()) await this.#readAgain();
    return this.#latest;
  }

  /**
   * The cached current key; reloads it in the background if it is older than a minute. For use inside transactions:
   * their callers hold a connection and must not wait for another.
   */
  currentNow(): Secret {
    // a failed reload is repeated by the next call; until then the cached key is used
    if (this.#isOld()) this.#readAgain().catch(() => {});
    return this.#latest;
  }

  /** A key by its id, also a retired one. */
  async find(kid: string, tx: Reads = this.#db): Promise<Buffer | undefined> {
    const known = this.#found.get(kid);
    if (known) return known;
    const row = await this.#keys.find(tx, this.#use, kid);
    return row ? this.#remember(row).secret : undefined;
  }

  #isOld(): boolean {
    return performance.now() - this.#readAt > KEEP_MS;
  }

  #readAgain(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const make = () => ({ secret: randomBytes(32).toString('base64') });
    this.#latest = this.#remember(await this.#keys.current(this.#db, this.#use, make));
    this.#readAt = performance.now();
  }

  #remember({ kid, material: { secret } }: KeyRow): Secret {
    if (typeof secret !== 'string') throw new Error(`Key ${kid} contains no secret.`);
    const bytes = Buffer.from(secret, 'base64');
    this.#found.set(kid, bytes);
    return { kid, secret: bytes };
  }
}
