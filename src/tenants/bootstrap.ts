import { checkLoginId } from '../accounts/login-id.ts';
import { Passwords } from '../accounts/password.ts';
import { checkPassword, defaultRules, type PasswordRules } from '../accounts/password-policy.ts';
import { insertAccount } from '../accounts/queries.ts';
import { type AccountStore, tableStore } from '../accounts/store.ts';
import { audit } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { conflict, invalidMember } from '../errors.ts';
import { hasAdministrator, joinGroups, lockAdministrators } from '../groups/queries.ts';
import { wrongChosenName } from '../http/rules/chosen-names.ts';
import type { Origin } from '../http/rules/origin.ts';
import { putMember } from './members.queries.ts';
import { insertTenant } from './queries.ts';

export interface FirstAdministrator {
  /** Login id. */
  accountId: string;
  password: string;
  name?: string;
  email?: string;
  /** Default: the login id. */
  tenantName?: string;
}

interface BootstrapOptions {
  rules?: PasswordRules;
  store?: AccountStore;
  /** Of the request, for the audit trail. */
  origin?: Pick<Origin, 'address' | 'requestId' | 'agent'>;
  /** The member with the login id in the caller's request. Default: `accountId`. */
  member?: string;
  /** Runs in the transaction before anything is made. */
  before?(tx: Transaction): Promise<void>;
}

/**
 * Creates the first administrator: an activated account in the group `Administrators`, Owner of a new tenant, which is
 * its home tenant. Throws `conflict` if the platform has an administrator. Of concurrent calls, one succeeds.
 */
export async function bootstrap(
  db: Database,
  { accountId, password, name, email, tenantName }: FirstAdministrator,
  passwords: Passwords = new Passwords(),
  {
    rules = defaultRules(),
    store = tableStore(db),
    origin,
    member: idMember = 'accountId',
    before,
  }: BootstrapOptions = {},
): Promise<{ userId: string; tenantId: string }> {
  checkLoginId(accountId, idMember);
  await checkPassword(password, accountId, rules);
  const trimmedName = (tenantName ?? accountId).trim();
  if (trimmedName.length < 1 || trimmedName.length > 255)
    throw invalidMember('tenantName', `The tenant name has ${trimmedName.length} characters. It must have 1 to 255.`);
  for (const [member, text] of Object.entries({ name, tenantName })) {
    const wrong = text === undefined ? undefined : wrongChosenName(text);
    if (wrong !== undefined) throw invalidMember(member, wrong);
  }
  if (await hasAdministrator(db)) throw administratorExists();
  const passwordHash = await passwords.hash(password, 'here');
  return store.change(async (tx) => {
    // a concurrent bootstrap waits here, and then finds the first administrator
    await lockAdministrators(tx);
    if (await hasAdministrator(tx)) throw administratorExists();
    await before?.(tx);
    const tenant = await insertTenant(tx, trimmedName, undefined);
    const userId = await insertAccount(tx, {
      id: accountId,
      passwordHash,
      name: name ?? accountId,
      tenantId: tenant.id,
      ...(email === undefined ? {} : { email }),
    });
    if (!userId)
      throw conflict(`The account id '${accountId}' is taken. Choose another one.`, { code: 'AccountExists' });
    await putMember(tx, tenant.id, userId, 'Owner');
    await joinGroups(tx, userId, ['Administrators']);
    await audit(tx, { action: 'admin.bootstrap', subject: accountId, tenantId: tenant.id, ...origin });
    return { userId, tenantId: tenant.id };
  });
}

const administratorExists = () =>
  conflict('The platform already has an administrator, who can create others.', { code: 'AdministratorExists' });
