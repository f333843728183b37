import { createHash, randomBytes } from 'node:crypto';

import { standingInTheWay } from '../accounts/account.ts';
import { lockSignInState } from '../accounts/queries.ts';
import { record } from '../audit.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import { append } from '../outbox.ts';
import type { AccessTokens, IssuedToken } from './access.ts';
import type { Identity } from './identity.queries.ts';
import { findIdentity } from './identity.queries.ts';
import {
  findFamily,
  findRefreshToken,
  insertFamily,
  insertRefreshToken,
  revokeFamily,
  useRefreshToken,
} from './refresh.queries.ts';

/** Both tokens, as an answer. */
export interface TokenPair {
  accessToken: IssuedToken;
  tokenType: 'bearer';
  refreshToken: IssuedToken;
}

export interface TokenParts {
  db: Db;
  tokens: AccessTokens;
  settings: Pick<Config, 'tokens.refreshLifetime' | 'tokens.familyLifetime' | 'tokens.reuseLeeway'>;
}

/** Where a request came from, for reuse of tokens and for the audit trail. */
export interface Origin {
  address: string;
  requestId: string;
}

/** The tokens of a login, which starts a family. */
export async function startFamily(tx: Db, parts: TokenParts, userId: string): Promise<TokenPair> {
  const familyId = await insertFamily(tx, userId, parts.settings['tokens.familyLifetime']);
  return issuePair(tx, parts, familyId, await getIdentity(tx, userId));
}

/**
 * Exchanges a refresh token, once, for a new pair. Unknown, used and revoked tokens are not found; a token that comes back later than the
 * leeway after its use, or from elsewhere, was stolen from one of the two: its whole family ends (RFC 9700, 4.14.2).
 */
export async function refresh(parts: TokenParts, token: string, origin: Origin): Promise<TokenPair> {
  const hash = hashOf(token);
  // refusals that end a family must be committed, so they leave the transaction as values
  const outcome = await parts.db.transaction(async (tx) => {
    const used = await useRefreshToken(tx, hash, origin.address);
    if (!used) return refusal(tx, parts, hash, origin);
    const state = await lockSignInState(tx, used.userId);
    const obstacle = state ? standingInTheWay(state) : undefined;
    if (!state || obstacle) {
      await revokeFamily(tx, used.familyId);
      return obstacle ? invalid(obstacle.sentence, { code: obstacle.code }) : notUsable();
    }
    return issuePair(tx, parts, used.familyId, await getIdentity(tx, used.userId));
  });
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** Ends the family of a refresh token, whether or not that token was used; what is unknown or ended stays as it is. */
export const revoke = (db: Db, token: string, origin: Origin): Promise<void> =>
  db.transaction(async (tx) => {
    const found = await findFamily(tx, hashOf(token));
    if (!found || !(await revokeFamily(tx, found.familyId))) return;
    const { accountId, tenantId } = await getIdentity(tx, found.userId);
    await record(tx, {
      action: 'token.revoke',
      accountId,
      subject: accountId,
      tenantId,
      ...origin,
      details: { familyId: found.familyId },
    });
  });

async function refusal(tx: Db, { settings }: TokenParts, hash: Buffer, origin: Origin): Promise<AppError> {
  const found = await findRefreshToken(tx, hash, origin.address, settings['tokens.reuseLeeway']);
  if (!found || found.revoked) return notUsable();
  if (!found.used) return invalid('The refresh token has expired.', { code: 'RefreshTokenExpired' });
  if (found.late && (await revokeFamily(tx, found.familyId))) await tellOfReuse(tx, found, origin);
  return notUsable();
}

async function tellOfReuse(tx: Db, { familyId, userId }: { familyId: string; userId: string }, origin: Origin) {
  const { accountId, tenantId } = await getIdentity(tx, userId);
  await append(tx, {
    type: 'svc.platform.events.refreshtokenreusedevent',
    source: '/svc/platform/tokens',
    subject: 'Refresh token reused',
    tenantId,
    userId,
    resourceId: familyId,
    requestId: origin.requestId,
    data: { FamilyId: familyId, AccountId: accountId, UserId: userId, Address: origin.address, CustomerGuid: tenantId },
  });
  await record(tx, { action: 'token.reuse', subject: accountId, tenantId, ...origin, details: { familyId } });
}

async function issuePair(tx: Db, { tokens, settings }: TokenParts, familyId: string, identity: Identity) {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = await insertRefreshToken(tx, hashOf(token), familyId, settings['tokens.refreshLifetime']);
  const pair: TokenPair = {
    accessToken: await tokens.issue(identity),
    tokenType: 'bearer',
    refreshToken: { token, expiration: `${expiresAt}Z` },
  };
  return pair;
}

async function getIdentity(tx: Db, userId: string): Promise<Identity> {
  const identity = await findIdentity(tx, userId);
  if (!identity) throw notUsable();
  return identity;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest();
const notUsable = () =>
  new AppError('notFound', 'The refresh token is unknown, was used before or is revoked.', {
    code: 'RefreshTokenNotFound',
  });
