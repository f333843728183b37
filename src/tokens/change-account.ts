import { type Account, parseRoles } from '../accounts/account.ts';
import { deleteResetTokens, deleteTokens } from '../accounts/mail.queries.ts';
import { newPasswordHash } from '../accounts/new-password.ts';
import { setPassword } from '../accounts/password.queries.ts';
import type { PasswordRules } from '../accounts/password-policy.ts';
import {
  type ChangedAccountRow,
  findUserId,
  getAccount,
  getAccountByUserId,
  lockAccount,
  updateAccount,
} from '../accounts/queries.ts';
import { audit, by, compareMembers } from '../audit.ts';
import type { Reads, Transaction } from '../db.ts';
import { forbidden } from '../errors.ts';
import { keepingAnAdministrator } from '../groups/administrators.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { revokeUserFamilies } from './families.queries.ts';
import { checkCurrentPassword, type FreshLoginParts, requireActiveLogin, requireFreshLogin } from './fresh-login.ts';

export interface ChangeParts extends FreshLoginParts {
  rules: PasswordRules;
}

interface WithRowVersion {
  /** Version that the caller read. */
  rowVersion?: string | undefined;
}

interface WithCurrentPassword {
  /** Password of the caller. */
  currentPassword?: string | undefined;
}

/** Absent contact data, roles and metadata are removed. Other absent members keep their values. */
export interface ChangedAccount extends Omit<ChangedAccountRow, 'name' | 'roles' | 'updatedBy'>, WithRowVersion {
  /** The login id. */
  id: string;
  /** Default: the login id. */
  name?: string | undefined;
  /** Separated by commas. */
  roles?: string | undefined;
  password?: string | undefined;
}

/**
 * Changes an account. If the password changes, ends its logins except the caller's; if the account may no longer sign
 * in, ends all. What `changeOwnAccount` requires for password and e-mail address holds here for the caller's own
 * account.
 */
export async function changeAccount(
  parts: ChangeParts,
  caller: Caller,
  { currentPassword, password, rowVersion, roles = '', metadata = {}, ...rest }: ChangedAccount & WithCurrentPassword,
  origin: Origin,
): Promise<Account> {
  await parts.store.refresh();
  const account = await getAccount(parts.db, rest.id);
  const { userId } = account;
  const isOther = userId !== caller.userId;
  const isProved = (await provesIdentity(parts, caller, currentPassword, origin)) || isOther;
  if (password !== undefined && !isProved) requireFreshLogin(parts, caller);
  const passwordHash = await hashFor(parts, caller, account, password);
  return parts.store.change((tx) =>
    keepingAnAdministrator(tx, [userId], async () => {
      if (!isProved) await requireProof(tx, parts, caller, { email: rest.email, passwordHash });
      const row = { ...rest, metadata, roles: parseRoles(roles) };
      return apply(tx, parts, caller, userId, row, { passwordHash, rowVersion });
    }),
  );
}

export interface OwnChange extends WithRowVersion {
  /** If present, must be the caller's login id. */
  id?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  company?: string | undefined;
  phoneNumber?: string | undefined;
  password?: string | undefined;
}

/**
 * Changes the caller's contact data, and the password if the account allows it. Another password or e-mail address
 * needs the current password or a fresh login.
 */
export async function changeOwnAccount(
  parts: ChangeParts,
  caller: Caller,
  { currentPassword, password, rowVersion, ...request }: OwnChange & WithCurrentPassword,
  origin: Origin,
): Promise<Account> {
  await parts.store.refresh();
  const own = await ownAccount(parts.db, caller);
  const { id = own.id, ...rest } = request;
  if (id !== own.id && (await findUserId(parts.db, id)) !== own.userId)
    throw forbidden(`You are signed in as '${own.id}' and cannot change the account '${id}' here.`);
  const checkPasswordChange = (account: Account) => {
    if (password !== undefined && !account.allowMePasswordChange)
      throw forbidden('Only administrators can change the password of this account.', {
        code: 'PasswordChangeNotAllowed',
      });
  };
  checkPasswordChange(own);
  const isProved = await provesIdentity(parts, caller, currentPassword, origin);
  if (password !== undefined && !isProved) requireFreshLogin(parts, caller);
  const passwordHash = await hashFor(parts, caller, own, password);
  return parts.store.change(async (tx) => {
    checkPasswordChange(await lockAccount(tx, own.userId));
    if (!isProved) await requireProof(tx, parts, caller, { email: rest.email, passwordHash });
    return apply(tx, parts, caller, own.userId, rest, { passwordHash, rowVersion });
  });
}

/** Whether the caller sent its current password. Throws if that is wrong. */
async function provesIdentity(
  parts: ChangeParts,
  caller: Caller,
  currentPassword: string | undefined,
  origin: Origin,
): Promise<boolean> {
  if (currentPassword === undefined) return false;
  await checkCurrentPassword(parts, caller.accountId, currentPassword, origin);
  return true;
}

/** Throws if password or e-mail address of the caller's account change, and the caller has not logged in recently. */
async function requireProof(
  tx: Transaction,
  parts: ChangeParts,
  caller: Caller,
  { email, passwordHash }: { email: string | undefined; passwordHash: string | undefined },
) {
  if (passwordHash === undefined && (await lockAccount(tx, caller.userId)).email === email) return;
  requireFreshLogin(parts, caller);
  await requireActiveLogin(tx, caller);
}

/** The caller's account. Throws for API keys. */
export async function ownAccount(db: Reads, caller: Caller): Promise<Account> {
  if (caller.via === 'key') throw forbidden('An API key has no account. Sign in with an account instead.');
  return getAccountByUserId(db, caller.userId);
}

const hashFor = (parts: ChangeParts, caller: Caller, { userId, id: loginId }: Account, password: string | undefined) =>
  password === undefined ? undefined : newPasswordHash(parts, { password, loginId, userId, address: caller.address });

async function apply(
  tx: Transaction,
  { rules }: ChangeParts,
  caller: Caller,
  userId: string,
  row: Omit<ChangedAccountRow, 'name' | 'updatedBy'> & { name?: string | undefined },
  { passwordHash, rowVersion }: { passwordHash: string | undefined; rowVersion: string | undefined },
): Promise<Account> {
  const before = await lockAccount(tx, userId);
  checkRowVersion('Account', before, rowVersion);
  await updateAccount(tx, userId, { ...row, name: row.name ?? before.id, updatedBy: caller.userId });
  if (passwordHash !== undefined) await setPassword(tx, userId, passwordHash, rules.history);
  const after = await getAccountByUserId(tx, userId);
  if (!after.enabled || !after.activated || isLocked(after)) await revokeUserFamilies(tx, userId);
  else if (passwordHash !== undefined) await revokeUserFamilies(tx, userId, caller.familyId);
  if (after.email !== before.email) await deleteTokens(tx, userId);
  else if (passwordHash !== undefined) await deleteResetTokens(tx, userId);
  // free-form metadata may hold anything, so only its name is told
  const { changed, ...values } = compareMembers(audited(before), audited(after), ['metadata']);
  await audit(tx, {
    action: 'account.change',
    subject: after.id,
    tenantId: after.tenantId,
    ...by(caller),
    details: { changed: passwordHash === undefined ? changed : [...changed, 'password'], ...values },
  });
  return after;
}

const audited = ({ rowVersion: _, ...account }: Account) => account;

const isLocked = ({ locked, lockedDateEnd }: Account) =>
  locked && (lockedDateEnd === undefined || Date.parse(`${lockedDateEnd}Z`) > Date.now());
