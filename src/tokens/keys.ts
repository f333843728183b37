import type { CryptoKey, JWK } from 'jose';
import { errors, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { Db } from '../db.ts';
import type { KeyRow } from '../signing-keys.queries.ts';
import { listKeys } from '../signing-keys.queries.ts';
import { currentKey } from '../signing-keys.ts';
import { dateFromTimestamp } from '../time.ts';

const ALGORITHM = 'RS256';
/** How long a process goes on with the keys that it knows. */
const KEEP_MS = 60_000;
/** A token may name a key that was made elsewhere a moment ago; tokens that name any nonsense must not cost a query each. */
const RELOAD_MS = 1_000;

/** As in a JWK set (RFC 7517): enough to check a token's signature without asking us. */
export type PublicKey = Record<'kty' | 'kid' | 'alg' | 'use' | 'n' | 'e', string>;

export interface TokenKeys {
  signing(): { kid: string; key: CryptoKey };
  /** Throws jose's error for a `kid` that is unknown, or that was retired longer ago than any of its tokens lives. */
  verifying(kid: unknown): Promise<CryptoKey>;
  published(): Promise<PublicKey[]>;
}

interface Loaded {
  at: number;
  signing: { kid: string; key: CryptoKey };
  verifying: Map<string, CryptoKey>;
  published: PublicKey[];
}

/** The platform's RS256 keys; the first is made here, by one of the processes that start at once. */
export async function openTokenKeys(db: Db, accessLifetimeMs: number): Promise<TokenKeys> {
  let loading: Promise<Loaded> | undefined;
  let loaded = await load();

  async function load(): Promise<Loaded> {
    const current = await currentKey(db, 'token', makeKey);
    const rows = (await listKeys(db, 'token')).filter((row) => isStillChecked(row, accessLifetimeMs));
    const publicKeys = rows.map(publicPart);
    const verifying = new Map<string, CryptoKey>();
    for (const key of publicKeys) verifying.set(key.kid, (await importJWK(key, ALGORITHM)) as CryptoKey);
    return {
      at: performance.now(),
      signing: { kid: current.kid, key: (await importJWK(current.material as JWK, ALGORITHM)) as CryptoKey },
      verifying,
      published: publicKeys,
    };
  }

  const isOlderThan = (ms: number) => performance.now() - loaded.at > ms;
  async function reload() {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    loaded = await loading;
  }
  /** Does not wait: whoever signs inside a transaction holds a connection, and must not stand in line for another. */
  function keepFresh() {
    if (isOlderThan(KEEP_MS)) reload().catch(() => {});
  }

  return {
    signing() {
      keepFresh();
      return loaded.signing;
    },
    async verifying(kid) {
      keepFresh();
      if (typeof kid === 'string' && !loaded.verifying.has(kid) && isOlderThan(RELOAD_MS)) await reload();
      const key = typeof kid === 'string' ? loaded.verifying.get(kid) : undefined;
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key;
    },
    async published() {
      if (isOlderThan(RELOAD_MS)) await reload();
      return loaded.published;
    },
  };
}

async function makeKey(): Promise<Record<string, unknown>> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true });
  return { ...(await exportJWK(privateKey)) };
}

const isStillChecked = (row: KeyRow, lifetimeMs: number) =>
  row.retiredAt === undefined || Date.now() - dateFromTimestamp(row.retiredAt).getTime() < lifetimeMs;

function publicPart({ kid, material }: KeyRow): PublicKey {
  const { kty, n, e } = material;
  if (typeof kty !== 'string' || typeof n !== 'string' || typeof e !== 'string')
    throw new Error(`Key ${kid} is no RSA key.`);
  return { kty, kid, alg: ALGORITHM, use: 'sig', n, e };
}
