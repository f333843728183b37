import { canAdministratorSignIn } from '../accounts/login.queries.ts';
import type { Transaction } from '../db.ts';
import { conflict } from '../errors.ts';
import { isAnyAdministrator, lockAdministrators } from './queries.ts';

/**
 * Runs a change that may remove an administrator: one that deletes, disables, locks or deactivates users, or removes
 * them from the group. Throws `conflict` if no member of `Administrators` could sign in afterwards. Serializes such
 * changes: two at once would each still see the other's administrator. Lock order: call it before locking accounts.
 */
export async function keepingAnAdministrator<T>(
  tx: Transaction,
  userIds: readonly string[] | 'anybody',
  change: () => Promise<T>,
): Promise<T> {
  await lockAdministrators(tx);
  const affected = userIds === 'anybody' || (await isAnyAdministrator(tx, userIds));
  const result = await change();
  if (affected && !(await canAdministratorSignIn(tx)))
    throw conflict(
      'This would leave no member of the group Administrators who can sign in. Add another administrator first.',
      {
        code: 'LastAdministrator',
      },
    );
  return result;
}
