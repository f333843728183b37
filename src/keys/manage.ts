import { randomUUID } from 'node:crypto';
import { audit, by } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { forbidden, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { parseNetwork } from '../platform/net/networks.ts';
import { timestampFromText } from '../platform/text/time.ts';
import { governs } from '../tenants/access.ts';
import { lockTenant } from '../tenants/queries.ts';
import { hashKey } from './authenticate.ts';
import { deleteKey, findKey, insertKey, type KeyRole, type KeyRow, listKeys } from './queries.ts';

export interface KeyRequest {
  name: string;
  role: KeyRole;
  expiresAt?: string | undefined;
  /** Empty or absent: all networks. */
  allowedNetworks?: string[] | undefined;
}

/**
 * Creates a key of the caller's current tenant. Only the returned value contains the secret; the database stores its
 * hash.
 */
export async function createKey(db: Database, caller: Caller, request: KeyRequest): Promise<KeyRow & { key: string }> {
  const tenantId = governedTenant(caller);
  const { name, role, expiresAt, allowedNetworks = [] } = request;
  checkNetworks(allowedNetworks);
  const key = randomUUID();
  return db.transaction(async (tx) => {
    if (!(await lockTenant(tx, tenantId))) throw notFound('Tenant', tenantId);
    const created = await insertKey(tx, {
      tenantId,
      name,
      role,
      hash: hashKey(key),
      expiresAt: expiresAt === undefined ? undefined : { given: expiresAt, time: parseExpiry(expiresAt) },
      allowedNetworks,
      createdBy: caller.userId,
    });
    await audit(tx, {
      action: 'key.create',
      subject: created.id,
      tenantId,
      ...by(caller),
      details: detailsOf(created),
    });
    return { ...created, key };
  });
}

export const listCallersKeys = async (db: Reads, caller: Caller, window: { offset?: number; limit?: number }) =>
  listKeys(db, governedTenant(caller), window);

/**
 * Deletes a key with its memberships in projects. Objects that it created stay and refer to its id. The audit row
 * describes the key and its last use.
 */
export const revokeKey = (db: Database, caller: Caller, id: string) =>
  db.transaction(async (tx) => {
    const key = await findKey(tx, id);
    if (!key || !governs(caller, key.tenantId)) throw notFound('API key', id);
    const revoked = await deleteKey(tx, id);
    if (!revoked) throw notFound('API key', id);
    const { tenantId, lastUsedAt, lastUsedFrom } = revoked;
    const details = { ...detailsOf(revoked), lastUsedAt, lastUsedFrom };
    await audit(tx, { action: 'key.revoke', subject: id, tenantId, ...by(caller), details });
  });

function governedTenant(caller: Caller): string {
  const { tenantId } = caller;
  if (tenantId === undefined) throw forbidden('You are not a member of a tenant, so you cannot manage API keys.');
  if (!governs(caller, tenantId)) throw forbidden('Only Owners of the tenant and administrators may manage its keys.');
  return tenantId;
}

/** Details for the audit trail. */
const detailsOf = ({ name, role, expiresAt, allowedNetworks }: KeyRow) => ({ name, role, expiresAt, allowedNetworks });

function checkNetworks(networks: readonly string[]) {
  networks.forEach((network, index) => {
    try {
      parseNetwork(network);
    } catch (error) {
      throw invalidMember(`allowedNetworks[${index}]`, (error as Error).message);
    }
  });
}

function parseExpiry(text: string): string {
  const time = timestampFromText(text);
  if (time === undefined)
    throw invalidMember('expiresAt', `'${text}' is not a time such as 2026-12-31T18:00:00Z or 2026-12-31.`);
  return `${time}Z`;
}
