import { z } from 'zod';
import { standingInTheWay } from '../accounts/account.ts';
import type { LoginDelay, Verdict } from '../accounts/login-delay.ts';
import { replaceHash } from '../accounts/password.queries.ts';
import type { Passwords } from '../accounts/password.ts';
import type { Lockout } from '../accounts/queries.ts';
import { findSignInState, lockSignInState, noteAttempt, noteSuccess } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { Database, Db } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { noteLogin } from './logins.queries.ts';
import type { TokenPair, TokenParts } from './refresh.ts';
import { pairOf, startFamily } from './refresh.ts';
import type { Code, FactorParts } from './second-factor.ts';
import { checkCode, codeIn, demandOf, findFactor, networkNotAllowed } from './second-factor.ts';

export interface Credentials extends Code {
  /** The login id. */
  id: string;
  password: string;
}

export interface LoginParts {
  db: Database;
  store: AccountStore;
  passwords: Passwords;
  lockout: Lockout;
  delay: LoginDelay;
  factor: FactorParts;
}

/** The password is right; now one of these authenticators is asked for its code. */
export const OtpRequired = z
  .object({
    otpRequired: z.boolean(),
    accessForbidden: z.boolean(),
    otpAuthenticatorIds: z.array(z.string()),
  })
  .meta({ id: 'OtpRequired' });
export type OtpRequired = z.infer<typeof OtpRequired>;

/** Checks all that a login needs and starts a family of tokens. */
export async function signIn(
  parts: TokenParts & LoginParts,
  given: Credentials,
  origin: Origin,
): Promise<TokenPair | OtpRequired> {
  await parts.tokens.keys.settle();
  const begun = await logIn(parts, given, origin, (tx, userId) => startFamily(tx, parts, userId));
  return 'otpRequired' in begun ? begun : pairOf(parts, begun);
}

/**
 * All that a login checks, the second factor among it, then `then` for the account in the transaction that counts it as a success.
 * Failures are thrown when their wait is over.
 */
export const logIn = <T>(
  parts: LoginParts,
  given: Credentials,
  origin: Origin,
  then: (tx: Db, userId: string) => Promise<T>,
): Promise<T | OtpRequired> =>
  withPassword<T | OtpRequired>(parts, given, origin, async (tx, userId) => {
    const factor = await findFactor(tx, parts.factor, userId);
    const demand = demandOf(factor, origin.address);
    if (demand.outcome === 'forbidden') return networkNotAllowed();
    if (demand.outcome === 'code') {
      if (codeIn(given) === '') return { result: 'incomplete', value: otpRequired(demand.types) };
      const refusal = await checkCode(tx, factor, userId, given, origin);
      if (refusal) return refusal;
    }
    await noteLogin(tx, userId, origin.address);
    return { result: 'success', value: await then(tx, userId) };
  });

/**
 * Runs `then` for who shows login id and password, in a transaction that holds the account's row. Wrong passwords and unknown accounts get
 * the same words after the same work and the same wait; only who knows the password learns what else stands in the way. A refusal that
 * `then` gives is committed with what it wrote.
 */
export async function withPassword<T>(
  parts: LoginParts,
  { id, password }: Pick<Credentials, 'id' | 'password'>,
  { address, whenGone }: Origin,
  then: (tx: Db, userId: string) => Promise<Exclude<Verdict<T>, { result: 'failure' }> | AppError>,
): Promise<T> {
  const { db, store, passwords, lockout, delay } = parts;
  await store.settle();
  /** Nothing when the hash that was checked is the stored one no more. */
  async function check(): Promise<Verdict<T | AppError> | undefined> {
    const account = await findSignInState(db, id);
    // the attempt is counted while the password is hashed: a write before or after it would tell known accounts by their time
    const [matches] = await Promise.all([
      passwords.matches(password, account?.passwordHash, address),
      account && noteAttempt(db, account.userId, lockout),
    ]);
    if (!account || !matches) return validationFailed;
    const { userId, passwordHash } = account;
    const verdict = await db.transaction(async (tx): Promise<Verdict<T | AppError> | undefined> => {
      const state = await lockSignInState(tx, userId);
      if (state?.passwordHash !== passwordHash) return undefined;
      const obstacle = standingInTheWay(state);
      if (obstacle) return { result: 'incomplete', value: invalid(obstacle.sentence, { code: obstacle.code }) };
      await noteSuccess(tx, userId);
      const given = await then(tx, userId);
      return given instanceof AppError ? { result: 'incomplete', value: given } : given;
    });
    if (verdict?.result === 'success' && passwords.isOutdated(passwordHash))
      await renewHash(parts, { userId, old: passwordHash, password, address });
    return verdict;
  }
  // not in the transaction of an Idempotency-Key, which a refusal would roll back with all that was counted
  const outcome = await db.within(undefined, () =>
    // once more: another login may have stored the same password under another hash
    delay.attempt<T | AppError>(
      { address, account: id, whenGone },
      async () => (await check()) ?? (await check()) ?? validationFailed,
    ),
  );
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

interface Renewal {
  userId: string;
  old: string;
  password: string;
  address: string;
}

/** While the password is at hand. Not when there is no room in the queue of hashes: the next login will do. */
async function renewHash({ store, passwords }: LoginParts, { userId, old, password, address }: Renewal) {
  try {
    const fresh = await passwords.hash(password, address);
    await store.change((tx) => replaceHash(tx, userId, old, fresh));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

const otpRequired = (types: string[]): OtpRequired => ({
  otpRequired: true,
  accessForbidden: false,
  otpAuthenticatorIds: types,
});

const validationFailed = {
  result: 'failure' as const,
  error: invalid('Account validation failed.', { code: 'AccountValidationFailed' }),
};
