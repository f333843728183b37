import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Identities } from './identities.ts';

/** The caller, and its role in the tenant that it acts in; none in a tenant that it only administers. */
export async function whoAmI(identities: Identities, caller: Caller) {
  const identity = await identities.find(caller.userId);
  if (!identity) throw notFound('Account', caller.accountId);
  return {
    id: caller.userId,
    name: identity.name,
    email: identity.email,
    role: caller.tenants.find((tenant) => tenant.id === caller.tenantId)?.role,
    tenantId: caller.tenantId,
  };
}
