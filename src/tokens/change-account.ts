import type { Account } from '../accounts/account.ts';
import { rolesOf } from '../accounts/account.ts';
import { deleteResetTokens, deleteTokens } from '../accounts/mail.queries.ts';
import type { NewPasswordParts } from '../accounts/new-password.ts';
import { newPasswordHash } from '../accounts/new-password.ts';
import { setPassword } from '../accounts/password.queries.ts';
import type { ChangedAccountRow } from '../accounts/queries.ts';
import { findUserId, getAccount, getAccountOf, lockAccount, updateAccount } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import { by, changesOf, record } from '../audit.ts';
import type { Db } from '../db.ts';
import { forbidden } from '../errors.ts';
import { keepingAnAdministrator } from '../groups/administrators.ts';
import type { Caller } from '../http/caller.ts';
import { revokeFamiliesOf } from './families.queries.ts';

export interface ChangeParts extends NewPasswordParts {
  store: AccountStore;
}

/** Absent contact data, roles and metadata are removed. Other absent members keep their values. */
export interface ChangedAccount extends Omit<ChangedAccountRow, 'name' | 'roles' | 'updatedBy'> {
  /** The login id. */
  id: string;
  /** Default: the login id. */
  name?: string | undefined;
  /** Separated by commas. */
  roles?: string | undefined;
  password?: string | undefined;
}

/** Changes an account. Ends its logins if the password changes or the account may no longer sign in. */
export async function changeAccount(parts: ChangeParts, caller: Caller, request: ChangedAccount): Promise<Account> {
  await parts.store.refresh();
  const { userId } = await getAccount(parts.db, request.id);
  const passwordHash = await hashFor(parts, caller, userId, request.password);
  const { roles = '', metadata = {}, password: _, ...rest } = request;
  return parts.store.change((tx) =>
    keepingAnAdministrator(tx, [userId], () =>
      apply(tx, parts, caller, userId, { ...rest, metadata, roles: rolesOf(roles) }, passwordHash),
    ),
  );
}

export interface OwnChange {
  /** If present, must be the caller's login id. */
  id?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  company?: string | undefined;
  phoneNumber?: string | undefined;
  password?: string | undefined;
}

/** Changes the caller's contact data, and the password if the account allows it. */
export async function changeOwnAccount(parts: ChangeParts, caller: Caller, request: OwnChange): Promise<Account> {
  await parts.store.refresh();
  const own = await ownAccount(parts.db, caller);
  const { id = own.id, password, ...rest } = request;
  if (id !== own.id && (await findUserId(parts.db, id)) !== own.userId)
    throw forbidden(`You are signed in as '${own.id}' and cannot change the account '${id}' here.`);
  const checkPasswordChange = (account: Account) => {
    if (password !== undefined && !account.allowMePasswordChange)
      throw forbidden('Only administrators can change the password of this account.', {
        code: 'PasswordChangeNotAllowed',
      });
  };
  checkPasswordChange(own);
  const passwordHash = await hashFor(parts, caller, own.userId, password);
  return parts.store.change(async (tx) => {
    checkPasswordChange(await lockAccount(tx, own.userId));
    return apply(tx, parts, caller, own.userId, rest, passwordHash);
  });
}

/** The caller's account. Throws for API keys. */
export async function ownAccount(db: Db, caller: Caller): Promise<Account> {
  if (caller.via === 'key') throw forbidden('An API key has no account. Sign in with an account instead.');
  return getAccountOf(db, caller.userId);
}

const hashFor = (parts: ChangeParts, caller: Caller, userId: string, password: string | undefined) =>
  password === undefined ? undefined : newPasswordHash(parts, password, caller.address, userId);

async function apply(
  tx: Db,
  { rules }: ChangeParts,
  caller: Caller,
  userId: string,
  row: Omit<ChangedAccountRow, 'name' | 'updatedBy'> & { name?: string | undefined },
  passwordHash: string | undefined,
): Promise<Account> {
  const before = await lockAccount(tx, userId);
  await updateAccount(tx, userId, { ...row, name: row.name ?? before.id, updatedBy: caller.userId });
  if (passwordHash !== undefined) await setPassword(tx, userId, passwordHash, rules.history);
  const after = await getAccountOf(tx, userId);
  if (passwordHash !== undefined || !after.enabled || !after.activated || isLocked(after))
    await revokeFamiliesOf(tx, userId);
  if (after.email !== before.email) await deleteTokens(tx, userId);
  else if (passwordHash !== undefined) await deleteResetTokens(tx, userId);
  // free-form metadata may hold anything, so only its name is told
  const { changed, ...values } = changesOf(before, after, ['metadata']);
  await record(tx, {
    action: 'account.change',
    subject: after.id,
    tenantId: after.tenantId,
    ...by(caller),
    details: { changed: passwordHash === undefined ? changed : [...changed, 'password'], ...values },
  });
  return after;
}

const isLocked = ({ locked, lockedDateEnd }: Account) =>
  locked && (lockedDateEnd === undefined || Date.parse(`${lockedDateEnd}Z`) > Date.now());
