import { z } from 'zod';
import { forbidden } from '../errors.ts';

/** The authenticated caller of a request. */
export interface Caller {
  /** UUID of the account or of the API key. */
  readonly userId: string;
  /** Login id of the account, or id of the API key. */
  readonly accountId: string;
  /** The case-folded login id (SQL function `fold_name`), to compare with permissions. */
  readonly foldedId: string;
  /** Current tenant, for lists and new objects: the tenant header, else the home tenant. */
  readonly tenantId?: string;
  /** Memberships; with a tenant header, only the membership in that tenant. */
  readonly tenants: readonly { readonly id: string; readonly role: 'Owner' | 'Member' }[];
  /** With a tenant header: all memberships. What a tenant denies its members holds whatever tenant a request names. */
  readonly allTenants?: Caller['tenants'];
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly via: 'token' | 'key' | 'basic';
  /** The login of the access token. Absent: the credentials belong to no login of the platform. */
  readonly familyId?: string;
  /** Milliseconds since 1970: when the caller proved with a password who it is. Absent: unknown. */
  readonly loggedInAt?: number;
  /** Milliseconds since 1970: when the credentials expire. Absent: never. */
  readonly expires?: number;
  /** For API keys: the role in every project of the tenant. */
  readonly key?: { readonly tenantId: string; readonly role: 'Owner' | 'Contributor' | 'Reader' };
  /** Client address and request id, for the audit trail and logs. */
  readonly address: string;
  readonly requestId: string;
  /** User-Agent of the request, for the audit trail. */
  readonly agent?: string | undefined;
  /** W3C trace context for jobs that the request starts, if it is traced. */
  readonly traceparent?: string;
  /** The header `audit-reason`, for the audit trail. */
  readonly reason?: string;
}

export const isAdministrator = (caller: Caller) => caller.groups.includes('Administrators');
export const isEditor = (caller: Caller) => caller.groups.includes('Editors') || isAdministrator(caller);
export const ownedTenants = (caller: Caller) =>
  caller.tenants.filter((tenant) => tenant.role === 'Owner').map((tenant) => tenant.id);

/**
 * Tenants whose denials hold for the caller, whatever tenant the request names. Nothing is denied to the Owner of a
 * tenant, also when the header names another one.
 */
export const denyingTenants = ({ tenants, allTenants = tenants }: Caller) =>
  allTenants.filter((one) => one.role !== 'Owner' || tenants.some(({ id }) => id === one.id)).map(({ id }) => id);

/**
 * The caller with this current tenant and only its membership. Throws `forbidden` if the caller is not a member. With
 * `anyTenant`, administrators may name any tenant; they get no role in it.
 */
export function actingIn(caller: Caller, tenantId: string, { anyTenant }: { anyTenant: boolean }): Caller {
  const id = tenantId.toLowerCase();
  const tenants = caller.tenants.filter((tenant) => tenant.id === id);
  if (tenants.length === 0 && !(anyTenant && isAdministrator(caller) && z.guid().safeParse(id).success))
    throw forbidden(`You are not a member of tenant '${tenantId}'.`);
  return { ...caller, tenantId: id, tenants, allTenants: caller.allTenants ?? caller.tenants };
}
