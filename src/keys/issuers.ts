import { loadOnce } from 'hydrofiles/caches';
import { LRUCache } from 'lru-cache';
import type { Reads } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { holderOf } from '../tokens/caller.ts';
import { findIdentity } from '../tokens/queries.ts';
import { scopesInToken } from '../tokens/scopes.ts';
import { callerWithKey } from './authenticate.ts';
import { findValidKey } from './queries.ts';

/** Maximum time until changes by other processes are seen; rights to tiles hold for a second more. */
const KEEP_MS = 3000;
const MAX_KEPT = 10_000;
const NOWHERE = { scopes: [], address: '', requestId: '' };

/**
 * An account or API key as if it called now, with its present groups, roles and tenants. Undefined if it could not make
 * a request: it was deleted or disabled, or has expired.
 */
export async function findPresentCaller(
  db: Reads,
  userId: string,
  context: Pick<Caller, 'scopes' | 'address' | 'requestId'>,
): Promise<Caller | undefined> {
  const identity = await findIdentity(db, userId);
  if (identity) {
    if (!identity.enabled || !identity.activated) return undefined;
    return { ...holderOf(identity), via: 'token', ...context, scopes: scopesInToken(identity, context.scopes) };
  }
  const key = await findValidKey(db, userId);
  return key ? callerWithKey(key, context) : undefined;
}

/** Issuers of signed links, kept for seconds: a link is good for what its issuer may do at its use. */
export class Issuers {
  readonly #db: Reads;
  readonly #cache = new LRUCache<string, Promise<Caller | undefined>>({ max: MAX_KEPT, ttl: KEEP_MS });

  constructor(db: Reads) {
    this.#db = db;
  }

  /** The issuer as it is now. Undefined if its account or key has ended, and with it its links. */
  find(id: string): Promise<Caller | undefined> {
    return loadOnce(this.#cache, id, () => findPresentCaller(this.#db, id, NOWHERE));
  }

  clear(): void {
    this.#cache.clear();
  }
}
