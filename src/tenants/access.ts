import type { Reads, Transaction } from '../db.ts';
import { forbidden, notFound } from '../errors.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';
import { findTenant, lockTenant, type TenantRow } from './queries.ts';

const roleIn = (caller: Caller, tenantId: string) => caller.tenants.find((tenant) => tenant.id === tenantId)?.role;

/**
 * Returns a tenant that the caller sees: members see their tenants, administrators all. Otherwise throws `notFound`.
 */
export async function visibleTenant(db: Reads, caller: Caller, id: string): Promise<TenantRow> {
  const tenant = roleIn(caller, id) || isAdministrator(caller) ? await findTenant(db, id) : undefined;
  if (!tenant) throw notFound('Tenant', id);
  return tenant;
}

/** Whether the caller may manage the tenant: Owners and administrators may. */
export const governs = (caller: Caller, tenantId: string) =>
  isAdministrator(caller) || roleIn(caller, tenantId) === 'Owner';

/**
 * Locks the tenant and its members against other changes until `tx` ends. Throws `forbidden` for members who may not
 * manage it.
 */
export async function lockGoverned(tx: Transaction, caller: Caller, id: string): Promise<TenantRow> {
  await visibleTenant(tx, caller, id);
  if (!governs(caller, id)) throw forbidden(`Only Owners and administrators may change tenant '${id}'.`);
  const tenant = await lockTenant(tx, id);
  if (!tenant) throw notFound('Tenant', id);
  return tenant;
}
