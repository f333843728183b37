import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import { invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { deleteMemberships, findUsers, insertGroupMembers, listGroupIds, lockGroups, lockUsers } from './queries.ts';

/** Ids of all groups, or of those that a user is in; by user id or login id. */
export const groupIdsOf = async (db: Db, user: string | undefined) =>
  listGroupIds(db, user === undefined ? undefined : (await getUser(db, user)).userId);

/** Puts a user into groups; those that he is in already stay as they are. */
export const addToGroups = (db: Db, caller: Caller, user: string, groupIds: readonly string[]) =>
  db.transaction(async (tx) => {
    const known = new Set(await lockGroups(tx, groupIds));
    const at = groupIds.findIndex((id) => !known.has(id));
    if (at >= 0) throw invalidMember(`[${at}]`, `There is no group '${groupIds[at]}'.`);
    const [found] = await lockUsers(tx, [user]);
    if (!found) throw notFound('Account', user);
    const { userId, id } = found;
    await insertGroupMembers(tx, groupIds, [userId]);
    await record(tx, { action: 'group.member.add', subject: id, ...by(caller), details: { groups: groupIds } });
  });

/** Takes a user out of these groups, or out of all; whoever was in none of them stays as he is. */
export const removeFromGroups = (db: Db, caller: Caller, user: string, groupIds: readonly string[] | undefined) =>
  db.transaction(async (tx) => {
    const { userId, id } = await getUser(tx, user);
    await keepingAnAdministrator(tx, [userId], async () => {
      const meant = groupIds ?? (await listGroupIds(tx, userId));
      const known = await lockGroups(tx, meant);
      const missing = groupIds?.find((each) => !known.includes(each));
      if (missing !== undefined) throw notFound('Group', missing);
      await deleteMemberships(tx, userId, known);
      await record(tx, { action: 'group.member.remove', subject: id, ...by(caller), details: { groups: known } });
    });
  });

async function getUser(db: Db, user: string) {
  const [found] = await findUsers(db, [user]);
  if (!found) throw notFound('Account', user);
  return found;
}
