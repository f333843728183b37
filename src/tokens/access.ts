import { hash, randomUUID } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { KeyStore } from '../platform/keys/key-store.ts';
import type { SecretKeySettings } from '../platform/keys/secret-key.ts';
import { type Timestamp, timestampFromDate } from '../platform/text/time.ts';
import { ExternalIssuers } from './issuers.ts';
import { TokenKeys } from './keys.ts';
import type { Family, Identity, LoginOfToken } from './queries.ts';
import { scopesInToken } from './scopes.ts';

const ALGORITHM = 'RS256';
/** RFC 9068: no other kind of JWT passes for an access token. */
const TYPE = 'at+jwt';
const CLOCK_TOLERANCE_SECONDS = 5;
/** Verified tokens are cached by their hash, because verifying a signature costs more than the rest of a request. */
const KEEP_MS = 60_000;
const MAX_KEPT = 5_000;

/** Account and scopes of a valid token. Everything else about the account is looked up at each request. */
export interface Grant {
  /** Tokens of other authorization servers contain the login id (`accountId`), and their logins end there. */
  holder: { userId: string; login: LoginOfToken } | { accountId: string };
  /** When the caller logged in. Milliseconds since 1970; absent: unknown. */
  loggedInAt?: number;
  /** Absent: the scopes of the platform's own tokens for this account. */
  scopes?: readonly string[];
  /** Milliseconds since 1970. */
  expires: number;
}

export interface IssuedToken {
  token: string;
  /** Ends in `Z`, unlike other times. */
  expiration: Timestamp;
}

type Settings = Pick<
  Config,
  | 'tokens.issuer'
  | 'tokens.audience'
  | 'tokens.accessLifetime'
  | 'tokens.browserAccessLifetime'
  | 'tokens.defaultScopes'
  | 'tokens.keyFiles'
  | 'tokens.externalIssuers'
>;

/** Tokens of before 0079 have neither `sid` nor `auth_time`. */
const Claims = z.object({
  user_id: z.guid(),
  scope: z.string(),
  iat: z.number(),
  exp: z.number(),
  sid: z.guid().optional(),
  auth_time: z.number().optional(),
});

/** Signs and verifies access tokens with the platform's keys, which the first start generates. */
export class AccessTokens {
  readonly keys: TokenKeys;
  readonly #settings: Settings;
  readonly #issuers: ExternalIssuers;
  readonly #verified = new LRUCache<string, Grant>({ max: MAX_KEPT, ttl: KEEP_MS });

  private constructor(settings: Settings, keys: TokenKeys, issuers: ExternalIssuers) {
    this.#settings = settings;
    this.keys = keys;
    this.#issuers = issuers;
  }

  /** Do not call it in a transaction. */
  static async open(db: Database, settings: Settings & SecretKeySettings, store?: KeyStore): Promise<AccessTokens> {
    const keys = await TokenKeys.open(db, settings, store);
    const issuers = await ExternalIssuers.open(settings['tokens.externalIssuers'], settings['tokens.issuer']);
    return new AccessTokens(settings, keys, issuers);
  }

  /** The token expires with its login at the latest. */
  async issue(
    identity: Identity,
    { familyId, since, until, cookie }: Pick<Family, 'familyId' | 'since' | 'until' | 'cookie'>,
  ): Promise<IssuedToken> {
    const { kid, key } = this.keys.signing();
    const now = Math.floor(Date.now() / 1000);
    const lifetime = this.#settings[cookie ? 'tokens.browserAccessLifetime' : 'tokens.accessLifetime'];
    const expires = Math.min(now + Math.ceil(lifetime / 1000), Math.floor(until / 1000));
    const login = { sid: familyId, auth_time: Math.floor(since / 1000) };
    const token = await new SignJWT({ ...makeClaims(identity, this.scopesOf(identity)), ...login })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
      .setIssuer(this.#settings['tokens.issuer'])
      .setAudience(this.#settings['tokens.audience'])
      .setSubject(identity.accountId)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(expires)
      .setJti(randomUUID())
      .sign(key);
    return { token, expiration: `${timestampFromDate(new Date(expires * 1000))}Z` };
  }

  /** Undefined if the token is forged, expired, of an unknown issuer or not an access token. */
  async verify(token: string): Promise<Grant | undefined> {
    const name = hash('sha256', token, 'base64url');
    const known = this.#verified.get(name);
    if (known !== undefined && Date.now() < known.expires) return known;
    const checked = isCompact(token) ? await this.#check(token) : undefined;
    if (!checked) return undefined;
    this.#verified.set(name, checked);
    return checked;
  }

  /** Scopes of this account's tokens. */
  scopesOf(identity: Pick<Identity, 'metadata'>): readonly string[] {
    return scopesInToken(identity, this.#settings['tokens.defaultScopes']);
  }

  async #check(token: string): Promise<Grant | undefined> {
    try {
      const foreign = await this.#issuers.check(token);
      if (foreign) {
        const { accountId, expires, authTime, ...scopes } = foreign;
        return { holder: { accountId }, ...loggedInAt(authTime), ...scopes, expires: expires * 1000 };
      }
      const { payload } = await jwtVerify(token, async ({ kid }) => this.keys.verifying(kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: this.#settings['tokens.issuer'],
        audience: this.#settings['tokens.audience'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      });
      const claims = Claims.parse(payload);
      const { sid } = claims;
      return {
        holder: {
          userId: claims.user_id,
          login: sid === undefined ? { issuedAt: new Date(claims.iat * 1000) } : { familyId: sid },
        },
        ...loggedInAt(claims.auth_time),
        scopes: claims.scope.split(' ').filter(Boolean),
        expires: (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000,
      };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }
}

/** Whether a token is three parts in base64url as RFC 7515 wants it, without padding: one token has one spelling. */
const isCompact = (token: string): boolean => {
  const parts = token.split('.');
  return parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
};

const loggedInAt = (seconds: number | undefined): Pick<Grant, 'loggedInAt'> =>
  seconds === undefined ? {} : { loggedInAt: seconds * 1000 };

function makeClaims(identity: Identity, scopes: readonly string[]): JWTPayload {
  return {
    user_id: identity.userId,
    ...(identity.tenantId === undefined ? {} : { tenant_id: identity.tenantId }),
    name: identity.name,
    ...(identity.email === undefined ? {} : { email: identity.email }),
    roles: identity.roles,
    groups: identity.groups,
    scope: scopes.join(' '),
  };
}
