import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { requestIdFrom } from '../observe/request-ids.ts';
import type { LoggedRequest } from '../observe/request-log.ts';
import type { TracedRequest } from '../observe/request-traces.ts';
import { hasSignature } from '../rules/signed-link.ts';
import type { Asked, AskedOptions } from './asked.ts';
import { askedReader } from './asked.ts';
import { isCurrent } from './cached.ts';

/** A right to read that was checked. */
export interface CheckedRight<Subject> {
  readonly subject: Subject;
  /** Of the content and the record. */
  readonly version: string;
  /** Milliseconds since 1970: when the credentials expire. */
  readonly expires: number;
  /** For the log. */
  readonly caller: string | undefined;
}

export type HeaderFields = Readonly<Record<string, number | string | string[] | undefined>>;

/** An answer with status 200 or 204. */
export interface KeptAnswer {
  /** Path pattern of the route. */
  readonly route: string;
  readonly resource: string;
  readonly version: string;
  /** Without the request id. */
  readonly headers: HeaderFields;
  readonly etag?: string;
  /** Absent with status 204. */
  readonly body?: Uint8Array;
}

/** An answer that was sent without the server's hooks. */
export interface Answered extends LoggedRequest {
  readonly route: string;
}

export interface KnownAnswersOptions extends AskedOptions {
  /** Beginnings of the paths that have kept answers. */
  readonly paths: readonly string[];
  /** Called when an answer was sent, for the log and metrics. */
  answered(answer: Answered): void;
  /** Starts a span, if requests are traced. Returns a function that ends it. */
  readonly trace: ((request: TracedRequest) => (status: number) => void) | undefined;
  /** Called when the first right is kept. */
  began(): void;
}

interface KeptRight<Subject> extends CheckedRight<Subject> {
  /** Milliseconds since 1970: from then on one request checks the right again, while it still holds for the others. */
  renewsAt: number;
}

interface Known {
  readonly route: string;
  readonly resource: string;
  readonly version: string;
  readonly status: 200 | 204;
  readonly etag: string | undefined;
  /** Names and values in turns. */
  readonly headers: readonly string[];
  /** With status 304. */
  readonly shortHeaders: readonly string[];
  readonly body: Buffer | undefined;
  /** The query is a signature. */
  readonly isSigned: boolean;
  readonly size: number;
  /** Since the eviction passed it last. */
  wasUsed: boolean;
}

/** How long a right holds without being checked again: until changes by other processes are seen. */
const KEEP_MS = 1000;
const RENEW_MS = 700;
/** Callers whose rights are kept. */
const MOST_CALLERS = 2000;
const MOST_BYTES = 64 << 20;
/** Of an answer beside its body. */
const OVERHEAD = 2000;
const NOT_WITH_304 = new Set(['content-type', 'content-length', 'content-encoding']);

/**
 * Answers that were sent before, and rights that were checked within the last second. A GET request whose caller has
 * such a right is answered at once, before all hooks and rules, with the bytes and headers that the route has sent for
 * the same address, version and headers. All other requests go their usual way.
 *
 * A right belongs to all that it was checked with: address, credentials and headers. It ends with the credentials, after a
 * second, and when this process has answered any request that may have changed something (`endRights`).
 */
export class KnownAnswers<Subject> {
  readonly #options: KnownAnswersOptions;
  readonly #read: (request: IncomingMessage) => Asked | undefined;
  /** By `Asked.rights`, then by resource; the caller whose rights were checked longest ago first. */
  readonly #rights = new Map<string, Map<string, KeptRight<Subject>>>();
  /** By URL and `Asked.form`. The first ones are removed, but those that were used become the last ones. */
  readonly #answers = new Map<string, Known>();
  #size = 0;
  /** Counts the calls of `endRights`: a right whose check began before the last one is not kept. */
  #generation = 0;
  #hasBegun = false;
  #isClosed = false;
  /** Requests that go the usual way. */
  readonly #asked = new WeakMap<IncomingMessage, { asked: Asked; generation: number; renews: boolean }>();

  constructor(options: KnownAnswersOptions) {
    this.#options = options;
    this.#read = askedReader(options);
  }

  /** Answers a request if its answer is known and its caller may have it. Returns whether it did. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '' } = request;
    if (method !== 'GET' || this.#isClosed || !this.#options.paths.some((path) => url.startsWith(path))) return false;
    const began = performance.now();
    const asked = this.#read(request);
    if (asked === undefined) return false;
    const key = url + asked.form;
    const known = this.#answers.get(key);
    const right = known && this.#rights.get(rightsOf(asked, url, known.isSigned))?.get(known.resource);
    const now = Date.now();
    const renews = right !== undefined && right.renewsAt <= now;
    if (!known || !right || right.version !== known.version || right.expires <= now || renews) {
      if (renews) right.renewsAt = Number.POSITIVE_INFINITY;
      this.#asked.set(request, { asked, generation: this.#generation, renews });
      return false;
    }
    known.wasUsed = true;
    this.#send(response, { url, asked, known, began, caller: right.caller });
    return true;
  }

  #send(
    response: ServerResponse,
    sent: { url: string; asked: Asked; known: Known; began: number; caller: string | undefined },
  ) {
    const { url, asked, known, began, caller } = sent;
    const id = requestIdFrom(asked.requestId);
    const { route, etag } = known;
    const end = this.#options.trace?.({ requestId: id, method: 'GET', route, traceparent: asked.traceparent });
    const isShort = etag !== undefined && isCurrent(asked.ifNoneMatch, etag);
    const status = isShort ? 304 : known.status;
    response.writeHead(status, (isShort ? known.shortHeaders : known.headers).concat('x-request-id', id) as string[]);
    if (isShort) response.end();
    else response.end(known.body);
    const done = () => {
      end?.(status);
      const ms = performance.now() - began;
      this.#options.answered({ requestId: id, method: 'GET', url, route, status, ms, caller });
    };
    // what the system has not taken yet waits for the client
    if (response.socket?.writableLength === 0) done();
    else response.once('close', done);
  }

  /** The right of a request to a resource: a kept one, or the one that `check` returns. Throws what `check` throws. */
  async right(
    request: IncomingMessage,
    resource: string,
    check: () => Promise<CheckedRight<Subject>>,
  ): Promise<CheckedRight<Subject>> {
    const found = this.#asked.get(request);
    if (found === undefined) return check();
    const key = rightsOf(found.asked, request.url!, hasSignature(request.url!));
    const kept = this.#rights.get(key)?.get(resource);
    if (kept !== undefined && kept.expires > Date.now() && !found.renews) return kept;
    const checked = await check().catch((error: unknown) => {
      this.#rights.get(key)?.delete(resource);
      throw error;
    });
    if (found.generation === this.#generation && checked.expires > Date.now()) this.#keepRight(key, resource, checked);
    return checked;
  }

  #keepRight(key: string, resource: string, right: CheckedRight<Subject>) {
    if (!this.#hasBegun) this.#options.began();
    this.#hasBegun = true;
    const ofCaller = this.#rights.get(key) ?? new Map<string, KeptRight<Subject>>();
    const now = Date.now();
    ofCaller.set(resource, { ...right, expires: Math.min(right.expires, now + KEEP_MS), renewsAt: now + RENEW_MS });
    this.#rights.delete(key);
    this.#rights.set(key, ofCaller);
    for (const [oldest, rights] of this.#rights) {
      if (this.#rights.size <= MOST_CALLERS && rights.values().some(({ expires }) => expires > now)) break;
      this.#rights.delete(oldest);
    }
  }

  /** Keeps the answer of a request that went the usual way. */
  keep(request: IncomingMessage, { route, resource, version, headers, etag, body }: KeptAnswer): void {
    const found = this.#asked.get(request);
    if (found === undefined || this.#isClosed) return;
    const list = Object.entries(headers).flatMap(([name, value]) =>
      name === 'x-request-id' || value === undefined ? [] : [[name, String(value)] as const],
    );
    const length = body === undefined ? [] : [['content-length', String(body.length)] as const];
    const all = [...list.filter(([name]) => name !== 'content-length'), ...length];
    const url = request.url!;
    const key = url + found.asked.form;
    this.#forget(key);
    const known: Known = {
      route,
      resource,
      version,
      status: body === undefined ? 204 : 200,
      etag,
      headers: all.flat(),
      shortHeaders: all.filter(([name]) => !NOT_WITH_304.has(name)).flat(),
      // a copy, because the bytes may be a part of a larger buffer, or be returned to a pool
      body: body && Buffer.from(body),
      isSigned: hasSignature(url),
      size: OVERHEAD + key.length + (body?.length ?? 0),
      wasUsed: true,
    };
    this.#answers.set(key, known);
    this.#size += known.size;
    for (const [oldest, one] of this.#answers) {
      if (this.#size <= MOST_BYTES) break;
      this.#answers.delete(oldest);
      if (one.wasUsed) this.#answers.set(oldest, one);
      else this.#size -= one.size;
      one.wasUsed = false;
    }
  }

  #forget(key: string) {
    this.#size -= this.#answers.get(key)?.size ?? 0;
    this.#answers.delete(key);
  }

  /** Call when rights or contents may have changed, after the commit. */
  endRights(): void {
    this.#generation++;
    this.#rights.clear();
  }

  /** All requests go their usual way from now on, so that their connections end with them. */
  close(): void {
    this.#isClosed = true;
    this.endRights();
    this.#answers.clear();
    this.#size = 0;
  }
}

/** The query of a signed address is a credential. */
const rightsOf = ({ rights }: Asked, url: string, isSigned: boolean) =>
  isSigned ? `${rights}\n${url.slice(url.indexOf('?'))}` : rights;

/** Lets a server answer from what is known before its own handler. */
export function answerKnownFirst(server: Server, known: Pick<KnownAnswers<unknown>, 'answer'>): void {
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (known.answer(request, response)) return;
    for (const handle of handlers) Reflect.apply(handle, server, [request, response]);
  });
}
