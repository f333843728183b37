import type { Db } from '../db.ts';
import { conflict } from '../errors.ts';
import { hasAbleAdministrator, isAnyAdministrator, lockAdministrators } from './queries.ts';

/**
 * Runs a change that may take an administrator away: deletes, disables, locks or deactivates these users, or takes them out of the group.
 * Refuses it when nobody who can sign in would be left in `Administrators`. Such changes go one after the other, or two at once would each
 * see the other's administrator stay; call it before any account is locked.
 */
export async function keepingAnAdministrator<T>(
  tx: Db,
  userIds: readonly string[] | 'anybody',
  change: () => Promise<T>,
): Promise<T> {
  await lockAdministrators(tx);
  const concerned = userIds === 'anybody' || (await isAnyAdministrator(tx, userIds));
  const result = await change();
  if (concerned && !(await hasAbleAdministrator(tx)))
    throw conflict('The last administrator stays: nobody else who can sign in is in the group Administrators.', {
      code: 'LastAdministrator',
    });
  return result;
}
