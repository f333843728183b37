import type { SignInState } from '../accounts/account.ts';
import { standingInTheWay } from '../accounts/account.ts';
import { lockSignInState } from '../accounts/queries.ts';
import { record } from '../audit.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
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
} from './queries.ts';
import { hashOf, newRefreshToken } from './refresh-token.ts';
import type { Asked } from './replay.ts';
import { keepForReplay, REPLAY_MS, replay } from './replay.ts';

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

/** What a login leads to. Its access token is signed when the transaction is over: signing takes a thread. */
export interface NewFamily {
  identity: Identity;
  refreshToken: IssuedToken;
}

/** The family that a login starts. */
export async function startFamily(tx: Db, { settings }: TokenParts, userId: string): Promise<NewFamily> {
  const familyId = await insertFamily(tx, userId, settings['tokens.familyLifetime']);
  return { refreshToken: await nextToken(tx, settings, familyId), identity: await getIdentity(tx, userId) };
}

/** The keys were settled before. */
export const pairOf = async ({ tokens }: TokenParts, { identity, refreshToken }: NewFamily): Promise<TokenPair> => ({
  accessToken: await tokens.issue(identity),
  tokenType: 'bearer',
  refreshToken,
});

/**
 * Exchanges a refresh token, once, for a new pair. Unknown, used and revoked tokens are not found; a token that comes back later than the
 * leeway after its use, or from elsewhere, was stolen from one of the two: its whole family ends (RFC 9700, 4.14.2). With an
 * Idempotency-Key the answer can be had again for a minute, from the same address.
 */
export async function refresh(
  parts: TokenParts,
  { token, idempotencyKey }: { token: string; idempotencyKey?: string | undefined },
  origin: Origin,
): Promise<{ pair: TokenPair; replayed: boolean }> {
  await parts.tokens.keys.settle();
  const hash = hashOf(token);
  const asked = idempotencyKey === undefined ? undefined : { token, idempotencyKey };
  // signed before the transaction, which would wait for a thread; whoever reads the claims asks for the account's state anew
  const holder = await findFamily(parts.db, hash);
  const accessToken = holder && (await parts.tokens.issue(await getIdentity(parts.db, holder.userId)));
  // refusals that end a family must be committed, so they leave the transaction as values
  const outcome = await parts.db.transaction(async (tx) => {
    const found = accessToken && (await findFamily(tx, hash));
    // the account before the token, as a change or deletion of the account does: the other way round the two would wait for each other
    const state = found ? await lockSignInState(tx, found.userId) : undefined;
    if (!state || !accessToken) return notUsable();
    const used = await useRefreshToken(tx, hash, origin.address);
    if (!used) return again(tx, parts, { hash, asked, origin, state });
    const obstacle = standingInTheWay(state);
    if (obstacle) {
      await revokeFamily(tx, used.familyId);
      return invalid(obstacle.sentence, { code: obstacle.code });
    }
    const refreshToken = await nextToken(tx, parts.settings, used.familyId);
    const pair: TokenPair = { accessToken, tokenType: 'bearer', refreshToken };
    if (asked) await keepForReplay(tx, asked, pair);
    return { pair, replayed: false };
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

interface Again {
  hash: Buffer;
  asked: Asked | undefined;
  origin: Origin;
  state: SignInState;
}

/** A token that cannot be exchanged: the answer that it had, or why not. */
async function again(tx: Db, { settings }: TokenParts, { hash, asked, origin, state }: Again) {
  const found = await findRefreshToken(tx, hash, {
    address: origin.address,
    leewayMs: settings['tokens.reuseLeeway'],
    replayMs: REPLAY_MS,
  });
  if (!found) return notUsable();
  const obstacle = found.used ? undefined : standingInTheWay(state);
  if (obstacle) return invalid(obstacle.sentence, { code: obstacle.code });
  if (found.revoked) return notUsable();
  if (!found.used) return invalid('The refresh token has expired.', { code: 'RefreshTokenExpired' });
  const pair = asked && found.answer && (await replay(tx, asked, found.answer));
  if (pair) return { pair, replayed: true };
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

async function nextToken(tx: Db, settings: TokenParts['settings'], familyId: string): Promise<IssuedToken> {
  const token = newRefreshToken();
  const expiresAt = await insertRefreshToken(tx, hashOf(token), familyId, settings['tokens.refreshLifetime']);
  return { token, expiration: `${expiresAt}Z` };
}

async function getIdentity(db: Db, userId: string): Promise<Identity> {
  const identity = await findIdentity(db, userId);
  if (!identity) throw notUsable();
  return identity;
}

const notUsable = () =>
  new AppError('notFound', 'The refresh token is unknown, was used before or is revoked.', {
    code: 'RefreshTokenNotFound',
  });
