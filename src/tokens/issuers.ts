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

/** Verifies each token with the keys, audience and algorithm of the issuer that it names. */
export class ExternalIssuers {
  readonly #issuers: ReadonlyMap<string, IssuerKey>;

  private constructor(issuers: ReadonlyMap<string, IssuerKey>) {
    this.#issuers = issuers;
  }

  static async open(settings: readonly ExternalIssuer[], ownIssuer: string): Promise<ExternalIssuers> {
    const issuers = new Map<string, IssuerKey>();
    for (const issuer of settings) {
      if (issuer.issuer === ownIssuer || issuers.has(issuer.issuer))
        throw new Error(
          `tokens.externalIssuers: the issuer '${issuer.issuer}' is listed twice or is the platform's own.`,
        );
      issuers.set(issuer.issuer, { issuer, key: await loadKey(issuer) });
    }
    return new ExternalIssuers(issuers);
  }

  /** Undefined if the token names none of these issuers. Throws jose's errors if it is not valid. */
  async check(token: string): Promise<ForeignGrant | undefined> {
    if (this.#issuers.size === 0) return undefined;
    const { iss } = decodeJwt(token);
    const known = iss === undefined ? undefined : this.#issuers.get(iss);
    return known && verify(token, known);
  }
}

interface IssuerKey {
  readonly issuer: ExternalIssuer;
  readonly key: JWTVerifyGetKey;
}

async function loadKey({ issuer, publicKey = '', jwksUrl, algorithm }: ExternalIssuer): Promise<JWTVerifyGetKey> {
  if (jwksUrl !== undefined) return new RemoteKeys(new URL(jwksUrl), issuer).find;
  const key = await importSPKI(publicKey, algorithm).catch(() => {
    throw new Error(`tokens.externalIssuers: the public key of '${issuer}' is not a PEM key for ${algorithm}.`);
  });
  return async () => key;
}

/** Fetches the key set for unknown keys, at most every 30 seconds. If it is unreachable, answers 503 and not 401. */
class RemoteKeys {
  readonly #keys: JWTVerifyGetKey;
  readonly #issuer: string;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(url: URL, issuer: string) {
    this.#keys = createRemoteJWKSet(url, { timeoutDuration: FETCH_MS });
    this.#issuer = issuer;
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (performance.now() - this.#failedAt < PAUSE_MS) throw this.#outage();
    try {
      return await this.#keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      this.#failedAt = performance.now();
      throw this.#outage();
    }
  };

  #outage(): AppError {
    return new AppError('unavailable', `The keys of the issuer '${this.#issuer}' are not available.`, {
      retryAfter: 5,
    });
  }
}

async function verify(token: string, { issuer: settings, key }: IssuerKey): Promise<ForeignGrant> {
  const { issuer, audience, algorithm, accountClaim, scopeClaim } = settings;
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
}

/** A time in the future says nothing: a login would count as recent for ever. */
const authTimeFrom = (claim: unknown): Pick<ForeignGrant, 'authTime'> =>
  typeof claim === 'number' && claim <= Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS ? { authTime: claim } : {};

const scopesFrom = (claim: unknown): string[] =>
  typeof claim === 'string'
    ? claim.split(' ').filter(Boolean)
    : [claim].flat().filter((one) => typeof one === 'string');
