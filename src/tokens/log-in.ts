import type { z } from 'zod';
import { type Account, accountStatusError } from '../accounts/account.ts';
import {
  countAttempt,
  findLoginState,
  type Lockout,
  lockLoginState,
  replaceHash,
  resetAttempts,
} from '../accounts/login.queries.ts';
import type { LoginDelay } from '../accounts/login-delay.ts';
import type { Passwords } from '../accounts/password.ts';
import { getAccountByUserId } from '../accounts/queries.ts';
import type { AccountStore } from '../accounts/store.ts';
import { audit } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import { component, flag, texts } from '../http/rules/members.ts';
import type { Origin } from '../http/rules/origin.ts';
import { storableText } from '../platform/text/storable.ts';
import type { Code, Credentials } from './credentials.ts';
import { recordLogin } from './queries.ts';
import { codeIn, decide, findPolicy, networkNotAllowed, type SecondFactorParts, verifyCode } from './second-factor.ts';
import { type Keeper, type NewFamily, signTokens, startFamily, type TokenParts, type Tokens } from './token-pair.ts';

export interface LoginParts {
  db: Database;
  store: AccountStore;
  passwords: Passwords;
  lockout: Lockout;
  delay: LoginDelay;
  secondFactor: SecondFactorParts;
}

/** Answer when the password is right and a one-time password of one of these authenticators is missing. */
export const OtpRequired = component('OtpRequired', {
  otpRequired: flag('A one-time password is required: repeat the request with `otp` and `otpAuthenticator`.'),
  accessForbidden: flag('Always false.'),
  otpAuthenticatorIds: texts('Types of authenticators whose one-time passwords are accepted.', ['APPAUTH']),
});
export type OtpRequired = z.infer<typeof OtpRequired>;

/**
 * How a login ended. A rejected login returns its error and does not throw it, because what it wrote before must be
 * committed: an error would roll back a counted wrong code, a code that was used up, or the end of a lockout.
 */
export type LoginOutcome<T = unknown> = Success<T> | CodeMissing | Refused;
export interface Success<T> {
  result: 'success';
  value: T;
}
/** Neither success nor failure: no family is started, and the failures of the client stay as they are. */
export interface CodeMissing {
  result: 'codeMissing';
  value: OtpRequired;
}
export interface Refused {
  result: 'refused';
  error: AppError;
}

export const success = <T>(value: T): Success<T> => ({ result: 'success', value });
export const refused = (error: AppError): Refused => ({ result: 'refused', error });

/** The answer to a login after its commit. Throws the error of a refused one. */
function answerOrThrow<T>(outcome: LoginOutcome<T>): T | OtpRequired {
  if (outcome.result === 'refused') throw outcome.error;
  return outcome.value;
}

/** A login that starts a token family. */
export async function startLogin(
  parts: TokenParts & LoginParts,
  credentials: Credentials,
  keeper: Keeper,
  origin: Origin,
): Promise<{ tokens: Tokens; family: NewFamily['family'] } | OtpRequired> {
  await parts.tokens.keys.refreshIfStale();
  const outcome = await logIn(parts, credentials, origin, async (tx, userId) => {
    const unmet = await passSecondFactor(tx, parts, userId, credentials, origin, 'token');
    return unmet ?? success(await startFamily(tx, parts, userId, keeper, origin));
  });
  if (outcome.result !== 'success') return answerOrThrow(outcome);
  return { tokens: await signTokens(parts, outcome.value), family: outcome.value.family };
}

/**
 * `POST /api/tokens`: a login whose tokens are the answer.
 * @param credentials.refresh false: without a refresh token
 */
export async function issueTokens(
  parts: TokenParts & LoginParts,
  { refresh = true, ...credentials }: Credentials & { refresh?: boolean | undefined },
  origin: Origin,
): Promise<Tokens | OtpRequired> {
  const login = await startLogin(parts, credentials, refresh ? 'client' : 'nothing', origin);
  return 'tokens' in login ? login.tokens : login;
}

/** `POST /api/accounts/validation`: a login without tokens. */
export async function validateCredentials(
  parts: LoginParts,
  credentials: Credentials,
  origin: Origin,
): Promise<Account | OtpRequired> {
  const outcome = await logIn(parts, credentials, origin, async (tx, userId) => {
    const unmet = await passSecondFactor(tx, parts, userId, credentials, origin, 'validation');
    return unmet ?? success(await getAccountByUserId(tx, userId));
  });
  return answerOrThrow(outcome);
}

/**
 * A login. Wrong passwords and unknown accounts get the same answer after the same work and the same delay; only who
 * knows the password learns what else is wrong.
 * @param finish the last steps, in the transaction that holds the account's row; its outcome is that of the login
 */
export const logIn = <Outcome extends LoginOutcome>(
  parts: LoginParts,
  credentials: Pick<Credentials, 'id' | 'password'>,
  origin: Origin,
  finish: (tx: Transaction, userId: string) => Promise<Outcome>,
): Promise<Outcome | Refused> =>
  // outside of the transaction of an Idempotency-Key: a refusal rolls that back, and the counted failure with it
  parts.db.within(undefined, () => attempt(parts, credentials, origin, finish));

async function attempt<Outcome extends LoginOutcome>(
  parts: LoginParts,
  { id, password }: Pick<Credentials, 'id' | 'password'>,
  origin: Origin,
  finish: (tx: Transaction, userId: string) => Promise<Outcome>,
): Promise<Outcome | Refused> {
  const { db, store, passwords, lockout, delay } = parts;
  const { address, whenGone } = origin;
  await store.refresh();
  const client = { address, account: id, whenGone };
  // twice at most: a concurrent login may have stored a newer hash of the same password since this one read it
  for (let tries = 0; tries < 2; tries++) {
    const account = await findLoginState(db, id);
    // counted while the password is hashed: a write before or after it would tell known accounts by the time they take
    const [matches] = await Promise.all([
      passwords.matches(password, account?.passwordHash, address),
      account && db.transaction((tx) => countAttempt(tx, account.userId, lockout)),
    ]);
    if (!account || !matches) break;

    const { userId, passwordHash } = account;
    const outcome = await db.transaction(async (tx): Promise<Outcome | Refused | undefined> => {
      const locked = await lockLoginState(tx, userId);
      if (locked?.passwordHash !== passwordHash) return undefined;
      const error = accountStatusError(locked);
      if (!error) await resetAttempts(tx, userId);
      const end = error ? refused(error) : await finish(tx, userId);
      if (end.result === 'refused') await auditFailedLogin(tx, id, origin, end.error);
      return end;
    });
    if (outcome === undefined) continue;

    if (outcome.result === 'success') {
      if (passwords.isOutdated(passwordHash)) await renewHash(parts, { userId, old: passwordHash, password, address });
      await delay.succeed(client);
    }
    return outcome;
  }
  const error = invalid('Account validation failed.', { code: 'AccountValidationFailed' });
  await db.transaction((tx) => auditFailedLogin(tx, id, origin, error));
  await delay.fail(client);
  return refused(error);
}

const MAX_SUBJECT = 255;

/** Writes the failure to the audit trail, also of unknown login ids, so that both take the same time. */
const auditFailedLogin = (
  tx: Transaction,
  id: string,
  { address, agent, requestId }: Origin,
  { details, message }: AppError,
) =>
  audit(tx, {
    action: 'login.failed',
    subject: storableText(id).slice(0, MAX_SUBJECT),
    address,
    agent,
    requestId,
    details: { reason: details.code ?? message },
  });

/**
 * The second factor of a login, if one is needed. Returns what is missing or wrong; if nothing is, records the login.
 */
export async function passSecondFactor(
  tx: Transaction,
  { secondFactor }: LoginParts,
  userId: string,
  code: Code,
  origin: Origin,
  via: 'token' | 'validation' | 'basic',
): Promise<CodeMissing | Refused | undefined> {
  const policy = await findPolicy(tx, secondFactor, userId);
  const decision = decide(policy, origin.address);
  if (decision.outcome === 'forbidden') return refused(networkNotAllowed());
  if (decision.outcome === 'code') {
    if (codeIn(code) === '') return { result: 'codeMissing', value: otpRequired(decision.types) };
    const error = await verifyCode(tx, policy, userId, code, origin);
    if (error) return refused(error);
  }
  const isFirstOfDay = await recordLogin(tx, userId, origin.address);
  // HTTP Basic logs in with each request
  if (via !== 'basic' || isFirstOfDay) await auditLogin(tx, userId, origin, via);
  return undefined;
}

async function auditLogin(tx: Transaction, userId: string, { address, agent, requestId }: Origin, via: string) {
  const { id, tenantId } = await getAccountByUserId(tx, userId);
  const where = tenantId === undefined ? {} : { tenantId };
  await audit(tx, {
    action: 'login',
    accountId: id,
    subject: id,
    ...where,
    address,
    agent,
    requestId,
    details: { via },
  });
}

interface Renewal {
  userId: string;
  old: string;
  password: string;
  address: string;
}

/**
 * Replaces a hash of an older form while the password is known. Skipped when the queue of hashes is full: the next
 * login does it.
 */
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
