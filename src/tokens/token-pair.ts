import type { Config } from '../config.ts';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { AccessTokens, IssuedToken } from './access.ts';
import type { Identity } from './queries.ts';
import { findIdentity, insertFamily, insertRefreshToken } from './queries.ts';
import { hashOf, newRefreshToken } from './refresh-token.ts';

/** Access token and refresh token, as in answers. */
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

/** A login whose access token is still to be signed: outside of the transaction, because signing waits for a thread. */
export interface NewFamily {
  identity: Identity;
  refreshToken: IssuedToken;
}

/** Starts a token family and issues its first refresh token. */
export async function startFamily(tx: Db, { settings }: TokenParts, userId: string): Promise<NewFamily> {
  const familyId = await insertFamily(tx, userId, settings['tokens.familyLifetime']);
  return { refreshToken: await issueRefreshToken(tx, settings, familyId), identity: await getIdentity(tx, userId) };
}

/** Signs the access token. Call `tokens.keys.refreshIfStale` before the login's transaction. */
export const signPair = async ({ tokens }: TokenParts, { identity, refreshToken }: NewFamily): Promise<TokenPair> => ({
  accessToken: await tokens.issue(identity),
  tokenType: 'bearer',
  refreshToken,
});

export async function issueRefreshToken(
  tx: Db,
  settings: TokenParts['settings'],
  familyId: string,
): Promise<IssuedToken> {
  const token = newRefreshToken();
  const expiresAt = await insertRefreshToken(tx, hashOf(token), familyId, settings['tokens.refreshLifetime']);
  return { token, expiration: `${expiresAt}Z` };
}

/** Throws `RefreshTokenNotFound` when the account was deleted meanwhile. */
export async function getIdentity(db: Db, userId: string): Promise<Identity> {
  const identity = await findIdentity(db, userId);
  if (!identity) throw refreshTokenNotFound();
  return identity;
}

export const refreshTokenNotFound = () =>
  new AppError('notFound', 'The refresh token is unknown, was used before or is revoked.', {
    code: 'RefreshTokenNotFound',
  });
