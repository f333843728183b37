import { findUserId } from '../accounts/queries.ts';
import { audit, by } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { forbidden, notFound } from '../errors.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';
import { deviceOf } from './device.ts';
import { findFamilyOwner, listFamilies, revokeUserFamilies } from './families.queries.ts';
import { findIdentity, revokeFamily } from './queries.ts';

/** Active logins of the caller, or for administrators those of another account. */
export async function listAccountFamilies(db: Reads, caller: Caller, accountId = caller.accountId) {
  const families = await listFamilies(db, await userIdFor(db, caller, accountId));
  const data = families.map(async ({ agent, ...family }) => {
    const device = await deviceOf(agent);
    return {
      ...family,
      ...(device === undefined ? {} : { device }),
      lastUsedAt: family.lastExchangedAt ?? family.createdAt,
      current: family.id === caller.familyId,
    };
  });
  return { data: await Promise.all(data) };
}

/** Ends one login. Only administrators find those of others. */
export const endFamily = (db: Database, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const userId = await findFamilyOwner(tx, id);
    if (!userId || (userId !== caller.userId && !isAdministrator(caller)) || !(await revokeFamily(tx, id)))
      throw notFound('Login', id);
    const owner = await findIdentity(tx, userId);
    await audit(tx, {
      action: 'token.revoke',
      subject: owner?.accountId ?? userId,
      tenantId: owner?.tenantId,
      ...by(caller),
      details: { familyId: id },
    });
  });

/** Ends all logins of an account. */
export const endFamilies = (db: Database, caller: Caller, accountId = caller.accountId): Promise<void> =>
  db.transaction(async (tx) => {
    const families = await revokeUserFamilies(tx, await userIdFor(tx, caller, accountId));
    await audit(tx, { action: 'token.revoke-all', subject: accountId, ...by(caller), details: { families } });
  });

async function userIdFor(db: Reads, caller: Caller, accountId: string): Promise<string> {
  if (accountId === caller.accountId) return caller.userId;
  const userId = await findUserId(db, accountId);
  if (userId === caller.userId) return userId;
  if (!isAdministrator(caller)) throw forbidden('Only administrators may list or end the logins of other accounts.');
  if (userId === null) throw notFound('Account', accountId);
  return userId;
}
