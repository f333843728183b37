import { type CryptoKey, errors, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { audit, by } from '../audit.ts';
import type { Config } from '../config.ts';
import type { Database, Transaction } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { type KeyRow, KeyStore, type Material } from '../platform/keys/key-store.ts';
import { type SecretKeySettings, SecretKeys } from '../platform/keys/secret-key.ts';
import { promoteNextKey, removeRetiredKeys } from '../platform/keys/signing-keys.queries.ts';
import { dateFromTimestamp } from '../platform/text/time.ts';
import { readKeyFiles } from './key-files.ts';

const ALGORITHM = 'RS256';
/** Maximum age of a process's copy of the keys. */
const KEEP_MS = 60_000;
/**
 * Minimum time between two reads of the keys because of an unknown `kid`: another process may just have made it, or it
 * is made up.
 */
const RELOAD_MS = 1_000;
const DAY_MS = 86_400_000;

/** Public key as in a JWK set (RFC 7517): services verify tokens with it offline. */
export type PublicKey = Record<'kty' | 'kid' | 'alg' | 'use' | 'n' | 'e', string>;

export interface KeyState {
  kid: string;
  state: 'signing' | 'next' | 'retired';
  activatedAt?: string;
  retiredAt?: string;
}

interface Loaded {
  at: number;
  signing: { kid: string; key: CryptoKey };
  verifying: Map<string, CryptoKey>;
  published: PublicKey[];
  states: KeyState[];
}

type Settings = Pick<Config, 'tokens.accessLifetime' | 'tokens.keyFiles'>;

/** RS256 keys that sign access tokens: from files of the operator, else generated and kept in the database. */
export class TokenKeys {
  readonly #db: Database;
  readonly #store: KeyStore;
  /** Keys of the operator. */
  readonly #files: KeyRow[] | undefined;
  /** How long retired keys are accepted: another process may sign with one until its copy is KEEP_MS old. */
  readonly #acceptedMs: number;
  #loading: Promise<Loaded> | undefined;
  #loaded!: Loaded;

  private constructor(db: Database, store: KeyStore, files: KeyRow[] | undefined, acceptedMs: number) {
    this.#db = db;
    this.#store = store;
    this.#files = files;
    this.#acceptedMs = acceptedMs;
  }

  static async open(
    db: Database,
    settings: Settings & SecretKeySettings,
    store = new KeyStore(new SecretKeys(settings)),
  ): Promise<TokenKeys> {
    const paths = settings['tokens.keyFiles'];
    const files = paths.length > 0 ? await readKeyFiles(paths) : undefined;
    const keys = new TokenKeys(db, store, files, settings['tokens.accessLifetime'] + KEEP_MS);
    await keys.#reload();
    return keys;
  }

  /**
   * Reloads keys older than a minute. Call it before a transaction that signs: an idle process would sign with a
   * retired key.
   */
  async refreshIfStale(): Promise<void> {
    if (this.#isOlderThan(KEEP_MS)) await this.#reload();
  }

  /** Never reloads: a caller inside a transaction holds a connection and must not wait for a second one. */
  signing(): Loaded['signing'] {
    return this.#loaded.signing;
  }

  /**
   * Throws `JWKSNoMatchingKey` for a `kid` that is unknown, or was retired so long ago that all of its tokens have
   * expired.
   */
  async verifying(kid: unknown): Promise<CryptoKey> {
    // in the background, so that verification does not wait
    if (this.#isOlderThan(KEEP_MS)) this.#reload().catch(() => {});
    if (typeof kid === 'string' && !this.#loaded.verifying.has(kid) && this.#isOlderThan(RELOAD_MS))
      await this.#reload();
    const key = typeof kid === 'string' ? this.#loaded.verifying.get(kid) : undefined;
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  /** The signing key first, then the next one and the retired ones that are still accepted. */
  async published(): Promise<PublicKey[]> {
    if (this.#isOlderThan(RELOAD_MS)) await this.#reload();
    return this.#loaded.published;
  }

  async states(): Promise<KeyState[]> {
    if (this.#isOlderThan(RELOAD_MS)) await this.#reload();
    return this.#loaded.states;
  }

  /** Makes the next key the signing key, and a new next key. Call `reload` after the commit. */
  async rotate(caller: Caller): Promise<KeyState[]> {
    if (this.#files) {
      const sentence =
        'The keys come from files. To rotate them, put the new file first in tokens.keyFiles and restart.';
      throw conflict(sentence, { code: 'KeysComeFromFiles' });
    }
    const next = await makeKey();
    const rows = await this.#db.transaction((tx) => promote(tx, this.#store, next, caller));
    return rows.filter((row) => isStillAccepted(row, this.#acceptedMs)).map((row, at) => toKeyState(row, at === 0));
  }

  async reload(): Promise<void> {
    // a reload that is running may have read the keys before the change
    await this.#loading?.catch(() => {});
    await this.#reload();
  }

  async #reload() {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    this.#loaded = await this.#loading;
  }

  async #load(): Promise<Loaded> {
    const keys = this.#files ?? (await generatedKeys(this.#db, this.#store, this.#acceptedMs));
    const [first] = keys;
    if (!first) throw new Error('There is no key to sign tokens.');
    const published = keys.map(publicPart);
    const verifying = new Map<string, CryptoKey>();
    for (const key of published) verifying.set(key.kid, (await importJWK(key, ALGORITHM)) as CryptoKey);
    return {
      at: performance.now(),
      signing: { kid: first.kid, key: (await importJWK(first.material as JWK, ALGORITHM)) as CryptoKey },
      verifying,
      published,
      states: keys.map((key, at) => toKeyState(key, at === 0)),
    };
  }

  #isOlderThan(ms: number): boolean {
    return performance.now() - this.#loaded.at > ms;
  }
}

async function promote(tx: Transaction, store: KeyStore, next: Material, caller: Caller) {
  await promoteNextKey(tx, 'token');
  await store.insertNext(tx, 'token', next);
  const rows = await store.list(tx, 'token');
  const [signing, following] = rows;
  await audit(tx, {
    action: 'keys.rotate',
    subject: signing?.kid ?? '',
    ...by(caller),
    details: { next: following?.kid },
  });
  return rows;
}

async function generatedKeys(db: Database, store: KeyStore, acceptedMs: number): Promise<KeyRow[]> {
  await store.current(db, 'token', makeKey);
  let rows = await store.list(db, 'token');
  if (rows.every((row) => row.activatedAt !== undefined)) {
    const next = await makeKey();
    await db.transaction((tx) => store.insertNext(tx, 'token', next));
    rows = await store.list(db, 'token');
  }
  return rows.filter((row) => isStillAccepted(row, acceptedMs));
}

async function makeKey(): Promise<Record<string, unknown>> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true });
  return { ...(await exportJWK(privateKey)) };
}

const isStillAccepted = (row: KeyRow, acceptedMs: number) =>
  row.retiredAt === undefined || Date.now() - dateFromTimestamp(row.retiredAt).getTime() < acceptedMs;

function publicPart({ kid, material }: KeyRow): PublicKey {
  const { kty, n, e } = material;
  if (typeof kty !== 'string' || typeof n !== 'string' || typeof e !== 'string')
    throw new Error(`Key ${kid} is not an RSA key.`);
  return { kty, kid, alg: ALGORITHM, use: 'sig', n, e };
}

const toKeyState = ({ kid, activatedAt, retiredAt }: KeyRow, signs: boolean): KeyState => ({
  kid,
  state: signs ? 'signing' : retiredAt === undefined ? 'next' : 'retired',
  ...(activatedAt === undefined ? {} : { activatedAt }),
  ...(retiredAt === undefined ? {} : { retiredAt }),
});

/** Part of the hourly clean-up: removes retired keys whose tokens have all expired. */
export const forgetRetiredKeys = (db: Database, accessLifetimeMs: number) =>
  db.transaction((tx) => removeRetiredKeys(tx, 'token', accessLifetimeMs + DAY_MS));
