import { createHash } from 'node:crypto';
import { record } from '../audit.ts';
import type { Db } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import { findAuthenticatorType } from '../groups/authenticators.ts';
import { listEntries } from '../groups/second-factor.queries.ts';
import type { Decision, Demand } from '../groups/second-factor.ts';
import { decide, readDemand } from '../groups/second-factor.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import { findIdentity } from './identity.queries.ts';
import {
  acceptStep,
  clearOtpFailures,
  countOtpFailure,
  countRecoveryCodes,
  findOtpFailures,
  listAuthenticators,
  useRecoveryCode,
} from './second-factor.queries.ts';

/** Wrong codes in a row before an account's codes are no longer checked at once. */
const FREE_FAILURES = 10;
/** 80 bits in base32. */
const RECOVERY_CODE = /^[A-Z2-7]{16}$/;

export interface FactorParts {
  sealer: Sealer;
  /** Key of the metadata of groups that holds second-factor entries. */
  metadataKey: string;
}

/** One that codes of an account may come from. */
export interface Authenticator {
  type: string;
  setupCode: string;
  /** Of its own, not shared by a group. */
  own: boolean;
  /** A code of it was accepted from this account. */
  proved: boolean;
}

/** All that decides what an account needs besides its password. */
export interface Factor {
  groups: { name: string; demand: Demand }[];
  /** Those of groups first. */
  authenticators: Authenticator[];
}

export interface Code {
  otp?: string | undefined;
  otpAuthenticator?: string | undefined;
}

export async function findFactor(db: Db, parts: FactorParts, userId: string): Promise<Factor> {
  const groups = (await listEntries(db, userId, parts.metadataKey)).map(({ name, entries }) => ({
    name,
    demand: readDemand(entries),
  }));
  const rows = await listAuthenticators(db, userId);
  const proved = new Set(rows.filter((row) => row.provedAt).map((row) => row.fingerprint.toString('hex')));
  const shared = new Map(
    groups.flatMap(({ demand }) =>
      demand.authenticators.map(({ type, setupCode }) => [
        fingerprintOf(type, setupCode).toString('hex'),
        { type, setupCode },
      ]),
    ),
  );
  const authenticators: Authenticator[] = [...shared].map(([fingerprint, one]) => ({
    ...one,
    own: false,
    proved: proved.has(fingerprint),
  }));
  for (const { type, sealed, provedAt } of rows) {
    if (!sealed) continue;
    const setupCode = await parts.sealer.open(sealed, ownContext(userId, type));
    authenticators.push({ type, setupCode, own: true, proved: provedAt !== undefined });
  }
  return { groups, authenticators };
}

/** What a login from `address` needs besides the password. */
export const demandOf = ({ groups, authenticators }: Factor, address: string): Decision =>
  decide(
    groups.map(({ demand }) => demand),
    authenticators.filter(({ own }) => own).map(({ type }) => type),
    address,
  );

/** What an own setup code is sealed for: moved to another account it does not open. */
export const ownContext = (userId: string, type: string) => `${type} of ${userId}`;

export const fingerprintOf = (type: string, setupCode: string) =>
  createHash('sha256').update(`${type}:${setupCode}`).digest();

export const hashRecoveryCode = (code: string) => createHash('sha256').update(code).digest();

/** `otp` as typed: in groups, and empty for none. */
export const codeIn = ({ otp = '' }: Code) => otp.replace(/[\s-]/g, '').toUpperCase();

/**
 * Checks a one-time password or a recovery code and uses it up. Gives the refusal, if any; it must be committed, as it counts. Hold the
 * account's row, so that codes of one account come one after the other.
 */
export async function checkCode(
  tx: Db,
  { authenticators }: Pick<Factor, 'authenticators'>,
  userId: string,
  given: Code,
  origin: Origin,
): Promise<AppError | undefined> {
  const before = await findOtpFailures(tx, userId);
  if (before?.blockedFor !== undefined) return tooManyWrong(before.blockedFor);
  const code = codeIn(given);
  if (code === '') return illegalCode();
  const type = given.otpAuthenticator || authenticators[0]?.type;
  const candidates = authenticators.filter((one) => one.type === type);
  if (candidates.length === 0) return illegalCode();

  let verdict: 'right' | 'used' | 'wrong' = 'wrong';
  if (RECOVERY_CODE.test(code)) {
    if (await useRecoveryCode(tx, userId, hashRecoveryCode(code))) {
      verdict = 'right';
      await tellOfRecovery(tx, userId, origin);
    }
  } else {
    for (const { type, setupCode } of candidates) {
      const step = findAuthenticatorType(type)?.stepOf(setupCode, code);
      if (step === undefined) continue;
      verdict = (await acceptStep(tx, userId, type, fingerprintOf(type, setupCode), step)) ? 'right' : 'used';
      if (verdict === 'right') break;
    }
  }
  if (verdict === 'right') {
    if (before) await clearOtpFailures(tx, userId);
    return undefined;
  }
  // who sends a right code twice is no guesser
  if (verdict === 'wrong') await countOtpFailure(tx, userId, FREE_FAILURES);
  return illegalCode();
}

async function tellOfRecovery(tx: Db, userId: string, origin: Origin) {
  const id = (await findIdentity(tx, userId))?.accountId ?? userId;
  const left = await countRecoveryCodes(tx, userId);
  await record(tx, { action: 'otp.recovery-code.use', accountId: id, subject: id, ...origin, details: { left } });
}

export const illegalCode = () => invalid('Illegal one-time password.', { code: 'IllegalOneTimePassword' });
const tooManyWrong = (seconds: number) =>
  new AppError('tooManyRequests', 'Too many wrong one-time passwords. Try again later.', {
    code: 'TooManyWrongCodes',
    retryAfter: seconds,
  });
export const networkNotAllowed = () =>
  forbidden('This account can be used from within certain networks only.', { code: 'NetworkNotAllowed' });
