import { setMissingHomeTenant, userExists } from '../accounts/queries.ts';
import { audit, by, compareMembers } from '../audit.ts';
import type { Database, Reads, Transaction } from '../db.ts';
import { conflict, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { governs } from './access.ts';
import { findRole, hasOtherOwner, listMembers, putMember, type Role } from './members.queries.ts';
import { findTenant, lockTenant, type OffsetPage } from './queries.ts';

/** Members of a tenant, for its Owners and administrators. Throws `notFound` for others. */
export async function listTenantMembers(db: Reads, caller: Caller, tenantId: string, window: OffsetPage) {
  if (!governs(caller, tenantId) || !(await findTenant(db, tenantId))) throw notFound('Tenant', tenantId);
  return listMembers(db, tenantId, window);
}

/** Adds a member or changes the member's role. Throws `conflict` if that would remove the last Owner. */
export const setMember = (db: Database, caller: Caller, tenantId: string, userId: string, role: Role) =>
  db.transaction(async (tx) => {
    await lockForMembers(tx, caller, tenantId);
    if (!(await userExists(tx, userId))) throw invalidMember('userId', `User '${userId}' does not exist.`);
    if (role !== 'Owner') await keepAnOwner(tx, tenantId, userId);
    const before = await findRole(tx, tenantId, userId);
    await join(tx, tenantId, userId, role);
    const details = { role, ...compareMembers(before ? { role: before } : {}, { role }) };
    await audit(tx, { action: 'tenant.member.set', subject: userId, tenantId, ...by(caller), details });
    return { userId, role };
  });

/** Adds a member. The tenant becomes the home tenant of an account without one. */
export async function join(tx: Transaction, tenantId: string, userId: string, role: Role) {
  await putMember(tx, tenantId, userId, role);
  await setMissingHomeTenant(tx, userId, tenantId);
}

/** Serializes changes of members: two Owners leaving at once would each still see the other. */
export async function lockForMembers(tx: Transaction, caller: Caller, tenantId: string) {
  if (!governs(caller, tenantId) || !(await lockTenant(tx, tenantId))) throw notFound('Tenant', tenantId);
}

/** Throws `conflict` if the user is the last Owner. The members must be locked. */
export async function keepAnOwner(tx: Transaction, tenantId: string, userId: string) {
  if ((await findRole(tx, tenantId, userId)) === 'Owner' && !(await hasOtherOwner(tx, tenantId, userId)))
    throw conflict(`User '${userId}' is the last Owner of the tenant. Make another member Owner first.`, {
      code: 'LastOwner',
    });
}
