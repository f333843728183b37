import { isHomeTenant, replaceHomeTenant, userExists } from '../accounts/queries.ts';
import { audit, by, compareMembers } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { conflict, forbidden, invalidMember } from '../errors.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { governs, lockGoverned, visibleTenant } from './access.ts';
import { deleteMembers, listMembers, listOwnerNames, type Role } from './members.queries.ts';
import { join } from './members.ts';
import {
  deleteTenant,
  findHeld,
  insertTenant,
  listTenants,
  lockTenantForDelete,
  type OffsetPage,
  type TenantRow,
  updateTenant,
} from './queries.ts';

/** A tenant in answers. `members` only for callers who may manage it. */
export interface Tenant extends TenantRow {
  members?: { userId: string; role: Role }[];
  /** Names of Owners, whom its members ask for rights. */
  owners?: string[];
}

const MOST_OWNERS = 5;

/** Tenants of the caller, with the caller's role in each. */
export async function myTenants(db: Reads, { tenants }: Caller) {
  const roles = new Map(tenants.map(({ id, role }) => [id, role]));
  const rows = await listTenants(db, [...roles.keys()], {});
  return rows.map((tenant) => ({ ...tenant, role: roles.get(tenant.id) ?? 'Member' }));
}

/** All tenants for administrators, else the caller's own. */
export const tenantsSeenBy = (db: Reads, caller: Caller, window: OffsetPage) =>
  listTenants(db, isAdministrator(caller) ? undefined : caller.tenants.map((tenant) => tenant.id), window);

export const getTenant = async (db: Reads, caller: Caller, id: string) =>
  complete(db, caller, await visibleTenant(db, caller, id));

/** Creates a tenant. The caller does not become a member. */
export const createTenant = (db: Database, caller: Caller, newTenant: { name: string; ownerUserId?: string }) =>
  db.transaction(async (tx) => {
    const { ownerUserId } = newTenant;
    if (ownerUserId !== undefined && !(await userExists(tx, ownerUserId)))
      throw invalidMember('ownerUserId', `User '${ownerUserId}' does not exist.`);
    const tenant = await insertTenant(tx, newTenant.name, caller.userId);
    if (ownerUserId !== undefined) await join(tx, tenant.id, ownerUserId, 'Owner');
    await audit(tx, {
      action: 'tenant.create',
      subject: tenant.id,
      tenantId: tenant.id,
      ...by(caller),
      details: { ...newTenant },
    });
    return complete(tx, caller, tenant);
  });

export interface TenantChange {
  name?: string;
  weight?: number;
  /** `default`: as the platform's setting. */
  recycleBinDays?: number | 'default';
  /** Version that the caller read. */
  rowVersion?: string | undefined;
}

/**
 * Updates a tenant. Owners may change the name; administrators also the weight in the queue and the retention of the
 * recycle bin.
 */
export const changeTenant = (db: Database, caller: Caller, id: string, change: TenantChange) =>
  db.transaction(async (tx) => {
    const before = await lockGoverned(tx, caller, id);
    if (change.weight !== undefined && change.weight !== before.weight && !isAdministrator(caller))
      throw forbidden('Only administrators may change the weight of a tenant.');
    const { recycleBinDays = before.recycleBinDays ?? 'default', rowVersion, ...rest } = change;
    checkRowVersion('Tenant', before, rowVersion);
    const days = recycleBinDays === 'default' ? undefined : recycleBinDays;
    if (days !== before.recycleBinDays && !isAdministrator(caller))
      throw forbidden('Only administrators may change the recycleBinDays of a tenant.');
    const tenant = await updateTenant(tx, id, { ...before, ...rest, recycleBinDays: days, updatedBy: caller.userId });
    const settings = ({ name, weight, recycleBinDays }: TenantRow) => ({ name, weight, recycleBinDays });
    const details = compareMembers(settings(before), settings(tenant));
    await audit(tx, { action: 'tenant.change', subject: id, tenantId: id, ...by(caller), details });
    return complete(tx, caller, tenant);
  });

/**
 * Deletes an empty tenant. Accounts of its members stay; those with it as home tenant get another of their tenants as
 * home.
 */
export const removeTenant = (db: Database, caller: Caller, id: string) =>
  db.transaction(async (tx) => {
    const { name } = await lockGoverned(tx, caller, id);
    if (await isHomeTenant(tx, id, caller.userId))
      throw conflict(`Tenant '${id}' is your home tenant. Ask another administrator to delete it.`, {
        code: 'HomeTenant',
      });
    await lockTenantForDelete(tx, id);
    const held = await findHeld(tx, id);
    if (held.projects)
      throw conflict(`Tenant '${id}' has projects. Delete them, also from the recycle bin.`, {
        code: 'TenantNotEmpty',
      });
    if (held.keys) throw conflict(`Tenant '${id}' has API keys. Revoke them first.`, { code: 'TenantNotEmpty' });
    if (held.credits)
      throw conflict(`Tenant '${id}' has credits. Move them to the generic pool, and end its reservations.`, {
        code: 'TenantNotEmpty',
      });
    await deleteMembers(tx, id);
    await replaceHomeTenant(tx, id);
    await deleteTenant(tx, id);
    await audit(tx, { action: 'tenant.delete', subject: id, tenantId: id, ...by(caller), details: { name } });
  });

async function complete(db: Reads, caller: Caller, tenant: TenantRow): Promise<Tenant> {
  const owners = [...(await listOwnerNames(db, tenant.id, MOST_OWNERS))];
  if (!governs(caller, tenant.id)) return { ...tenant, owners };
  const members = await listMembers(db, tenant.id);
  return { ...tenant, owners, members: members.map(({ userId, role }) => ({ userId, role })) };
}
