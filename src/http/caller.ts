import { z } from 'zod';
import { forbidden } from '../errors.ts';

/** Who is asking: one small value, made in one place (`tokens/`), passed on to every rule. */
export interface Caller {
  /** Uuid of the account, or of the API key. */
  readonly userId: string;
  /** Login id of the account, or the key's id. */
  readonly accountId: string;
  /** The login id without its letter case, as Postgres's `fold_name` has it; permissions are compared with it. */
  readonly foldedId: string;
  /** Where lists look and creations go: named by the tenant header, else the home tenant. */
  readonly tenantId?: string;
  /** Memberships, after the tenant header narrowed them. */
  readonly tenants: readonly { readonly id: string; readonly role: 'Owner' | 'Member' }[];
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly via: 'token' | 'key' | 'basic';
  /** Of an API key: its role on every project of its tenant. */
  readonly key?: { readonly tenantId: string; readonly role: 'Owner' | 'Contributor' | 'Reader' };
  /** Network address the request came from, and its id: for audit rows and logs. */
  readonly address: string;
  readonly requestId: string;
  /** Where what the request starts belongs, when it is traced (W3C). */
  readonly traceparent?: string;
  /** Why the caller does it, as the header `audit-reason` says: for audit rows. */
  readonly reason?: string;
}

export const isAdministrator = (caller: Caller) => caller.groups.includes('Administrators');
export const isEditor = (caller: Caller) => caller.groups.includes('Editors') || isAdministrator(caller);
export const ownedTenants = (caller: Caller) =>
  caller.tenants.filter((tenant) => tenant.role === 'Owner').map((tenant) => tenant.id);

/**
 * The caller as it acts in the tenant that a header names: of its own tenants only that one counts. Refuses another's tenant, unless
 * `anyTenant`: administrators may name any where accounts and tenants are managed, but hold no role in it.
 */
export function actingIn(caller: Caller, tenantId: string, { anyTenant }: { anyTenant: boolean }): Caller {
  const id = tenantId.toLowerCase();
  const tenants = caller.tenants.filter((tenant) => tenant.id === id);
  if (tenants.length === 0 && !(anyTenant && isAdministrator(caller) && z.uuid().safeParse(id).success))
    throw forbidden(`You are not a member of tenant '${tenantId}'.`);
  return { ...caller, tenantId: id, tenants };
}
