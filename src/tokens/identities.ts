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
export class Identities {
  readonly #db: Reads;
  readonly #cache = new LRUCache<string, Promise<Identity | undefined>>({ max: MAX_KEPT, ttl: KEEP_MS });

  constructor(db: Reads) {
    this.#db = db;
  }

  find(userId: string): Promise<Identity | undefined> {
    return this.#load(userId, () => findIdentity(this.#db, userId));
  }

  /** The account of an access token; undefined when the login of the token has ended. */
  findByLogin(userId: string, login: LoginOfToken): Promise<Identity | undefined> {
    const name = 'familyId' in login ? login.familyId : login.issuedAt.toISOString();
    return this.#load(`login ${userId} ${name}`, () => findIdentityOfLogin(this.#db, userId, login));
  }

  /** By login id in its exact spelling: another authorization server may distinguish `Ann` from `ann`. */
  findByLoginId(id: string): Promise<Identity | undefined> {
    return this.#load(`login id ${id}`, () => findIdentityByLoginId(this.#db, id));
  }

  /** Empties the cache, so that a change by this process is seen at once. */
  clear(): void {
    this.#cache.clear();
  }

  #load(key: string, find: () => Promise<Identity | null>) {
    return loadOnce(this.#cache, key, async () => (await find()) ?? undefined);
  }
}
