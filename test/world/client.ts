import { once } from 'node:events';
import { type Agent, get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { InjectOptions } from 'fastify';
import type { App } from '../../src/http/route.ts';

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  /** Parsed JSON, otherwise text. `raw` has the bytes. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  body: any;
  raw: Buffer;
}

type Headers = Record<string, string>;

/**
 * HTTP client of the app without a network (Fastify inject). Sends bodies as JSON, except Buffers, streams, and strings
 * with a content type.
 */
export interface Client {
  get(url: string, headers?: Headers): Promise<Answer>;
  post(url: string, body?: unknown, headers?: Headers): Promise<Answer>;
  put(url: string, body?: unknown, headers?: Headers): Promise<Answer>;
  patch(url: string, body?: unknown, headers?: Headers): Promise<Answer>;
  delete(url: string, headers?: Headers): Promise<Answer>;
  send(options: InjectOptions): Promise<Answer>;
}

let free = Number.POSITIVE_INFINITY;
const waiting: (() => void)[] = [];

/**
 * Limits the requests of this thread that run at a time: the tests of a group begin all at once, and on a busy machine
 * their requests would wait too long for a connection to the database.
 */
export function limitRequests(most: number): void {
  free = most;
}

async function whenFree<T>(send: () => Promise<T>): Promise<T> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await send();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}

/** @param own returns headers for each request, such as authorization */
export function clientOf(app: () => App, own: () => Promise<Headers> | Headers = () => ({})): Client {
  const send = async (options: InjectOptions): Promise<Answer> => {
    const response = await whenFree(async () =>
      app().inject({ ...options, headers: { ...(await own()), ...options.headers } }),
    );
    const json = /\bjson\b/.test(String(response.headers['content-type']));
    return {
      status: response.statusCode,
      headers: response.headers,
      body: json && response.body !== '' ? JSON.parse(response.body) : response.body,
      raw: response.rawPayload,
    };
  };
  const withBody =
    (method: 'POST' | 'PUT' | 'PATCH') =>
    (url: string, body?: unknown, headers: Headers = {}) => {
      if (body === undefined || Buffer.isBuffer(body) || body instanceof Readable)
        return send({ method, url, headers, payload: body });
      return send({
        method,
        url,
        headers: { 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' && headers['content-type'] ? body : JSON.stringify(body),
      });
    };
  return {
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: (url, headers = {}) => send({ method: 'DELETE', url, headers }),
    send,
  };
}

/** Gets answers of a listening app at this address over HTTP, as they are sent: not unzipped, and with the headers that Node adds. */
export async function overHttp(
  address: string,
  agent: Agent,
): Promise<(url: string, headers?: Headers, localAddress?: string) => Promise<Answer>> {
  return async (url, headers = {}, localAddress = '127.0.0.1') => {
    const request = get(`${address}${url}`, { agent, headers, localAddress });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    const raw = Buffer.concat(parts);
    const text = raw.toString();
    const json = /\bjson\b/.test(String(response.headers['content-type']));
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: json && text !== '' ? JSON.parse(text) : text,
      raw,
    };
  };
}
