import { type Account, parseRoles } from '../accounts/account.ts';
import { checkLoginId } from '../accounts/login-id.ts';
import { type NewPasswordParts, newPasswordHash } from '../accounts/new-password.ts';
import { getAccount, insertAccount } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import { audit, by } from '../audit.ts';
import type { Transaction } from '../db.ts';
import { conflict, invalidMember, notFound } from '../errors.ts';
import { joinGroups } from '../groups/queries.ts';
import type { Caller } from '../http/caller.ts';
import { putMember } from './members.queries.ts';
import { lockTenant } from './queries.ts';

export interface NewAccount {
  id: string;
  password: string;
  name?: string;
  email?: string;
  company?: string;
  phoneNumber?: string;
  /** Comma-separated. */
  roles?: string;
  metadata?: Record<string, unknown>;
  activated?: boolean;
  enabled?: boolean;
  allowMePasswordChange?: boolean;
  /** Names of existing groups. */
  userGroups?: string[];
}

/**
 * Creates an account as a Member of the caller's current tenant, which becomes its home tenant. Without one, it has no
 * home tenant.
 */
export async function createAccount(
  parts: NewPasswordParts & { store: AccountStore },
  caller: Caller,
  { password, userGroups = [], ...newAccount }: NewAccount,
): Promise<Account> {
  checkLoginId(newAccount.id, 'id');
  const passwordHash = await newPasswordHash(parts, {
    password,
    loginId: newAccount.id,
    address: caller.address,
  });
  return parts.store.change(async (tx) => {
    const { tenantId } = caller;
    if (tenantId !== undefined && !(await lockTenant(tx, tenantId))) throw notFound('Tenant', tenantId);
    const userId = await insertAccount(tx, {
      ...newAccount,
      name: newAccount.name ?? newAccount.id,
      roles: parseRoles(newAccount.roles ?? ''),
      passwordHash,
      tenantId,
      createdBy: caller.userId,
    });
    if (!userId)
      throw conflict(`The account id '${newAccount.id}' is taken. Choose another one.`, { code: 'AccountExists' });
    if (tenantId !== undefined) await putMember(tx, tenantId, userId, 'Member');
    await join(tx, userId, userGroups);
    await audit(tx, {
      action: 'account.create',
      subject: newAccount.id,
      tenantId,
      ...by(caller),
      details: { userGroups },
    });
    return getAccount(tx, newAccount.id);
  });
}

async function join(tx: Transaction, userId: string, names: readonly string[]) {
  if (names.length === 0) return;
  const joined = new Set(await joinGroups(tx, userId, names));
  const at = names.findIndex((name) => !joined.has(name));
  if (at >= 0) throw invalidMember(`userGroups[${at}]`, `Group '${names[at]}' does not exist.`);
}
