import { createHash } from 'node:crypto';
import type { Db } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import { openTtlCache } from '../platform/async/ttl-cache.ts';
import { contains, parseAddress, parseNetwork } from '../platform/net/networks.ts';
import type { Holder } from './queries.ts';
import { findHolder, noteUse } from './queries.ts';

/** A key that another process revoked is refused after this time at the latest. */
const KEEP_MS = 5_000;

/** What a request shows of its sender, a key among it. */
export interface PresentedKey extends Origin {
  key: string;
  /** Must be absent: two answers to who is asking contradict each other. */
  authorization: string | undefined;
}

export interface ApiKeys {
  /** Who holds this key. Throws `unauthenticated` for one that is unknown, expired or revoked, `forbidden` outside of its networks. */
  find(presented: PresentedKey): Promise<Caller>;
  /** What this process changed shows at once. */
  forgetAll(): void;
}

export interface KeyParts {
  db: Db;
  /** What the tokens of accounts are good for. */
  scopes: readonly string[];
  /** Throws the refusal of a key, late when the address has shown wrong ones before. */
  refuse(from: Pick<Origin, 'address' | 'whenGone'>, refusal: AppError): Promise<never>;
}

/** A request with a key that was seen in the last seconds costs no query. */
export function openApiKeys({ db, scopes, refuse }: KeyParts): ApiKeys {
  const recent = openTtlCache<Holder | null>(KEEP_MS);
  return {
    async find({ key, authorization, address, requestId, whenGone }) {
      if (authorization !== undefined) {
        throw invalid('A request shows either an API key or an Authorization header, not both.', {
          code: 'TwoCredentials',
        });
      }
      const hash = hashOf(key);
      const holder = await recent.find(hash.toString('base64'), () => findHolder(db, hash));
      if (!holder || (holder.expires !== undefined && holder.expires <= Date.now()))
        return refuse(
          { address, whenGone },
          new AppError('unauthenticated', 'The API key is unknown, expired or revoked.'),
        );
      if (!isAllowed(holder, address))
        throw forbidden(`This API key must not be used from the address ${address}.`, { code: 'NetworkNotAllowed' });
      if (!holder.usedLately) {
        holder.usedLately = true;
        await noteUse(db, holder.id, address);
      }
      return callerWithKey(holder, { scopes, address, requestId });
    },
    forgetAll: recent.forgetAll,
  };
}

/** Of a key in any letter case, as uuids are. */
export const hashOf = (key: string) => createHash('sha256').update(key.toLowerCase()).digest();

function isAllowed({ allowedNetworks }: Holder, address: string): boolean {
  if (allowedNetworks.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== undefined && allowedNetworks.some((network) => contains(parseNetwork(network), parsed));
}

/** Not an Owner of the tenant, whatever its role in the projects: a key makes no keys and no members. */
export const callerWithKey = (
  { id, tenantId, role }: Pick<Holder, 'id' | 'tenantId' | 'role'>,
  more: Pick<Caller, 'scopes' | 'address' | 'requestId'>,
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
