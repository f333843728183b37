import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Method, OptionsInit, RequestError, Response } from 'got';
import { UsageError } from 'hydrofiles/terminal';
import type { AccessTokenAnswer, TokenAnswer } from '../src/tokens/answers.ts';
import type { Credentials } from '../src/tokens/credentials.ts';
import type { OtpRequired } from '../src/tokens/log-in.ts';
import type { Env } from './env.ts';
import { NotLoggedIn, Refused, Unreachable } from './errors.ts';
import { type Login, LoginFile } from './login-file.ts';
import { toError } from './refusal.ts';
import { serverAddress } from './server-address.ts';

export interface Answer<T> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The body as text. */
  text: string;
  /** The body as JSON, undefined if there is none. Its shape is not checked. */
  body: T;
  /** The body of an answer that is a file. */
  bytes?: Uint8Array;
}

/** Combines several answers into one for `Io.show`. */
export const composedAnswer = <T>(body: T): Answer<T> => ({
  status: 200,
  headers: {},
  text: JSON.stringify(body),
  body,
});

export interface CallOptions {
  /** Undefined members are omitted; an array repeats its name. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends no credentials; with `ifLoggedIn` those that there are. */
  anonymous?: boolean | 'ifLoggedIn';
  /** Is sent again if the connection breaks, even without an Idempotency-Key: its effect does no harm twice. */
  repeatable?: boolean;
}

/** Client of the REST API for one person. */
export interface Api {
  /** Base address, without a trailing slash. */
  readonly url: string;
  /** The tenant to act in; undefined: the home tenant. */
  tenant: string | undefined;
  /** Reason for changes, for the audit trail. */
  reason: string | undefined;
  /** Throws `NotLoggedIn` for 401, `Refused` for other error answers. */
  call<T>(method: Method, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Headers with credentials and tenant, for requests made without `call`. */
  identity(): Promise<Record<string, string>>;
  /** Exchanges credentials for tokens and stores them. */
  logIn(credentials: Credentials): Promise<Answer<TokenAnswer | OtpRequired>>;
  /** Exchanges credentials for an access token, whose login ends with it, without storing it. */
  issue(credentials: Credentials): Promise<Answer<AccessTokenAnswer | OtpRequired>>;
  /** Deletes the stored login and revokes it on the server. Returns where that succeeded. */
  logOut(): Promise<'notLoggedIn' | 'locally' | 'everywhere'>;
}

/** Tokens are refreshed this long before they expire. */
const REFRESH_BEFORE_MS = 30_000;
const CONNECT_MS = 10_000;
/** Longer than `Prefer: wait=60`. */
const RESPONSE_MS = 120_000;

/** Creates a client; the first call opens the connection. */
export function connectApi(env: Env): Api {
  const url = serverAddress(env);
  const stored = new LoginFile(env, url);
  const given = givenCredentials(env);
  const api: Api = {
    url,
    tenant: undefined,
    reason: undefined,
    async call<T>(method: Method, path: string, options: CallOptions = {}) {
      const once = async (credentials: Record<string, string> | undefined) => {
        const response = await send(method, url, path, {
          ...options,
          headers: {
            ...options.headers,
            ...credentials,
            ...(credentials && api.tenant ? { 'svc-tenant-id': api.tenant } : {}),
            ...(credentials && method !== 'GET' ? { 'idempotency-key': key } : {}),
            ...(api.reason && method !== 'GET' ? { 'svc-audit-reason': headerText(api.reason) } : {}),
          },
        });
        return parseAnswer<T>(response, url);
      };
      const key = randomUUID();
      if (options.anonymous === true) return once(undefined);
      if (given) return once(given);
      const login = await currentLogin(stored, url).catch((error) => {
        if (options.anonymous === 'ifLoggedIn' && error instanceof NotLoggedIn) return undefined;
        throw error;
      });
      if (login === undefined) return once(undefined);
      try {
        return await once(bearer(login.accessToken));
      } catch (error) {
        if (!(error instanceof NotLoggedIn)) throw error;
        // the clock may be wrong, or the signing keys may have changed: a new access token may work
        return once(bearer((await renew(stored, login, url)).accessToken));
      }
    },
    async identity() {
      const credentials = given ?? bearer((await currentLogin(stored, url)).accessToken);
      return { ...credentials, ...(api.tenant ? { 'svc-tenant-id': api.tenant } : {}) };
    },
    async logIn(credentials) {
      const answer = await api.call<TokenAnswer | OtpRequired>('POST', '/api/tokens', loginRequest(credentials));
      if (!('otpRequired' in answer.body)) await stored.write(loginFrom(credentials.id, answer.body));
      return answer;
    },
    issue: (credentials) => api.call('POST', '/api/tokens', loginRequest({ ...credentials, refresh: false })),
    async logOut() {
      const login = await stored.read().catch(() => undefined);
      await stored.remove();
      if (login === undefined) return 'notLoggedIn';
      const answer = await send('POST', url, '/api/tokens/revocation', { body: login.refreshToken }).catch(
        () => undefined,
      );
      return answer?.statusCode === 200 ? 'everywhere' : 'locally';
    },
  };
  return api;
}

const loginRequest = (body: Credentials & { refresh?: false }): CallOptions => ({
  body,
  anonymous: true,
  // not with a one-time password, which the first request may have used up
  repeatable: body.otp === undefined,
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Headers with the token or API key of the environment, which replaces a stored login. */
function givenCredentials({ PLATFORM_TOKEN: token, PLATFORM_API_KEY: key }: Env): Record<string, string> | undefined {
  if (token && key) throw new UsageError('PLATFORM_TOKEN and PLATFORM_API_KEY are both set. Unset one of them.');
  if (key && !/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('PLATFORM_API_KEY is not an API key: it contains blanks or characters outside of ASCII.');
  if (key) return { 'svc-open-api-key': key, 'svc-service-id': 'metadata' };
  return token ? bearer(token) : undefined;
}

/** Encodes UTF-8 for a header field, which is sent as Latin-1: one character per byte. */
const headerText = (text: string) => Buffer.from(text.replace(/\p{Cc}+/gu, ' ')).toString('latin1');

const loginFrom = (id: string, { accessToken, refreshToken }: TokenAnswer): Login => ({
  id,
  accessToken: accessToken.token,
  accessExpires: accessToken.expiration,
  refreshToken: refreshToken.token,
});

async function currentLogin(stored: LoginFile, url: string): Promise<Login> {
  const login = await stored.read();
  if (login === undefined) throw new NotLoggedIn(`Not logged in at ${url}. Run 'platform login'.`);
  const left = Date.parse(login.accessExpires) - Date.now();
  return left > REFRESH_BEFORE_MS ? login : renew(stored, login, url);
}

/**
 * Exchanges the refresh token, which works once. If two processes do so at the same time, one succeeds, and the other
 * reads the login that the first one stored. Thanks to the Idempotency-Key the server repeats an answer that was lost.
 */
async function renew(stored: LoginFile, old: Login, url: string): Promise<Login> {
  const newer = async () => {
    const now = await stored.read();
    return now && now.refreshToken !== old.refreshToken ? now : undefined;
  };
  const already = await newer();
  if (already) return already;
  const key = createHash('sha256').update(`refresh ${old.refreshToken}`).digest('hex');
  try {
    const response = await send('POST', url, '/api/tokens/refresh', {
      body: old.refreshToken,
      headers: { 'idempotency-key': key },
    });
    const login = loginFrom(old.id, parseAnswer<TokenAnswer>(response, url).body);
    // this answer may be late: tokens stored since are newer, and a logout stays in effect
    const now = await stored.read();
    if (now?.refreshToken !== old.refreshToken) return now ?? login;
    await stored.write(login);
    return login;
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500) throw error;
    for (let tries = 0; tries < 20; tries++) {
      const written = await newer();
      if (written) return written;
      await sleep(100);
    }
    throw new NotLoggedIn(`The login of ${old.id} has ended: ${error.message} Run 'platform login'.`);
  }
}

/** Parameters of a query; lists repeat theirs, undefined leaves it out. */
export function queryString(query: NonNullable<CallOptions['query']>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search;
}

async function send(
  method: Method,
  base: string,
  path: string,
  { query = {}, body, headers = {}, repeatable = false }: CallOptions,
): Promise<Response<string>> {
  const search = queryString(query);
  const isIdempotent = method === 'GET' || 'idempotency-key' in headers;
  const options: OptionsInit = {
    method,
    searchParams: search,
    headers: { accept: 'application/json', 'user-agent': 'platform', ...headers },
    throwHttpErrors: false,
    followRedirect: false,
    retry: {
      limit: isIdempotent || repeatable ? 3 : 0,
      methods: [method as 'GET'],
      // too many logins are reported immediately
      statusCodes: isIdempotent ? [429, 503] : [],
      errorCodes: ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
      maxRetryAfter: 30_000,
    },
    timeout: { connect: CONNECT_MS, response: RESPONSE_MS },
    ...(body === undefined ? {} : { json: body }),
  };
  // imported late: loading it takes a third of the start time, and `--help` does not need it
  const { default: got } = await import('got');
  try {
    return (await got(`${base}${path}`, { ...options, responseType: 'text' })) as Response<string>;
  } catch (error) {
    throw unreachable(error, base);
  }
}

/** Turns a network error into a sentence for people; returns other errors unchanged. */
export function unreachable(error: unknown, base: string): unknown {
  if (!isRequestError(error)) return error;
  const reason = error.code === 'ECONNREFUSED' ? 'the connection was refused' : error.message || error.code;
  const advice = "Start it with 'npm start', or set PLATFORM_URL to its address.";
  return new Unreachable(`No platform answers at ${base}: ${reason}. ${advice}`, { cause: error });
}

/** Recognized by `options`, which every error of got has: `instanceof` would load got. */
const isRequestError = (error: unknown): error is RequestError => error instanceof Error && 'options' in error;

function parseAnswer<T>(response: Response<string>, base: string): Answer<T> {
  const { statusCode: status, headers, body: text } = response;
  if (status < 200 || status >= 300) throw toError(status, text, base);
  try {
    const isBinary = /^(image\/|application\/octet-stream)/.test(String(headers['content-type']));
    if (isBinary || String(headers['content-disposition']).startsWith('attachment'))
      return { status, headers, text, body: undefined as T, bytes: response.rawBody };
    const isTable = String(headers['content-type']).startsWith('text/csv');
    return { status, headers, text, body: (text === '' || isTable ? undefined : JSON.parse(text)) as T };
  } catch {
    throw new Error(
      `${base} answered with ${headers['content-type'] ?? 'no content type'} instead of JSON. Check PLATFORM_URL.`,
    );
  }
}
