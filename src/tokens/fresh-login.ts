import { accountStatusError } from '../accounts/account.ts';
import { lockLoginState } from '../accounts/login.queries.ts';
import type { Transaction } from '../db.ts';
import { AppError, forbidden, invalid, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import { formatDuration } from '../platform/text/time.ts';
import { isFamilyActive } from './families.queries.ts';
import { type LoginOutcome, type LoginParts, logIn, type Refused, refused, success } from './log-in.ts';

// Password, e-mail address and second factor decide who can log in. A stolen access token must not be enough to change
// them: the thief would keep the account.

export interface FreshLoginParts extends LoginParts {
  /** How old a login may be, in milliseconds. */
  freshLogin: number;
}

/** How a change of the second factor says whose it is: by the credentials of the account, or by its access token. */
export interface Holder {
  id?: string | undefined;
  password?: string | undefined;
  currentPassword?: string | undefined;
  /** Caller of a valid access token. */
  caller?: Caller | undefined;
}

/**
 * Runs `finish` for the account of `holder`, as `logIn` does. An access token replaces the login id, and the password
 * if its login is fresh.
 */
export async function asHolder<Outcome extends LoginOutcome>(
  parts: FreshLoginParts,
  { caller, currentPassword, id = caller?.accountId, password = currentPassword }: Holder,
  origin: Origin,
  finish: (tx: Transaction, userId: string) => Promise<Outcome>,
): Promise<Outcome | Refused> {
  if (id !== undefined && password !== undefined) return logIn(parts, { id, password }, origin, finish);
  if (caller === undefined || id !== caller.accountId)
    throw invalid('Send id and password of the account, or its access token.', { code: 'CredentialsMissing' });
  requireFreshLogin(parts, caller);
  return parts.db.transaction(async (tx) => {
    const account = await lockLoginState(tx, caller.userId);
    if (!account) throw notFound('Account', id);
    await requireActiveLogin(tx, caller);
    const error = accountStatusError(account);
    return error ? refused(error) : finish(tx, caller.userId);
  });
}

/** Checks the current password of an account like a login, with its delays. Throws the error of a failed login. */
export async function checkCurrentPassword(parts: LoginParts, id: string, password: string, origin: Origin) {
  const outcome = await logIn(parts, { id, password }, origin, async () => success(undefined));
  if (outcome.result === 'refused') throw outcome.error;
}

/** Throws `FreshLoginRequired` unless the caller has logged in recently. */
export function requireFreshLogin({ freshLogin }: Pick<FreshLoginParts, 'freshLogin'>, { loggedInAt }: Caller) {
  if (loggedInAt !== undefined && Date.now() - loggedInAt <= freshLogin) return;
  throw forbidden(
    `A change of password, e-mail address or second factor needs your current password, or a login at most ${formatDuration(freshLogin)} old. Send currentPassword or log in again.`,
    { code: 'FreshLoginRequired' },
  );
}

/** Throws if the caller's login has ended, which callers learn a few seconds later. */
export async function requireActiveLogin(tx: Transaction, { familyId }: Caller) {
  if (familyId !== undefined && !(await isFamilyActive(tx, familyId)))
    throw new AppError('unauthenticated', 'The login of the access token has ended.');
}
