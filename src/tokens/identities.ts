import { loadOnce } from 'hydrofiles/caches';
import { LRUCache } from 'lru-cache';
import type { Reads } from '../db.ts';
import {
  findIdentity,
  findIdentityByLoginId,
  findIdentityOfLogin,
  type Identity,
  type LoginOfToken,
} from './queries.ts';

/**
 * Maximum time until changes by other processes are seen. Rights to tiles hold for a second more, and streams ask every
 * two seconds: in all, a login that ended elsewhere ends here within five seconds.
 */
const KEEP_MS = 3_000;
const MAX_KEPT = 10_000;

/** Cache of accounts: an authenticated request costs no query. */
export interface Identities {
  find(userId: string): Promise<Identity | undefined>;
  /** The account of an access token; undefined when the login of the token has ended. */
  findByLogin(userId: string, login: LoginOfToken): Promise<Identity | undefined>;
  /** By login id in its exact spelling: another authorization server may distinguish `Ann` from `ann`. */
  findByLoginId(id: string): Promise<Identity | undefined>;
  /** Empties the cache, so that a change by this process is seen at once. */
  clear(): void;
}

export function openIdentities(db: Reads): Identities {
  const cache = new LRUCache<string, Promise<Identity | undefined>>({ max: MAX_KEPT, ttl: KEEP_MS });
  return {
    find: (userId) => loadOnce(cache, userId, async () => (await findIdentity(db, userId)) ?? undefined),
    findByLogin(userId, login) {
      const name = 'familyId' in login ? login.familyId : login.issuedAt.toISOString();
      return loadOnce(
        cache,
        `login ${userId} ${name}`,
        async () => (await findIdentityOfLogin(db, userId, login)) ?? undefined,
      );
    },
    findByLoginId: (id) =>
      loadOnce(cache, `login id ${id}`, async () => (await findIdentityByLoginId(db, id)) ?? undefined),
    clear: () => cache.clear(),
  };
}
