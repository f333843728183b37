import { accountStatusError } from '../accounts/account.ts';
import { type LoginState, lockLoginState } from '../accounts/login.queries.ts';
import { audit } from '../audit.ts';
import type { Database, Transaction } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import { emit } from '../outbox.ts';
import { type Family, findFamily, findUnusableToken, revokeFamily, useRefreshToken } from './queries.ts';
import { hashToken } from './refresh-token.ts';
import { findReplay, REPLAY_MS, type ReplayKey, storeForReplay } from './replay.ts';
import { getIdentity, issueRefreshToken, refreshTokenNotFound, type TokenPair, type TokenParts } from './token-pair.ts';

/**
 * Outcome of exchanging a refresh token. A refusal is returned, not thrown: it may have revoked the token family, which
 * must be committed.
 */
type Exchange = Exchanged | AppError;
export interface Exchanged {
  pair: TokenPair;
  replayed: boolean;
  family: Family;
}

interface RefreshRequest {
  token: string;
  idempotencyKey?: string | undefined;
  keeper: 'client' | 'cookie';
}

/**
 * Exchanges a refresh token, once, for a new pair. Unknown, used and revoked tokens are not found. A token that comes
 * back after the leeway, or from another address, was stolen from one of the two: its whole family is revoked (RFC
 * 9700, 4.14.2). With an Idempotency-Key the answer can be fetched again for a minute, from the same address.
 * @param keeper what keeps the token; one that is kept elsewhere is not found
 */
export async function refresh(
  parts: TokenParts,
  { token, idempotencyKey, keeper }: RefreshRequest,
  origin: Origin,
): Promise<Exchanged> {
  await parts.tokens.keys.refreshIfStale();
  const hash = hashToken(token);
  const replayKey = idempotencyKey === undefined ? undefined : { token, idempotencyKey };
  // signed before the transaction, because signing waits for a thread; the account's state is checked again in the
  // transaction
  const holder = await findFamily(parts.db, hash);
  if (!holder || (keeper === 'cookie') !== (holder.cookie !== undefined)) throw refreshTokenNotFound();
  const accessToken = await parts.tokens.issue(await getIdentity(parts.db, holder.userId), holder);
  const exchange = await parts.db.transaction(async (tx): Promise<Exchange> => {
    const found = await findFamily(tx, hash);
    // lock order as in changes and deletions of accounts: first the account, then its tokens
    const account = found ? await lockLoginState(tx, found.userId) : undefined;
    if (!found || !account) return refreshTokenNotFound();
    const used = await useRefreshToken(tx, hash, origin.address);
    if (!used) return unusable(tx, parts, { hash, replayKey, origin, account, family: found });
    const refusal = accountStatusError(account);
    if (refusal) {
      await revokeFamily(tx, used.familyId);
      return refusal;
    }
    const refreshToken = await issueRefreshToken(tx, parts.settings, used.familyId);
    const pair: TokenPair = { accessToken, tokenType: 'bearer', refreshToken };
    if (replayKey) await storeForReplay(tx, replayKey, pair);
    return { pair, replayed: false, family: found };
  });
  if (exchange instanceof AppError) throw exchange;
  return exchange;
}

/**
 * Revokes the family of a refresh token, used or not. Does nothing for a token that is unknown or whose family is
 * revoked.
 */
export const revoke = (db: Database, token: string, origin: Origin): Promise<void> =>
  db.transaction(async (tx) => {
    const found = await findFamily(tx, hashToken(token));
    if (!found || !(await revokeFamily(tx, found.familyId))) return;
    const { accountId, tenantId } = await getIdentity(tx, found.userId);
    await audit(tx, {
      action: 'token.revoke',
      accountId,
      subject: accountId,
      tenantId,
      ...origin,
      details: { familyId: found.familyId },
    });
  });

interface Unusable {
  hash: Buffer;
  replayKey: ReplayKey | undefined;
  origin: Origin;
  account: LoginState;
  family: Family;
}

/** The answer for a token that cannot be exchanged: a replay of its first answer, or a refusal. */
async function unusable(
  tx: Transaction,
  { settings }: TokenParts,
  { hash, replayKey, origin, account, family }: Unusable,
): Promise<Exchange> {
  const found = await findUnusableToken(tx, hash, {
    address: origin.address,
    leewayMs: settings['tokens.reuseLeeway'],
    replayMs: REPLAY_MS,
  });
  if (!found) return refreshTokenNotFound();
  const refusal = found.used ? undefined : accountStatusError(account);
  if (refusal) return refusal;
  if (found.revoked) return refreshTokenNotFound();
  if (!found.used) return invalid('The refresh token has expired.', { code: 'RefreshTokenExpired' });
  const pair = replayKey && found.answer && (await findReplay(tx, replayKey, found.answer));
  if (pair) return { pair, replayed: true, family };
  if (found.reused && (await revokeFamily(tx, found.familyId))) await reportReuse(tx, found, origin);
  return refreshTokenNotFound();
}

async function reportReuse(
  tx: Transaction,
  { familyId, userId }: { familyId: string; userId: string },
  origin: Origin,
) {
  const { accountId, tenantId } = await getIdentity(tx, userId);
  await emit(tx, {
    type: 'svc.platform.events.refreshtokenreusedevent',
    source: '/svc/platform/tokens',
    subject: 'Refresh token reused',
    tenantId,
    userId,
    resourceId: familyId,
    requestId: origin.requestId,
    data: { FamilyId: familyId, AccountId: accountId, UserId: userId, Address: origin.address, CustomerGuid: tenantId },
  });
  await audit(tx, { action: 'token.reuse', subject: accountId, tenantId, ...origin, details: { familyId } });
}
