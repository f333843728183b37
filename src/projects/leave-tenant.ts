import { replaceHomeTenant } from '../accounts/queries.ts';
import { audit, by } from '../audit.ts';
import type { Database, Reads, Transaction } from '../db.ts';
import { conflict, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { governs } from '../tenants/access.ts';
import { deleteMember, findRole, hasOtherOwner } from '../tenants/members.queries.ts';
import { keepAnOwner, lockForMembers } from '../tenants/members.ts';
import { findTenant, type OffsetPage } from '../tenants/queries.ts';
import { deleteRolesIn, forgetGoneRolesIn, listRolesIn } from './leave-tenant.queries.ts';
import { listGuests, listTenantGuests } from './members.queries.ts';
import { lockTreesIn } from './tree.ts';

export interface Leaving {
  tenantId: string;
  userId: string;
  /** Keep the roles in projects of the tenant: a member becomes a guest. */
  keepProjectRoles: boolean;
}

/** Roles that end with a membership. */
export interface EndedRoles {
  /** Roles in projects of the tenant. */
  projectRoles: number;
  /** Root projects whose last Owner was the user. The Owners of the tenant take them over. */
  projectsWithoutOwner: number;
}

/**
 * Removes a user from a tenant and, unless asked to keep them, the user's roles in its projects, so that access to the
 * data ends. Of a guest only the roles end.
 */
export const leaveTenant = (db: Database, caller: Caller, leaving: Leaving): Promise<EndedRoles> =>
  db.transaction(async (tx) => {
    const { tenantId, userId, keepProjectRoles } = leaving;
    const { isMember, ...ended } = await checkLeaving(tx, caller, leaving);
    if (!keepProjectRoles) {
      // before the membership ends, and with it what permissions deny: their event is for who could read until now
      await deleteRolesIn(tx, tenantId, userId, caller.userId);
      await forgetGoneRolesIn(tx, tenantId, userId);
    }
    if (isMember) {
      await deleteMember(tx, tenantId, userId);
      await replaceHomeTenant(tx, tenantId);
    }
    const details = { ...ended, keepProjectRoles, ...(!isMember && { guest: true }) };
    await audit(tx, { action: 'tenant.member.remove', subject: userId, tenantId, ...by(caller), details });
    return ended;
  });

/** Guests in projects of a tenant, for its Owners and administrators. Throws `notFound` for others. */
export async function listGuestsOf(db: Reads, caller: Caller, tenantId: string, window: OffsetPage) {
  if (!governs(caller, tenantId) || !(await findTenant(db, tenantId))) throw notFound('Tenant', tenantId);
  return listTenantGuests(db, caller, tenantId, window);
}

/** Dry run of `leaveTenant`: the same checks and counts, no change. */
export const previewLeaving = (db: Database, caller: Caller, leaving: Leaving): Promise<EndedRoles> =>
  db.transaction(async (tx) => {
    const { projectRoles, projectsWithoutOwner } = await checkLeaving(tx, caller, leaving);
    return { projectRoles, projectsWithoutOwner };
  });

async function checkLeaving(tx: Transaction, caller: Caller, { tenantId, userId, keepProjectRoles }: Leaving) {
  await lockForMembers(tx, caller, tenantId);
  const isMember = Boolean(await findRole(tx, tenantId, userId));
  if (isMember) await keepAnOwner(tx, tenantId, userId);
  else if ((await listGuests(tx, tenantId, [userId])).length === 0) throw notFound('Member', userId);
  const roles = keepProjectRoles ? [] : await lockRolesIn(tx, tenantId, userId);
  if (!isMember && roles.length === 0) throw notFound('Member', userId);
  const projectsWithoutOwner = roles.filter(({ ownedAlone }) => ownedAlone).length;
  if (projectsWithoutOwner > 0 && !(await hasOtherOwner(tx, tenantId, userId)))
    throw conflict(
      `User '${userId}' is the last Owner of ${projectsWithoutOwner} projects, and the tenant has no other Owner to take them over. Add an Owner to the tenant first, or send keepProjectRoles=true.`,
      { code: 'LastOwner' },
    );
  return { isMember, projectRoles: roles.length, projectsWithoutOwner };
}

/**
 * Lists the user's roles and locks the trees: until the transaction ends, no subproject that stops inheriting can copy
 * a role.
 */
const lockRolesIn = (tx: Transaction, tenantId: string, userId: string) =>
  lockTreesIn(
    tx,
    (each) => listRolesIn(each, tenantId, userId),
    (roles) => [...new Set(roles.map(({ rootId }) => rootId))],
  );
