import { giveHome, userExists } from '../accounts/queries.ts';
import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import { conflict, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { governs } from './access.ts';
import type { Role } from './members.queries.ts';
import { findRole, hasOtherOwner, listMembers, putMember } from './members.queries.ts';
import type { Window } from './queries.ts';
import { findTenant, lockTenant } from './queries.ts';

/** Who belongs to a tenant is for its Owners and administrators to know; to others it is not there. */
export async function membersOf(db: Db, caller: Caller, tenantId: string, window: Window) {
  if (!governs(caller, tenantId) || !(await findTenant(db, tenantId))) throw notFound('Tenant', tenantId);
  return listMembers(db, tenantId, window);
}

/** Makes a user a member, or changes the role of one. A tenant that has an Owner keeps one. */
export const setMember = (db: Db, caller: Caller, tenantId: string, userId: string, role: Role) =>
  db.transaction(async (tx) => {
    await lockForMembers(tx, caller, tenantId);
    if (!(await userExists(tx, userId))) throw invalidMember('userId', `There is no user '${userId}'.`);
    if (role !== 'Owner') await keepAnOwner(tx, tenantId, userId);
    await join(tx, tenantId, userId, role);
    await record(tx, { action: 'tenant.member.set', subject: userId, tenantId, ...by(caller), details: { role } });
    return { userId, role };
  });

/** An account without a home finds it here. */
export async function join(tx: Db, tenantId: string, userId: string, role: Role) {
  await putMember(tx, tenantId, userId, role);
  await giveHome(tx, userId, tenantId);
}

/** Changes of members go one after the other: two Owners who leave at once would both see the other stay. */
export async function lockForMembers(tx: Db, caller: Caller, tenantId: string) {
  if (!governs(caller, tenantId) || !(await lockTenant(tx, tenantId))) throw notFound('Tenant', tenantId);
}

/** Refuses to take away the last Owner. Ask with the members locked. */
export async function keepAnOwner(tx: Db, tenantId: string, userId: string) {
  if ((await findRole(tx, tenantId, userId)) === 'Owner' && !(await hasOtherOwner(tx, tenantId, userId)))
    throw conflict('The last Owner of a tenant stays its Owner.', { code: 'LastOwner' });
}
