import { randomInt } from 'node:crypto';
import { generateURI, ScureBase32Plugin } from 'otplib';
import QRCode from 'qrcode';
import { getAccount } from '../accounts/queries.ts';
import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import type { AppError } from '../errors.ts';
import { conflict, forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { Credentials, LoginParts } from './log-in.ts';
import { withPassword } from './log-in.ts';
import {
  clearOtpFailures,
  countRecoveryCodes,
  findOtpFailures,
  forgetProofs,
  insertOwnAuthenticator,
  removeOwnAuthenticators,
  replaceRecoveryCodes,
} from './second-factor.queries.ts';
import type { Authenticator, FactorParts } from './second-factor.ts';
import {
  checkCode,
  codeIn,
  demandOf,
  findFactor,
  fingerprintOf,
  hashRecoveryCode,
  illegalCode,
  networkNotAllowed,
  ownContext,
} from './second-factor.ts';

/** What an account gets that registers without an authenticator of its groups. */
const OWN_TYPE = 'APPAUTH';
const SETUP_CODE_LENGTH = 16;
const RECOVERY_CODES = 10;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE32 = `${LETTERS}234567`;
const SETUP_CHARACTERS = `${LETTERS}${LETTERS.toLowerCase()}0123456789`;

export interface OtpParts extends LoginParts {
  /** What apps show above the codes. */
  otpIssuer: string;
}

/** What an authenticator app needs: to be typed, or to be scanned. */
export interface Registration {
  /** Base32 without padding. */
  manualEntryCode: string;
  /** Data URI of a PNG. */
  qrCode: string;
}

/**
 * Shows the setup code of the account's authenticator to who knows the password, until its first code was accepted; afterwards a code is
 * needed too. An account whose groups list none gets one of its own, and a new one whenever it shows a code.
 */
export async function registerOtp(parts: OtpParts, credentials: Credentials, origin: Origin): Promise<Registration> {
  const { id, setupCode } = await withPassword(parts, credentials, origin, async (tx, userId) => {
    const { id } = await getAccount(tx, credentials.id);
    const factor = await findFactor(tx, parts.factor, userId);
    if (demandOf(factor, origin.address).outcome === 'forbidden') return networkNotAllowed();
    const type = credentials.otpAuthenticator || (factor.authenticators[0]?.type ?? OWN_TYPE);
    let shown = factor.authenticators.find((one) => one.type === type);
    if (shown === undefined && (factor.authenticators.length > 0 || type !== OWN_TYPE)) return illegalCode();
    // a code of any of them: who has only the password must not get around the one by asking for the other
    if (factor.authenticators.some((one) => one.proved)) {
      if (codeIn(credentials) === '') return alreadyRegistered();
      const refusal = await checkCode(tx, factor, userId, credentials, origin);
      if (refusal) return refusal;
      if (shown?.own && shown.proved) await removeOwnAuthenticators(tx, userId);
    }
    if (shown === undefined || (shown.own && shown.proved)) shown = await makeOwn(tx, parts.factor, userId);
    await record(tx, {
      action: 'otp.register',
      accountId: id,
      subject: id,
      ...origin,
      details: { type: shown.type, own: shown.own },
    });
    return { result: 'success', value: { id, setupCode: shown.setupCode } };
  });
  const secret = new ScureBase32Plugin().encode(Buffer.from(setupCode, 'ascii'), { padding: false });
  const uri = generateURI({ issuer: parts.otpIssuer, label: id, secret });
  return { manualEntryCode: secret, qrCode: await QRCode.toDataURL(uri, { type: 'image/png' }) };
}

async function makeOwn(tx: Db, { sealer }: FactorParts, userId: string): Promise<Authenticator> {
  const setupCode = randomText(SETUP_CHARACTERS, SETUP_CODE_LENGTH);
  const sealed = sealer.seal(setupCode, ownContext(userId, OWN_TYPE));
  await insertOwnAuthenticator(tx, userId, OWN_TYPE, fingerprintOf(OWN_TYPE, setupCode), sealed);
  return { type: OWN_TYPE, setupCode, own: true, proved: false };
}

/** Ten new codes that stand for a one-time password once each; older ones are void. Needs a code, from wherever it is asked. */
export async function makeRecoveryCodes(parts: OtpParts, credentials: Credentials, origin: Origin): Promise<string[]> {
  return withPassword(parts, credentials, origin, async (tx, userId) => {
    const { id } = await getAccount(tx, credentials.id);
    const factor = await findFactor(tx, parts.factor, userId);
    if (demandOf(factor, origin.address).outcome === 'forbidden') return networkNotAllowed();
    if (factor.authenticators.length === 0)
      return conflict(`Account '${id}' has no authenticator.`, { code: 'NoAuthenticator' });
    const refusal = await checkCode(tx, factor, userId, credentials, origin);
    if (refusal) return refusal;
    const codes = Array.from({ length: RECOVERY_CODES }, () => randomText(BASE32, 16));
    await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode));
    await record(tx, { action: 'otp.recovery-codes.make', accountId: id, subject: id, ...origin });
    return { result: 'success', value: codes.map((code) => code.replace(/(.{4})(?!$)/g, '$1-')) };
  });
}

/** Of one account, by its login id: what stands, never a secret. */
export async function otpStatus({ db, factor }: Pick<OtpParts, 'db' | 'factor'>, id: string) {
  const account = await getAccount(db, id);
  const { authenticators } = await findFactor(db, factor, account.userId);
  const failures = await findOtpFailures(db, account.userId);
  return {
    id: account.id,
    authenticators: authenticators.map(({ type, own, proved }) => ({ type, own, registered: proved })),
    recoveryCodes: await countRecoveryCodes(db, account.userId),
    failures: failures?.failures ?? 0,
    ...(failures?.blockedFor === undefined ? {} : { blockedUntil: failures.blockedUntil }),
  };
}

/** For who has lost the device: own authenticators and recovery codes go, those of groups are shown again. */
export const resetOtp = (db: Db, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const account = await getAccount(tx, id);
    await removeOwnAuthenticators(tx, account.userId);
    await forgetProofs(tx, account.userId);
    await replaceRecoveryCodes(tx, account.userId, []);
    await clearOtpFailures(tx, account.userId);
    await record(tx, { action: 'otp.reset', subject: account.id, tenantId: account.tenantId, ...by(caller) });
  });

const alreadyRegistered = (): AppError =>
  forbidden('The authenticator is registered already. Send a one-time password, or have an administrator reset it.', {
    code: 'OtpAlreadyRegistered',
  });

const randomText = (characters: string, length: number) =>
  Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
