import { createHash } from 'node:crypto';
import { audit } from '../audit.ts';
import type { Reads, Transaction } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import { findAuthenticatorType } from '../groups/authenticators.ts';
import { type Requirement, readRequirement } from '../groups/second-factor.ts';
import { revealEntries } from '../groups/setup-codes.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import { contains, parseAddress } from '../platform/net/networks.ts';
import type { Code } from './credentials.ts';
import { findIdentity } from './queries.ts';
import {
  acceptStep,
  clearOtpFailures,
  countOtpFailure,
  countRecoveryCodes,
  findOtpFailures,
  listAuthenticators,
  listGroupFactors,
  useRecoveryCode,
} from './second-factor.queries.ts';

/** Number of wrong codes in a row after which each further one blocks the account's codes for a while. */
const FREE_FAILURES = 10;
/** 80 bits in base32. */
const RECOVERY_CODE = /^[A-Z2-7]{16}$/;

export interface SecondFactorParts {
  sealer: Sealer;
  /** Key of the group metadata that holds second-factor entries. */
  metadataKey: string;
  /** Milliseconds since 1970, for one-time passwords. */
  clock(): number;
}

/** An authenticator whose codes an account may use. */
export interface Authenticator {
  type: string;
  setupCode: string;
  /** Belongs to the account, not to one of its groups. */
  own: boolean;
  /** A code of this authenticator was accepted from this account. */
  proved: boolean;
}

/** Second-factor requirements of an account. */
export interface Policy {
  groups: { name: string; requirement: Requirement }[];
  /** Authenticators of groups first. */
  authenticators: Authenticator[];
  clock: SecondFactorParts['clock'];
}

export async function findPolicy(db: Reads, parts: SecondFactorParts, userId: string): Promise<Policy> {
  const { sealer, metadataKey, clock } = parts;
  const groups: Policy['groups'] = [];
  for (const factor of await listGroupFactors(db, userId, metadataKey))
    groups.push({ name: factor.name, requirement: readRequirement(await revealEntries(db, sealer, factor)) });
  const rows = await listAuthenticators(db, userId);
  const proved = new Set(rows.filter((row) => row.provedAt).map((row) => row.fingerprint.toString('hex')));
  // groups may share an authenticator
  const shared = new Map(
    groups.flatMap(({ requirement }) =>
      requirement.authenticators.map(({ type, setupCode }) => [
        fingerprint(type, setupCode).toString('hex'),
        { type, setupCode },
      ]),
    ),
  );
  const authenticators: Authenticator[] = [...shared].map(([fingerprint, authenticator]) => ({
    ...authenticator,
    own: false,
    proved: proved.has(fingerprint),
  }));
  for (const { type, sealed, provedAt } of rows) {
    if (!sealed) continue;
    const setupCode = await sealer.unseal(sealed, sealingContext(userId, type), db);
    authenticators.push({ type, setupCode, own: true, proved: provedAt !== undefined });
  }
  return { groups, authenticators, clock };
}

export type Decision =
  /** No code is needed; `network` is the allowed network that the address is in, if the account's groups name any. */
  | { outcome: 'free'; network?: string }
  /** A code of an authenticator of one of these types is needed. */
  | { outcome: 'code'; types: [string, ...string[]] }
  /** The address is in none of the allowed networks, and there is no authenticator. */
  | { outcome: 'forbidden' };

/** Decides which second factor a login from `address` needs. */
export const decide = ({ groups, authenticators }: Policy, address: string): Decision =>
  decideBy(
    groups.map(({ requirement }) => requirement),
    authenticators.filter(({ own }) => own).map(({ type }) => type),
    address,
  );

/** As `decide`, from the requirements of all groups and the types of the account's own authenticators. */
export function decideBy(requirements: readonly Requirement[], ownTypes: readonly string[], address: string): Decision {
  const networks = requirements.flatMap((requirement) => requirement.networks);
  const types = [
    ...new Set([
      ...requirements.flatMap((requirement) => requirement.authenticators.map(({ type }) => type)),
      ...ownTypes,
    ]),
  ];
  const from = parseAddress(address);
  const match = from && networks.find(({ network }) => contains(network, from));
  if (match) return { outcome: 'free', network: match.text };
  const [first, ...others] = types;
  if (first !== undefined) return { outcome: 'code', types: [first, ...others] };
  const restricted = networks.length > 0 || requirements.some((requirement) => requirement.malformed.length > 0);
  return { outcome: restricted ? 'forbidden' : 'free' };
}

/** Binds an encrypted setup code to its account: copied to another account it does not decrypt. */
export const sealingContext = (userId: string, type: string) => `${type} of ${userId}`;

export const fingerprint = (type: string, setupCode: string) =>
  createHash('sha256').update(`${type}:${setupCode}`).digest();

export const hashRecoveryCode = (code: string) => createHash('sha256').update(code).digest();

/** The code without the blanks and hyphens that people type; empty for none. */
export const codeIn = ({ otp = '' }: Code) => otp.replace(/[\s-]/g, '').toUpperCase();

/**
 * Verifies a one-time password or a recovery code and uses it up. Returns the refusal, which the caller must commit
 * because it is counted. The caller holds the account's row, so that codes of one account are verified one after the
 * other.
 */
export async function verifyCode(
  tx: Transaction,
  { authenticators, clock }: Pick<Policy, 'authenticators' | 'clock'>,
  userId: string,
  given: Code,
  origin: Origin,
): Promise<AppError | undefined> {
  const before = await findOtpFailures(tx, userId);
  if (before?.blockedFor !== undefined) return tooManyWrongCodes(before.blockedFor);
  const code = codeIn(given);
  if (code === '') return illegalCode();
  const type = given.otpAuthenticator || authenticators[0]?.type;
  const candidates = authenticators.filter((authenticator) => authenticator.type === type);
  if (candidates.length === 0) return illegalCode();

  const verdict = RECOVERY_CODE.test(code)
    ? await verifyRecoveryCode(tx, userId, code, origin)
    : await verifyOneTimePassword(tx, candidates, userId, code, clock());
  if (verdict === 'right') {
    if (before) await clearOtpFailures(tx, userId);
    return undefined;
  }
  // a correct code that was used before is not a guess
  if (verdict === 'usedBefore') return illegalCode('OtpAlreadyUsed');
  await countOtpFailure(tx, userId, FREE_FAILURES);
  return illegalCode();
}

type Verdict = 'right' | 'usedBefore' | 'wrong';

async function verifyOneTimePassword(
  tx: Transaction,
  candidates: readonly Authenticator[],
  userId: string,
  code: string,
  now: number,
): Promise<Verdict> {
  let verdict: Verdict = 'wrong';
  for (const { type, setupCode } of candidates) {
    const step = findAuthenticatorType(type)?.stepOf(setupCode, code, now);
    if (step === undefined) continue;
    if (await acceptStep(tx, userId, type, fingerprint(type, setupCode), step)) return 'right';
    verdict = 'usedBefore';
  }
  return verdict;
}

async function verifyRecoveryCode(tx: Transaction, userId: string, code: string, origin: Origin): Promise<Verdict> {
  if (!(await useRecoveryCode(tx, userId, hashRecoveryCode(code)))) return 'wrong';
  const id = (await findIdentity(tx, userId))?.accountId ?? userId;
  const left = await countRecoveryCodes(tx, userId);
  await audit(tx, { action: 'otp.recovery-code.use', accountId: id, subject: id, ...origin, details: { left } });
  return 'right';
}

export const illegalCode = (code: 'IllegalOneTimePassword' | 'OtpAlreadyUsed' = 'IllegalOneTimePassword') =>
  invalid('Illegal one-time password.', { code });
const tooManyWrongCodes = (seconds: number) =>
  new AppError('tooManyRequests', 'Too many wrong one-time passwords. Try again later.', {
    code: 'TooManyWrongCodes',
    retryAfter: seconds,
  });
export const networkNotAllowed = () =>
  forbidden('This account may sign in from certain networks only.', { code: 'NetworkNotAllowed' });
