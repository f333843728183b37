import { randomUUID } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import { errors, exportJWK, generateKeyPair, importJWK } from 'jose';
import { by, record } from '../audit.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { KeyRow } from '../platform/keys/signing-keys.queries.ts';
import { insertNextKey, listKeys, promoteNextKey, removeRetiredKeys } from '../platform/keys/signing-keys.queries.ts';
import { currentKey } from '../platform/keys/signing-keys.ts';
import { dateFromTimestamp } from '../platform/text/time.ts';
import { readKeyFiles } from './key-files.ts';

const ALGORITHM = 'RS256';
/** How long a process goes on with the keys that it knows. */
const KEEP_MS = 60_000;
/** A token may name a key that was made elsewhere a moment ago; tokens that name any nonsense must not cost a query each. */
const RELOAD_MS = 1_000;
const DAY_MS = 86_400_000;

/** As in a JWK set (RFC 7517): enough to check a token's signature without asking us. */
export type PublicKey = Record<'kty' | 'kid' | 'alg' | 'use' | 'n' | 'e', string>;

/** A key as a JWK, and when it was in use. */
export type KeyMaterial = Pick<KeyRow, 'kid' | 'material' | 'activatedAt' | 'retiredAt'>;

export interface KeyState {
  kid: string;
  state: 'signing' | 'next' | 'retired';
  activatedAt?: string;
  retiredAt?: string;
}

export interface TokenKeys {
  /** Learns of changes made by other processes. Before a transaction that signs, or a process that was idle would sign with a key that is long retired. */
  settle(): Promise<void>;
  signing(): { kid: string; key: CryptoKey };
  /** Throws jose's error for a `kid` that is unknown, or that was retired longer ago than any of its tokens lives. */
  verifying(kid: unknown): Promise<CryptoKey>;
  /** The signing key first; the next one is always among them. */
  published(): Promise<PublicKey[]>;
  states(): Promise<KeyState[]>;
  /** The next key becomes the signing one and another next key is made. Have `reload` follow its commit. */
  rotate(caller: Caller): Promise<KeyState[]>;
  reload(): Promise<void>;
}

interface Loaded {
  at: number;
  signing: { kid: string; key: CryptoKey };
  verifying: Map<string, CryptoKey>;
  published: PublicKey[];
  states: KeyState[];
}

type Settings = Pick<Config, 'tokens.accessLifetime' | 'tokens.keyFiles'>;

/** The platform's RS256 keys: an operator's files, or made here, by one of the processes that start at once. */
export async function openTokenKeys(db: Db, settings: Settings): Promise<TokenKeys> {
  const paths = settings['tokens.keyFiles'];
  const files = paths.length > 0 ? await readKeyFiles(paths) : undefined;
  // another process may sign for a while with a key that was retired here
  const checkedMs = settings['tokens.accessLifetime'] + KEEP_MS;
  let loading: Promise<Loaded> | undefined;
  let loaded = await load();

  async function load(): Promise<Loaded> {
    const keys = files ?? (await generatedKeys(db, checkedMs));
    const [first] = keys;
    if (!first) throw new Error('There is no key to sign tokens with.');
    const published = keys.map(publicPart);
    const verifying = new Map<string, CryptoKey>();
    for (const key of published) verifying.set(key.kid, (await importJWK(key, ALGORITHM)) as CryptoKey);
    return {
      at: performance.now(),
      signing: { kid: first.kid, key: (await importJWK(first.material as JWK, ALGORITHM)) as CryptoKey },
      verifying,
      published,
      states: keys.map((key, at) => stateOf(key, at === 0)),
    };
  }

  const isOlderThan = (ms: number) => performance.now() - loaded.at > ms;
  async function reload() {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    loaded = await loading;
  }

  return {
    async settle() {
      if (isOlderThan(KEEP_MS)) await reload();
    },
    // does not look: whoever signs inside a transaction holds a connection, and must not stand in line for another
    signing: () => loaded.signing,
    async verifying(kid) {
      // no token waits for this
      if (isOlderThan(KEEP_MS)) reload().catch(() => {});
      if (typeof kid === 'string' && !loaded.verifying.has(kid) && isOlderThan(RELOAD_MS)) await reload();
      const key = typeof kid === 'string' ? loaded.verifying.get(kid) : undefined;
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key;
    },
    async published() {
      if (isOlderThan(RELOAD_MS)) await reload();
      return loaded.published;
    },
    async states() {
      if (isOlderThan(RELOAD_MS)) await reload();
      return loaded.states;
    },
    async rotate(caller) {
      if (files) {
        const sentence = 'The keys come from files: name the new one first in tokens.keyFiles and start again.';
        throw conflict(sentence, { code: 'KeysComeFromFiles' });
      }
      const next = await makeKey();
      const rows = await db.transaction((tx) => promote(tx, next, caller));
      return rows.filter((row) => isStillChecked(row, checkedMs)).map((row, at) => stateOf(row, at === 0));
    },
    async reload() {
      // one that is under way may have been begun before the change
      await loading?.catch(() => {});
      await reload();
    },
  };
}

async function promote(tx: Db, next: KeyRow['material'], caller: Caller) {
  await promoteNextKey(tx, 'token');
  await insertNextKey(tx, 'token', randomUUID(), next);
  const rows = await listKeys(tx, 'token');
  const [signing, following] = rows;
  await record(tx, {
    action: 'keys.rotate',
    subject: signing?.kid ?? '',
    ...by(caller),
    details: { next: following?.kid },
  });
  return rows;
}

async function generatedKeys(db: Db, checkedMs: number): Promise<KeyMaterial[]> {
  await currentKey(db, 'token', makeKey);
  let rows = await listKeys(db, 'token');
  if (rows.every((row) => row.activatedAt !== undefined)) {
    await insertNextKey(db, 'token', randomUUID(), await makeKey());
    rows = await listKeys(db, 'token');
  }
  return rows.filter((row) => isStillChecked(row, checkedMs));
}

async function makeKey(): Promise<Record<string, unknown>> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true });
  return { ...(await exportJWK(privateKey)) };
}

const isStillChecked = (row: KeyMaterial, checkedMs: number) =>
  row.retiredAt === undefined || Date.now() - dateFromTimestamp(row.retiredAt).getTime() < checkedMs;

function publicPart({ kid, material }: KeyMaterial): PublicKey {
  const { kty, n, e } = material;
  if (typeof kty !== 'string' || typeof n !== 'string' || typeof e !== 'string')
    throw new Error(`Key ${kid} is no RSA key.`);
  return { kty, kid, alg: ALGORITHM, use: 'sig', n, e };
}

const stateOf = ({ kid, activatedAt, retiredAt }: KeyMaterial, signs: boolean): KeyState => ({
  kid,
  state: signs ? 'signing' : retiredAt === undefined ? 'next' : 'retired',
  ...(activatedAt === undefined ? {} : { activatedAt }),
  ...(retiredAt === undefined ? {} : { retiredAt }),
});

/** Part of the hourly clean-up: private parts of keys that nobody needs any more. */
export const forgetRetiredKeys = (db: Db, accessLifetimeMs: number) =>
  removeRetiredKeys(db, 'token', accessLifetimeMs + DAY_MS);
