import { createHash } from 'node:crypto';
import { loadOnce } from 'hydrofiles/caches';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import { contains, parseAddress, parseNetwork } from '../platform/net/networks.ts';
import { findHolder, type Holder, recordUse } from './queries.ts';

/** Maximum time until a revocation by another process takes effect. */
const KEEP_MS = 5_000;
const MAX_KEPT = 10_000;

/** API key and origin of a request. */
export interface PresentedKey extends Origin {
  key: string;
  /** Must be absent, because it could name another caller than the key. */
  authorization: string | undefined;
}

/**
 * API keys, cached for some seconds, so that most requests need no query. Wrong keys are refused at once: nobody
 * guesses one of 122 random bits, and a program with a dead key must not delay the logins of its address.
 */
export class ApiKeys {
  readonly #db: Database;
  readonly #scopes: readonly string[];
  readonly #cache = new LRUCache<string, Promise<Holder | null>>({ max: MAX_KEPT, ttl: KEEP_MS });

  /** @param scopes of every key */
  constructor(db: Database, scopes: readonly string[]) {
    this.#db = db;
    this.#scopes = scopes;
  }

  /**
   * Checks a key and returns its caller. Throws `unauthenticated` if the key is unknown, expired or revoked,
   * `forbidden` if the address of the request is outside of the key's allowed networks.
   */
  async find({ key, authorization, address, agent, requestId }: PresentedKey): Promise<Caller> {
    if (authorization !== undefined) {
      throw invalid('The request has an API key and an Authorization header. Send only one of them.', {
        code: 'TwoCredentials',
      });
    }
    const hash = hashKey(key);
    const holder = await loadOnce(this.#cache, hash.toString('base64'), () => findHolder(this.#db, hash));
    if (!holder || (holder.expires !== undefined && holder.expires <= Date.now()))
      throw new AppError('unauthenticated', 'The API key is unknown, expired or revoked.');
    if (!isAllowed(holder, address))
      throw forbidden(`This API key may not be used from the address ${address}.`, { code: 'NetworkNotAllowed' });
    if (!holder.usedLately) {
      holder.usedLately = true;
      const { id } = holder;
      await this.#db.transaction((tx) => recordUse(tx, id, address));
    }
    const { expires } = holder;
    const scopes = this.#scopes;
    return callerWithKey(holder, { scopes, address, agent, requestId, ...(expires === undefined ? {} : { expires }) });
  }

  /** Empties the cache, so that a change by this process is seen at once. */
  clear(): void {
    this.#cache.clear();
  }
}

/** Keys are UUIDs, so letter case is ignored. */
export const hashKey = (key: string) => createHash('sha256').update(key.toLowerCase()).digest();

function isAllowed({ allowedNetworks }: Holder, address: string): boolean {
  if (allowedNetworks.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== undefined && allowedNetworks.some((network) => contains(parseNetwork(network), parsed));
}

/** A key is a Member of its tenant even if its role in projects is Owner, so that it cannot create keys or members. */
export const callerWithKey = (
  { id, tenantId, role }: Pick<Holder, 'id' | 'tenantId' | 'role'>,
  more: Pick<Caller, 'scopes' | 'address' | 'agent' | 'requestId' | 'expires'>,
): Caller => ({
  userId: id,
  accountId: id,
  foldedId: id,
  tenantId,
  tenants: [{ id: tenantId, role: 'Member' }],
  groups: [],
  roles: [],
  via: 'key',
  key: { tenantId, role },
  ...more,
});
