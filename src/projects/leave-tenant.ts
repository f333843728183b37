import { rehome } from '../accounts/queries.ts';
import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import { conflict, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { deleteMember, findRole, hasOtherOwner } from '../tenants/members.queries.ts';
import { keepAnOwner, lockForMembers } from '../tenants/members.ts';
import { deleteRolesIn, forgetGoneRolesIn, listRolesIn } from './leave-tenant.queries.ts';
import { lockTreesIn } from './tree.ts';

export interface Leaving {
  tenantId: string;
  userId: string;
  /** As people of other tenants have them. */
  keepProjectRoles: boolean;
}

/** What ends with a membership. */
export interface EndedRoles {
  /** Roles in projects of the tenant. */
  projectRoles: number;
  /** Root projects that are left to the Owners of the tenant: the user was their last Owner. */
  projectsWithoutOwner: number;
}

/** Takes a user out of a tenant. His roles in its projects end with it: otherwise he would go on reading. */
export const leaveTenant = (db: Db, caller: Caller, leaving: Leaving): Promise<EndedRoles> =>
  db.transaction(async (tx) => {
    const { tenantId, userId, keepProjectRoles } = leaving;
    const ended = await checkLeaving(tx, caller, leaving);
    await deleteMember(tx, tenantId, userId);
    await rehome(tx, tenantId);
    if (!keepProjectRoles) {
      await deleteRolesIn(tx, tenantId, userId, caller.userId);
      await forgetGoneRolesIn(tx, tenantId, userId);
    }
    const details = { ...ended, keepProjectRoles };
    await record(tx, { action: 'tenant.member.remove', subject: userId, tenantId, ...by(caller), details });
    return ended;
  });

/** What `leaveTenant` would end; it refuses what that would refuse. */
export const previewLeaving = (db: Db, caller: Caller, leaving: Leaving): Promise<EndedRoles> =>
  db.transaction((tx) => checkLeaving(tx, caller, leaving));

async function checkLeaving(tx: Db, caller: Caller, { tenantId, userId, keepProjectRoles }: Leaving) {
  await lockForMembers(tx, caller, tenantId);
  if (!(await findRole(tx, tenantId, userId))) throw notFound('Member', userId);
  await keepAnOwner(tx, tenantId, userId);
  const roles = keepProjectRoles ? [] : await lockRolesIn(tx, tenantId, userId);
  const projectsWithoutOwner = roles.filter(({ ownedAlone }) => ownedAlone).length;
  if (projectsWithoutOwner > 0 && !(await hasOtherOwner(tx, tenantId, userId)))
    throw conflict(
      `User '${userId}' is the last Owner of ${projectsWithoutOwner} projects, and the tenant has no Owner who could take them over. Give it one first, or send keepProjectRoles=true.`,
      { code: 'LastOwner' },
    );
  return { projectRoles: roles.length, projectsWithoutOwner };
}

/** His roles; until the transaction ends nobody copies one of them to a subproject that stops inheriting. */
const lockRolesIn = (tx: Db, tenantId: string, userId: string) =>
  lockTreesIn(
    tx,
    (each) => listRolesIn(each, tenantId, userId),
    (roles) => [...new Set(roles.map(({ rootId }) => rootId))],
  );
