import type { Db } from '../db.ts';
import { forbidden, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { isAdministrator } from '../http/caller.ts';
import type { TenantRow } from './queries.ts';
import { findTenant, lockTenant } from './queries.ts';

const roleIn = (caller: Caller, tenantId: string) => caller.tenants.find((tenant) => tenant.id === tenantId)?.role;

/** Members see their tenants, administrators all. */
export async function visibleTenant(db: Db, caller: Caller, id: string): Promise<TenantRow> {
  const tenant = roleIn(caller, id) || isAdministrator(caller) ? await findTenant(db, id) : undefined;
  if (!tenant) throw notFound('Tenant', id);
  return tenant;
}

/** Whoever has the say in a tenant: its Owners, and administrators. */
export const governs = (caller: Caller, tenantId: string) =>
  isAdministrator(caller) || roleIn(caller, tenantId) === 'Owner';

/** The tenant, locked against other changes of it and of its members until `tx` ends. Other members may see it but not change it. */
export async function lockGoverned(tx: Db, caller: Caller, id: string): Promise<TenantRow> {
  await visibleTenant(tx, caller, id);
  if (!governs(caller, id)) throw forbidden('Only Owners of the tenant and administrators may do this.');
  const tenant = await lockTenant(tx, id);
  if (!tenant) throw notFound('Tenant', id);
  return tenant;
}
