import { randomUUID } from 'node:crypto';
import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import { forbidden, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { parseNetwork } from '../platform/net/networks.ts';
import { timestampFromText } from '../platform/text/time.ts';
import { governs } from '../tenants/access.ts';
import { lockTenant } from '../tenants/queries.ts';
import { hashOf } from './holder.ts';
import type { KeyRole, KeyRow } from './queries.ts';
import { deleteKey, findKey, insertKey, listKeys } from './queries.ts';

export interface KeyRequest {
  name: string;
  role: KeyRole;
  expiresAt?: string | undefined;
  /** Empty or absent: the key may be used from everywhere. */
  allowedNetworks?: string[] | undefined;
}

/** Makes a key of the tenant that the caller acts in. Its secret is in the answer and nowhere else. */
export async function createKey(db: Db, caller: Caller, request: KeyRequest): Promise<KeyRow & { key: string }> {
  const tenantId = governedTenant(caller);
  const { name, role, expiresAt, allowedNetworks = [] } = request;
  checkNetworks(allowedNetworks);
  const key = randomUUID();
  return db.transaction(async (tx) => {
    if (!(await lockTenant(tx, tenantId))) throw notFound('Tenant', tenantId);
    const made = await insertKey(tx, {
      tenantId,
      name,
      role,
      hash: hashOf(key),
      expiresAt: expiresAt === undefined ? undefined : { given: expiresAt, time: timeOf(expiresAt) },
      allowedNetworks,
      createdBy: caller.userId,
    });
    await record(tx, { action: 'key.create', subject: made.id, tenantId, ...by(caller), details: whatItWas(made) });
    return { ...made, key };
  });
}

export const keysOf = async (db: Db, caller: Caller, window: { offset?: number; limit?: number }) =>
  listKeys(db, governedTenant(caller), window);

/**
 * From now on the key opens nothing. Its row goes and its memberships in projects with it; what it made stays, under its id. The audit row
 * keeps what the key was and where it was used last.
 */
export const revokeKey = (db: Db, caller: Caller, id: string) =>
  db.transaction(async (tx) => {
    const key = await findKey(tx, id);
    if (!key || !governs(caller, key.tenantId)) throw notFound('API key', id);
    const revoked = await deleteKey(tx, id);
    if (!revoked) throw notFound('API key', id);
    const { tenantId, lastUsedAt, lastUsedFrom } = revoked;
    const details = { ...whatItWas(revoked), lastUsedAt, lastUsedFrom };
    await record(tx, { action: 'key.revoke', subject: id, tenantId, ...by(caller), details });
  });

function governedTenant(caller: Caller): string {
  const { tenantId } = caller;
  if (tenantId === undefined) throw forbidden('You belong to no tenant, so there is none whose keys you could manage.');
  if (!governs(caller, tenantId)) throw forbidden('Only Owners of the tenant and administrators may manage its keys.');
  return tenantId;
}

const whatItWas = ({ name, role, expiresAt, allowedNetworks }: KeyRow) => ({ name, role, expiresAt, allowedNetworks });

function checkNetworks(networks: readonly string[]) {
  networks.forEach((network, index) => {
    try {
      parseNetwork(network);
    } catch (error) {
      throw invalidMember(`allowedNetworks[${index}]`, (error as Error).message);
    }
  });
}

function timeOf(text: string): string {
  const time = timestampFromText(text);
  if (time === undefined)
    throw invalidMember('expiresAt', `'${text}' is no time such as 2026-12-31T18:00:00Z or 2026-12-31.`);
  return `${time}Z`;
}
