import { checkLoginId } from '../accounts/login-id.ts';
import type { Passwords } from '../accounts/password.ts';
import { openPasswords } from '../accounts/password.ts';
import type { PasswordRules } from '../accounts/password-policy.ts';
import { checkPassword, usualRules } from '../accounts/password-policy.ts';
import { insertAccount } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import { tableStore } from '../accounts/store.ts';
import { record } from '../audit.ts';
import type { Db } from '../db.ts';
import { conflict, invalidMember } from '../errors.ts';
import { hasAdministrator, joinGroups, lockAdministrators } from '../groups/queries.ts';
import { putMember } from './members.queries.ts';
import { insertTenant } from './queries.ts';

export interface FirstAdministrator {
  /** The login id. */
  accountId: string;
  password: string;
  name?: string;
  email?: string;
  /** Default: the login id. */
  tenantName?: string;
}

/**
 * Makes the first administrator: an activated account in `Administrators`, Owner of a new tenant, which is its home. Refuses when the
 * platform has an administrator; of several at once one succeeds.
 */
export async function bootstrap(
  db: Db,
  { accountId, password, name, email, tenantName }: FirstAdministrator,
  passwords: Passwords = openPasswords(),
  { rules = usualRules(), store = tableStore(db) }: { rules?: PasswordRules; store?: AccountStore } = {},
): Promise<{ userId: string; tenantId: string }> {
  checkLoginId(accountId, 'accountId');
  await checkPassword(password, rules);
  const tenantNamed = (tenantName ?? accountId).trim();
  if (tenantNamed.length < 1 || tenantNamed.length > 255)
    throw invalidMember('tenantName', `The name of a tenant has 1 to 255 characters, not ${tenantNamed.length}.`);
  if (await hasAdministrator(db)) throw alreadyThere();
  const passwordHash = await passwords.hash(password, 'here');
  return store.change(async (tx) => {
    // of two first administrators at once the second waits here and then sees the first
    await lockAdministrators(tx);
    if (await hasAdministrator(tx)) throw alreadyThere();
    const tenant = await insertTenant(tx, tenantNamed, undefined);
    const userId = await insertAccount(tx, {
      id: accountId,
      passwordHash,
      name: name ?? accountId,
      tenantId: tenant.id,
      ...(email === undefined ? {} : { email }),
    });
    if (!userId) throw conflict(`The account id '${accountId}' is taken.`, { code: 'AccountExists' });
    await putMember(tx, tenant.id, userId, 'Owner');
    await joinGroups(tx, userId, ['Administrators']);
    await record(tx, { action: 'admin.bootstrap', subject: accountId, tenantId: tenant.id });
    return { userId, tenantId: tenant.id };
  });
}

const alreadyThere = () => conflict('This platform has an administrator already.', { code: 'AdministratorExists' });
