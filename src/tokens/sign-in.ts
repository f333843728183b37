import { standingInTheWay } from '../accounts/account.ts';
import { replaceHash } from '../accounts/password.queries.ts';
import type { Passwords } from '../accounts/password.ts';
import type { Lockout } from '../accounts/queries.ts';
import { findSignInState, lockSignInState, noteAttempt, noteSuccess } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { Db } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Origin, TokenPair, TokenParts } from './refresh.ts';
import { startFamily } from './refresh.ts';

export interface Credentials {
  /** The login id. */
  id: string;
  password: string;
}

export interface LoginParts {
  db: Db;
  store: AccountStore;
  passwords: Passwords;
  lockout: Lockout;
}

/** Checks login id and password and starts a family of tokens. */
export const signIn = (parts: TokenParts & LoginParts, given: Credentials, origin: Origin): Promise<TokenPair> =>
  logIn(parts, given, origin, (tx, userId) => startFamily(tx, parts, userId));

/**
 * All that a login checks, then `then` for the account in the transaction that counts it as a success. Wrong passwords and unknown accounts
 * get the same words after the same work; only who knows the password learns what else stands in the way.
 */
export async function logIn<T>(
  parts: LoginParts,
  { id, password }: Credentials,
  { address }: Origin,
  then: (tx: Db, userId: string) => Promise<T>,
): Promise<T> {
  const { db, store, passwords, lockout } = parts;
  await store.settle();
  const account = await findSignInState(db, id);
  // the attempt is counted while the password is hashed: a write before or after it would tell known accounts by their time
  const [matches] = await Promise.all([
    passwords.matches(password, account?.passwordHash, address),
    account && noteAttempt(db, account.userId, lockout),
  ]);
  if (!account || !matches) throw validationFailed();
  const { userId, passwordHash } = account;
  const result = await db.transaction(async (tx) => {
    const state = await lockSignInState(tx, userId);
    if (state?.passwordHash !== passwordHash) throw validationFailed();
    const obstacle = standingInTheWay(state);
    if (obstacle) throw invalid(obstacle.sentence, { code: obstacle.code });
    await noteSuccess(tx, userId);
    return then(tx, userId);
  });
  if (passwords.isOutdated(passwordHash)) await renewHash(parts, userId, passwordHash, password, address);
  return result;
}

/** While the password is at hand. Not when there is no room in the queue of hashes: the next login will do. */
async function renewHash(
  { store, passwords }: LoginParts,
  userId: string,
  old: string,
  password: string,
  address: string,
) {
  try {
    const fresh = await passwords.hash(password, address);
    await store.change((tx) => replaceHash(tx, userId, old, fresh));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

const validationFailed = () => invalid('Account validation failed.', { code: 'AccountValidationFailed' });
