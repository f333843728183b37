import { to } from './address.ts';
import type { Operations } from './api-types.ts';
import { ApiError, isAbort, toApiError } from './problem.ts';
import { randomId } from './random-id.ts';
import { accessToken, askPassword, renew, session, tenant } from './session.ts';

export type * from './api-types.ts';

type Part<K extends keyof Operations, Name extends string> =
  Operations[K] extends Record<Name, infer Value>
    ? Partial<Record<never, never>> extends Value
      ? Partial<Record<Name, Value>>
      : Record<Name, Value>
    : Operations[K] extends Partial<Record<Name, infer Value>>
      ? unknown extends Value
        ? unknown
        : Partial<Record<Name, Value>>
      : unknown;

/** Names of operations: `GET /api/metadata/project/{id}`. */
export type Operation = keyof Operations;
export type Answer<K extends Operation> = Operations[K]['answer'];

interface Options {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

interface AnyRequest extends Options {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export type Request<K extends Operation> = Part<K, 'params'> & Part<K, 'query'> & Part<K, 'body'> & Options;
type Arguments<K extends Operation> =
  Partial<Record<never, never>> extends Request<K> ? [request?: Request<K>] : [request: Request<K>];

/**
 * Calls an operation of the API: `await api('GET /api/metadata/project/{id}', { params: { id } })`. Writes are sent
 * with an Idempotency-Key, so that they can be sent again. If the session has ended, it is renewed once, else the
 * password is asked for over the page, and the request is sent again.
 * @throws ApiError for an answer that is not 2xx
 */
export async function api<K extends Operation>(operation: K, ...[request]: Arguments<K>): Promise<Answer<K>> {
  const answer = await send(operation, (request ?? {}) as AnyRequest);
  const type = answer.headers.get('content-type') ?? '';
  return (/[/+]json\b/.test(type) ? await answer.json() : undefined) as Answer<K>;
}

/** As `api`, for answers other than JSON: pictures, streams, files. */
export function apiResponse<K extends Operation>(operation: K, ...[request]: Arguments<K>): Promise<Response> {
  return send(operation, (request ?? {}) as AnyRequest);
}

async function send(operation: string, { params, query, body, signal, headers }: AnyRequest): Promise<Response> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const fixed: Record<string, string> = {
    accept: 'application/json',
    ...(tenant.value !== undefined && { 'svc-tenant-id': tenant.value.id }),
    ...(path.startsWith('/api/metadata/') && { 'api-version': '4' }),
    ...(method !== 'GET' && { 'idempotency-key': randomId() }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const init: RequestInit = {
    method,
    credentials: 'omit',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  };
  const url = to(path) + queryText(query);
  let token = await accessToken();
  let answer = await request(url, init, fixed, token);
  if (answer.status === 401 && session.value === 'in' && (await signedInAgain(token))) {
    token = await accessToken();
    answer = await request(url, init, fixed, token);
  }
  if (!answer.ok) throw await toApiError(answer);
  return answer;
}

const signedInAgain = async (token: string | undefined) => (await renew(token)) || (await askPassword());

/** Tries again once after a broken connection: a GET changes nothing, and writes have a key. */
async function request(url: string, init: RequestInit, headers: Record<string, string>, token: string | undefined) {
  const whole = { ...init, headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` } };
  try {
    return await fetch(url, whole).catch(async (error: unknown) => {
      if (isAbort(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return fetch(url, whole);
    });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, { code: 'Offline', detail: 'The server cannot be reached. Check the network.' });
  }
}

/** Lists are sent as repeated parameters; absent members are not sent. */
function queryText(query: Record<string, unknown> | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
