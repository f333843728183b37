import { createRemoteJWKSet, decodeJwt, errors, importSPKI, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AppError } from '../errors.ts';
import type { ExternalIssuer } from '../platform/settings/settings.ts';

const CLOCK_TOLERANCE_SECONDS = 5;
const FETCH_MS = 5_000;
/** Minimum time between a failed request to the other server and the next one. */
const PAUSE_MS = 2_000;

/** Claims of a valid token of another authorization server. */
export interface ForeignGrant {
  /** Login id, in its exact spelling. */
  accountId: string;
  scopes?: string[];
  /** Seconds since 1970. */
  expires: number;
  /** When the holder logged in there. Seconds since 1970; absent: unknown. */
  authTime?: number;
}

export interface ExternalIssuers {
  /** Undefined if the token names none of these issuers. Throws jose's errors if it is not valid. */
  check(token: string): Promise<ForeignGrant | undefined>;
}

/** Verifies each token with the keys, audience and algorithm of the issuer that it names. */
export async function openIssuers(settings: readonly ExternalIssuer[], ownIssuer: string): Promise<ExternalIssuers> {
  const known = new Map<string, (token: string) => Promise<ForeignGrant>>();
  for (const one of settings) {
    if (one.issuer === ownIssuer || known.has(one.issuer))
      throw new Error(`tokens.externalIssuers: the issuer '${one.issuer}' is listed twice or is the platform's own.`);
    known.set(one.issuer, checkerOf(one, await loadKey(one)));
  }
  return {
    async check(token) {
      if (known.size === 0) return undefined;
      const { iss } = decodeJwt(token);
      return iss === undefined ? undefined : known.get(iss)?.(token);
    },
  };
}

async function loadKey({ issuer, publicKey = '', jwksUrl, algorithm }: ExternalIssuer): Promise<JWTVerifyGetKey> {
  if (jwksUrl !== undefined) return remoteKeys(new URL(jwksUrl), issuer);
  const key = await importSPKI(publicKey, algorithm).catch(() => {
    throw new Error(`tokens.externalIssuers: the public key of '${issuer}' is not a PEM key for ${algorithm}.`);
  });
  return async () => key;
}

/** Fetches the key set for unknown keys, at most every 30 seconds. If it is unreachable, answers 503 and not 401. */
function remoteKeys(url: URL, issuer: string): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { timeoutDuration: FETCH_MS });
  let failedAt = Number.NEGATIVE_INFINITY;
  const outage = () =>
    new AppError('unavailable', `The keys of the issuer '${issuer}' are not available.`, { retryAfter: 5 });
  return async (header, token) => {
    if (performance.now() - failedAt < PAUSE_MS) throw outage();
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      failedAt = performance.now();
      throw outage();
    }
  };
}

const checkerOf =
  ({ issuer, audience, algorithm, accountClaim, scopeClaim }: ExternalIssuer, key: JWTVerifyGetKey) =>
  async (token: string): Promise<ForeignGrant> => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp', accountClaim],
    });
    const accountId = payload[accountClaim];
    if (typeof accountId !== 'string') throw new errors.JWTInvalid(`The claim ${accountClaim} is not a string.`);
    const { exp = 0 } = payload;
    return {
      accountId,
      expires: exp + CLOCK_TOLERANCE_SECONDS,
      ...authTimeFrom(payload.auth_time),
      ...(scopeClaim === undefined ? {} : { scopes: scopesFrom(payload[scopeClaim]) }),
    };
  };

/** A time in the future says nothing: a login would count as recent for ever. */
const authTimeFrom = (claim: unknown): Pick<ForeignGrant, 'authTime'> =>
  typeof claim === 'number' && claim <= Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS ? { authTime: claim } : {};

const scopesFrom = (claim: unknown): string[] =>
  typeof claim === 'string'
    ? claim.split(' ').filter(Boolean)
    : [claim].flat().filter((one) => typeof one === 'string');
