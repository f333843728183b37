import type { Reads } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Identities } from '../tokens/identities.ts';
import { findKey } from './queries.ts';

/** The caller, with its role in its current tenant; without a role if it is an administrator who is not a member. */
export async function whoAmI({ db, identities }: { db: Reads; identities: Identities }, caller: Caller) {
  const { name, email } = caller.key ? await nameOfKey(db, caller) : await nameOfAccount(identities, caller);
  return {
    id: caller.userId,
    name,
    email,
    role: caller.tenants.find((tenant) => tenant.id === caller.tenantId)?.role,
    tenantId: caller.tenantId,
  };
}

async function nameOfAccount(identities: Identities, { userId, accountId }: Caller) {
  const identity = await identities.find(userId);
  if (!identity) throw notFound('Account', accountId);
  return { name: identity.name, email: identity.email };
}

async function nameOfKey(db: Reads, { userId }: Caller) {
  const key = await findKey(db, userId);
  if (!key) throw notFound('API key', userId);
  return { name: key.name, email: undefined };
}
