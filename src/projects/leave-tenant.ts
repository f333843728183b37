import { replaceHomeTenant } from '../accounts/queries.ts';
import { audit, by } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { conflict, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { deleteMember, findRole, hasOtherOwner } from '../tenants/members.queries.ts';
import { keepAnOwner, lockForMembers } from '../tenants/members.ts';
import { deleteRolesIn, forgetGoneRolesIn, listRolesIn } from './leave-tenant.queries.ts';
import { lockTreesIn } from './tree.ts';

export interface Leaving {
  tenantId: string;
  userId: string;
  /** Keep the roles in projects of the tenant, as guests from other tenants have them. */
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
 * data ends.
 */
export const leaveTenant = (db: Database, caller: Caller, leaving: Leaving): Promise<EndedRoles> =>
  db.transaction(async (tx) => {
    const { tenantId, userId, keepProjectRoles } = leaving;
    const ended = await checkLeaving(tx, caller, leaving);
    await deleteMember(tx, tenantId, userId);
    await replaceHomeTenant(tx, tenantId);
    if (!keepProjectRoles) {
      await deleteRolesIn(tx, tenantId, userId, caller.userId);
      await forgetGoneRolesIn(tx, tenantId, userId);
    }
    const details = { ...ended, keepProjectRoles };
    await audit(tx, { action: 'tenant.member.remove', subject: userId, tenantId, ...by(caller), details });
    return ended;
  });

/** Dry run of `leaveTenant`: the same checks and counts, no change. */
export const previewLeaving = (db: Database, caller: Caller, leaving: Leaving): Promise<EndedRoles> =>
  db.transaction((tx) => checkLeaving(tx, caller, leaving));

async function checkLeaving(tx: Transaction, caller: Caller, { tenantId, userId, keepProjectRoles }: Leaving) {
  await lockForMembers(tx, caller, tenantId);
  if (!(await findRole(tx, tenantId, userId))) throw notFound('Member', userId);
  await keepAnOwner(tx, tenantId, userId);
  const roles = keepProjectRoles ? [] : await lockRolesIn(tx, tenantId, userId);
  const projectsWithoutOwner = roles.filter(({ ownedAlone }) => ownedAlone).length;
  if (projectsWithoutOwner > 0 && !(await hasOtherOwner(tx, tenantId, userId)))
    throw conflict(
      `User '${userId}' is the last Owner of ${projectsWithoutOwner} projects, and the tenant has no other Owner to take them over. Add an Owner to the tenant first, or send keepProjectRoles=true.`,
      { code: 'LastOwner' },
    );
  return { projectRoles: roles.length, projectsWithoutOwner };
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
