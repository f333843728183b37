import { randomInt } from 'node:crypto';
import { generateURI, ScureBase32Plugin } from 'otplib';
import { getAccount, getAccountByUserId, lockAccount } from '../accounts/queries.ts';
import { audit, by } from '../audit.ts';
import type { Transaction } from '../db.ts';
import { type AppError, conflict, forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { Code } from './credentials.ts';
import { revokeUserFamilies } from './families.queries.ts';
import { asHolder, type FreshLoginParts, type Holder, requireActiveLogin, requireFreshLogin } from './fresh-login.ts';
import { refused, success } from './log-in.ts';
import {
  clearOtpFailures,
  countRecoveryCodes,
  findOtpFailures,
  forgetProofs,
  insertOwnAuthenticator,
  removeOwnAuthenticators,
  replaceRecoveryCodes,
} from './second-factor.queries.ts';
import {
  type Authenticator,
  codeIn,
  decide,
  findPolicy,
  fingerprint,
  hashRecoveryCode,
  illegalCode,
  networkNotAllowed,
  type SecondFactorParts,
  sealingContext,
  verifyCode,
} from './second-factor.ts';

/** Type of an account's own authenticator, for accounts whose groups have none. */
const OWN_TYPE = 'APPAUTH';
const SETUP_CODE_LENGTH = 16;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 16;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE32 = `${LETTERS}234567`;
const SETUP_CHARACTERS = `${LETTERS}${LETTERS.toLowerCase()}0123456789`;

export interface OtpParts extends FreshLoginParts {
  /** Name that authenticator apps show above the codes. */
  otpIssuer: string;
}

/** The setup code for an authenticator app, to be typed or scanned. */
export interface Registration {
  /** Base32 without padding. */
  manualEntryCode: string;
  /** Data URI of a PNG. */
  qrCode: string;
}

/**
 * Returns the setup code of the account's authenticator, and requires a code as soon as a code of any authenticator was
 * accepted. An account whose groups have no authenticators gets its own one, and a new one whenever it sends a code;
 * that ends its other logins.
 */
export async function registerOtp(parts: OtpParts, request: Holder & Code, origin: Origin): Promise<Registration> {
  const outcome = await asHolder(parts, request, origin, async (tx, userId) => {
    const { id } = await getAccountByUserId(tx, userId);
    const policy = await findPolicy(tx, parts.secondFactor, userId);
    if (decide(policy, origin.address).outcome === 'forbidden') return refused(networkNotAllowed());
    const type = request.otpAuthenticator || (policy.authenticators[0]?.type ?? OWN_TYPE);
    let shown = policy.authenticators.find((authenticator) => authenticator.type === type);
    if (shown === undefined && (policy.authenticators.length > 0 || type !== OWN_TYPE)) return refused(illegalCode());
    // any proved authenticator, not only the shown one: else a client could avoid its code by requesting another
    // authenticator
    if (policy.authenticators.some(({ proved }) => proved)) {
      if (codeIn(request) === '') return refused(alreadyRegistered());
      const error = await verifyCode(tx, policy, userId, request, origin);
      if (error) return refused(error);
      if (shown?.own && shown.proved) await removeOwnAuthenticators(tx, userId);
    }
    if (shown === undefined || (shown.own && shown.proved)) {
      shown = await makeOwn(tx, parts.secondFactor, userId);
      await revokeUserFamilies(tx, userId, request.caller?.familyId);
    }
    await audit(tx, {
      action: 'otp.register',
      accountId: id,
      subject: id,
      ...origin,
      details: { type: shown.type, own: shown.own },
    });
    return success({ id, setupCode: shown.setupCode });
  });
  if (outcome.result === 'refused') throw outcome.error;
  const { id, setupCode } = outcome.value;
  const secret = new ScureBase32Plugin().encode(Buffer.from(setupCode, 'ascii'), { padding: false });
  const uri = generateURI({ issuer: parts.otpIssuer, label: id, secret });
  // loaded when it is needed, because it delays the start
  const { default: QRCode } = await import('qrcode');
  return { manualEntryCode: secret, qrCode: await QRCode.toDataURL(uri, { type: 'image/png' }) };
}

async function makeOwn(tx: Transaction, { sealer }: SecondFactorParts, userId: string): Promise<Authenticator> {
  const setupCode = randomText(SETUP_CHARACTERS, SETUP_CODE_LENGTH);
  const sealed = sealer.seal(setupCode, sealingContext(userId, OWN_TYPE));
  await insertOwnAuthenticator(tx, userId, OWN_TYPE, fingerprint(OWN_TYPE, setupCode), sealed);
  return { type: OWN_TYPE, setupCode, own: true, proved: false };
}

/**
 * Replaces the recovery codes, each of which replaces a one-time password once. Needs a code, even in an allowed
 * network.
 */
export async function makeRecoveryCodes(parts: OtpParts, request: Holder & Code, origin: Origin): Promise<string[]> {
  const outcome = await asHolder(parts, request, origin, async (tx, userId) => {
    const { id } = await getAccountByUserId(tx, userId);
    const policy = await findPolicy(tx, parts.secondFactor, userId);
    if (decide(policy, origin.address).outcome === 'forbidden') return refused(networkNotAllowed());
    if (policy.authenticators.length === 0)
      return refused(conflict(`Account '${id}' has no authenticator.`, { code: 'NoAuthenticator' }));
    const error = await verifyCode(tx, policy, userId, request, origin);
    if (error) return refused(error);
    const codes = Array.from({ length: RECOVERY_CODES }, () => randomText(BASE32, RECOVERY_CODE_LENGTH));
    await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode));
    await audit(tx, { action: 'otp.recovery-codes.make', accountId: id, subject: id, ...origin });
    return success(codes);
  });
  if (outcome.result === 'refused') throw outcome.error;
  return outcome.value.map((code) => code.replace(/(.{4})(?!$)/g, '$1-'));
}

/** Authenticators, recovery codes and wrong codes of an account, by its login id. Contains no secret. */
export async function otpStatus({ db, secondFactor }: Pick<OtpParts, 'db' | 'secondFactor'>, id: string) {
  const account = await getAccount(db, id);
  const { authenticators } = await findPolicy(db, secondFactor, account.userId);
  const failures = await findOtpFailures(db, account.userId);
  return {
    id: account.id,
    authenticators: authenticators.map(({ type, own, proved }) => ({ type, own, registered: proved })),
    recoveryCodes: await countRecoveryCodes(db, account.userId),
    failures: failures?.failures ?? 0,
    ...(failures?.blockedFor === undefined ? {} : { blockedUntil: failures.blockedUntil }),
  };
}

/**
 * For a lost device: deletes the account's own authenticators and its recovery codes, and ends its logins except the
 * caller's. Authenticators of groups may be registered again.
 */
export const resetOtp = (parts: OtpParts, caller: Caller, id: string): Promise<void> =>
  parts.db.transaction(async (tx) => {
    const account = await lockAccount(tx, (await getAccount(tx, id)).userId);
    if (account.userId === caller.userId) {
      requireFreshLogin(parts, caller);
      await requireActiveLogin(tx, caller);
    }
    await revokeUserFamilies(tx, account.userId, caller.familyId);
    await removeOwnAuthenticators(tx, account.userId);
    await forgetProofs(tx, account.userId);
    await replaceRecoveryCodes(tx, account.userId, []);
    await clearOtpFailures(tx, account.userId);
    await audit(tx, { action: 'otp.reset', subject: account.id, tenantId: account.tenantId, ...by(caller) });
  });

const alreadyRegistered = (): AppError =>
  forbidden(
    'The account has a registered authenticator. Repeat the request with a one-time password, or ask an administrator to reset the authenticator.',
    {
      code: 'OtpAlreadyRegistered',
    },
  );

const randomText = (characters: string, length: number) =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
