import type { Config } from '../config.ts';
import type { Database, Reads, Transaction } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Origin } from '../http/rules/origin.ts';
import type { AccessTokens, IssuedToken } from './access.ts';
import { type Family, findIdentity, type Identity, insertFamily, insertRefreshToken } from './queries.ts';
import { hashToken, newRefreshToken } from './refresh-token.ts';

/** Tokens of a login, as in answers. */
export interface Tokens {
  accessToken: IssuedToken;
  tokenType: 'bearer';
  /** Absent: the login ends with the access token. */
  refreshToken?: IssuedToken;
}
export type TokenPair = Required<Tokens>;

export interface TokenParts {
  db: Database;
  tokens: AccessTokens;
  settings: Pick<
    Config,
    | 'tokens.accessLifetime'
    | 'tokens.refreshLifetime'
    | 'tokens.familyLifetime'
    | 'tokens.browserLifetime'
    | 'tokens.rememberedLifetime'
    | 'tokens.reuseLeeway'
  >;
}

/** A login whose access token is still to be signed: outside of the transaction, because signing waits for a thread. */
export interface NewFamily {
  identity: Identity;
  family: Family;
  refreshToken: IssuedToken | undefined;
}

/**
 * What keeps the refresh token of a login: the client, a cookie that ends with the browser (`session`) or not
 * (`persistent`), or nothing: there is none, and the login ends with its access token.
 */
export type Keeper = 'client' | NonNullable<Family['cookie']> | 'nothing';

const LIFETIME = {
  client: 'tokens.familyLifetime',
  session: 'tokens.browserLifetime',
  persistent: 'tokens.rememberedLifetime',
  nothing: 'tokens.accessLifetime',
} as const satisfies Record<Keeper, keyof TokenParts['settings']>;

/** Starts a token family and issues its first refresh token, if something keeps it. */
export async function startFamily(
  tx: Transaction,
  { settings }: TokenParts,
  userId: string,
  keeper: Keeper,
  origin: Pick<Origin, 'address' | 'agent'>,
): Promise<NewFamily> {
  const refreshes = keeper !== 'nothing';
  const family = await insertFamily(tx, userId, {
    lifetimeMs: settings[LIFETIME[keeper]],
    refreshes,
    ...(keeper === 'session' || keeper === 'persistent' ? { cookie: keeper } : {}),
    origin,
  });
  return {
    family,
    refreshToken: refreshes ? await issueRefreshToken(tx, settings, family.familyId) : undefined,
    identity: await getIdentity(tx, userId),
  };
}

/** Signs the access token. Call `tokens.keys.refreshIfStale` before the login's transaction. */
export async function signTokens(
  { tokens }: TokenParts,
  { identity, family, refreshToken }: NewFamily,
): Promise<Tokens> {
  const accessToken = await tokens.issue(identity, family);
  return { accessToken, tokenType: 'bearer', ...(refreshToken === undefined ? {} : { refreshToken }) };
}

export async function issueRefreshToken(
  tx: Transaction,
  settings: TokenParts['settings'],
  familyId: string,
): Promise<IssuedToken> {
  const token = newRefreshToken();
  const expiresAt = await insertRefreshToken(tx, hashToken(token), familyId, settings['tokens.refreshLifetime']);
  return { token, expiration: `${expiresAt}Z` };
}

/** Throws `RefreshTokenNotFound` when the account was deleted meanwhile. */
export async function getIdentity(db: Reads, userId: string): Promise<Identity> {
  const identity = await findIdentity(db, userId);
  if (!identity) throw refreshTokenNotFound();
  return identity;
}

export const refreshTokenNotFound = () =>
  new AppError('notFound', 'The refresh token is unknown, was used before or is revoked.', {
    code: 'RefreshTokenNotFound',
  });
