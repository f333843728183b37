import type { Db } from '../db.ts';
import { openTtlCache } from '../platform/async/ttl-cache.ts';
import type { Identity } from './queries.ts';
import { findIdentity, findIdentityByLoginId } from './queries.ts';

/** Maximum time until changes by other processes are seen. */
const KEEP_MS = 5_000;

/** Cache of accounts, at most five seconds old: an authenticated request costs no query. */
export interface Identities {
  find(userId: string): Promise<Identity | undefined>;
  /** By login id in its exact spelling: another authorization server may distinguish `Ann` from `ann`. */
  findByLoginId(id: string): Promise<Identity | undefined>;
  /** Empties the cache, so that a change by this process is seen at once. */
  clear(): void;
}

export function openIdentities(db: Db): Identities {
  const cache = openTtlCache<Identity | undefined>(KEEP_MS);
  return {
    find: (userId) => cache.get(userId, async () => (await findIdentity(db, userId)) ?? undefined),
    findByLoginId: (id) => cache.get(`login id ${id}`, async () => (await findIdentityByLoginId(db, id)) ?? undefined),
    clear: cache.clear,
  };
}
