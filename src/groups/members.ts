import { audit, by } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { deleteMemberships, findUsers, insertGroupMembers, listGroupIds, lockGroups, lockUsers } from './queries.ts';

/** Ids of all groups, or of the groups of a user, given by user id or login id. */
export const listUserGroupIds = async (db: Reads, user: string | undefined) =>
  listGroupIds(db, user === undefined ? undefined : (await getUser(db, user)).userId);

/** Adds a user to groups. No effect for groups that have the user already. */
export const addToGroups = (db: Database, caller: Caller, user: string, groupIds: readonly string[]) =>
  db.transaction(async (tx) => {
    const known = new Set(await lockGroups(tx, groupIds));
    const at = groupIds.findIndex((id) => !known.has(id));
    if (at >= 0) throw invalidMember(`[${at}]`, `Group '${groupIds[at]}' does not exist.`);
    const [found] = await lockUsers(tx, [user]);
    if (!found) throw notFound('Account', user);
    const { userId, id } = found;
    await insertGroupMembers(tx, groupIds, [userId]);
    await audit(tx, { action: 'group.member.add', subject: id, ...by(caller), details: { groups: groupIds } });
  });

/** Removes a user from these groups, or from all. No effect for groups that do not have the user. */
export const removeFromGroups = (db: Database, caller: Caller, user: string, groupIds: readonly string[] | undefined) =>
  db.transaction(async (tx) => {
    const { userId, id } = await getUser(tx, user);
    await keepingAnAdministrator(tx, [userId], async () => {
      const known = await lockGroups(tx, groupIds ?? (await listGroupIds(tx, userId)));
      const missing = groupIds?.find((each) => !known.includes(each));
      if (missing !== undefined) throw notFound('Group', missing);
      await deleteMemberships(tx, userId, known);
      await audit(tx, { action: 'group.member.remove', subject: id, ...by(caller), details: { groups: known } });
    });
  });

async function getUser(db: Reads, user: string) {
  const [found] = await findUsers(db, [user]);
  if (!found) throw notFound('Account', user);
  return found;
}
