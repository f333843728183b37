import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestIdFrom } from '../observe/request-ids.ts';
import type { LoggedRequest } from '../observe/request-log.ts';
import type { TracedRequest } from '../observe/request-traces.ts';
import { hasSignature } from '../rules/signed-link.ts';
import { AnswerBytes } from './answer-bytes.ts';
import { type Asked, type AskedOptions, askedReader } from './asked.ts';
import { isCurrent } from './cached.ts';
import { type CheckedRight, type KeptRight, KnownRights } from './known-rights.ts';

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

/** A request that was answered with what is known. */
export interface KnownQuestion {
  readonly url: string;
  readonly asked: Asked;
  /** Of the answer. */
  readonly key: string;
  /** Key of the caller's rights. */
  readonly rights: string;
}

export interface KnownAnswersOptions extends AskedOptions {
  /** Beginnings of the paths that have kept answers. */
  readonly paths: readonly string[];
  /** Milliseconds that the server keeps an idle connection open. */
  readonly keepAlive: number;
  /** Called when an answer was sent, for the log and metrics. */
  answered(answer: Answered): void;
  /** Starts a span, if requests are traced. Returns a function that ends it. */
  readonly trace: ((request: TracedRequest) => (status: number) => void) | undefined;
  /**
   * Returns a function that counts one more request of the caller of this one, and returns whether it may be answered.
   */
  readonly another: (request: IncomingMessage) => (() => boolean) | undefined;
  /** Called when the first right is kept. */
  began(): void;
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
  readonly bytes: AnswerBytes;
  readonly shortBytes: AnswerBytes;
  readonly size: number;
  /** Since the eviction passed it last. */
  wasUsed: boolean;
}

interface Found<Subject> {
  readonly known: Known;
  readonly right: KeptRight<Subject>;
}

const MOST_BYTES = 64 << 20;
/** Of an answer beside its body. */
const OVERHEAD = 2000;
/** Of one request. */
const NOT_KEPT = new Set(['x-request-id', 'content-length', 'ratelimit']);
const NOT_WITH_304 = new Set(['content-type', 'content-length', 'content-encoding']);

/**
 * Answers that were sent before, and rights that were checked within the last second. A GET request whose caller has
 * such a right is answered at once, before all hooks and rules, with the bytes and headers that the route has sent for
 * the same address, version and headers. All other requests go their usual way.
 *
 * A right belongs to all that it was checked with: address, credentials and headers. It ends with the credentials,
 * after a second, and when this process has answered any request that may have changed something (`endRights`).
 */
export class KnownAnswers<Subject> {
  readonly #options: KnownAnswersOptions;
  readonly #read: (request: IncomingMessage) => Asked | undefined;
  readonly #rights = new KnownRights<Subject>();
  /** By URL and `Asked.form`. The first ones are removed, but those that were used become the last ones. */
  readonly #answers = new Map<string, Known>();
  #size = 0;
  #hasBegun = false;
  /** Counts the answers that connections have not taken yet. */
  #writing = 0;
  #written: (() => void) | undefined;
  #isClosed = false;
  /** Requests that go the usual way. */
  readonly #asked = new WeakMap<IncomingMessage, { asked: Asked; generation: number; renews: boolean }>();

  constructor(options: KnownAnswersOptions) {
    this.#options = options;
    this.#read = askedReader(options);
  }

  /** Answers a request if its answer is known and its caller may have it. Returns undefined if not. */
  answer(request: IncomingMessage, response: ServerResponse): KnownQuestion | undefined {
    const { method, url = '' } = request;
    if (method !== 'GET' || this.#isClosed || !this.#options.paths.some((path) => url.startsWith(path)))
      return undefined;
    const began = performance.now();
    const asked = this.#read(request);
    if (asked === undefined) return undefined;
    const question = { url, asked, key: url + asked.form, rights: rightsOf(asked, url) };
    const now = Date.now();
    const found = this.#find(question);
    if (!found || !holds(found, now) || found.right.another?.() === false) {
      const renews = found !== undefined && found.right.renewsAt <= now;
      if (renews) found.right.renewsAt = Number.POSITIVE_INFINITY;
      this.#asked.set(request, { asked, generation: this.#rights.generation, renews });
      return undefined;
    }
    const { known } = found;
    const { id, isShort, status, done } = this.#begin(question, found, requestIdFrom(asked.requestId), began);
    response.writeHead(status, (isShort ? known.shortHeaders : known.headers).concat('x-request-id', id) as string[]);
    if (isShort || status === 204) response.end();
    else response.end(known.bytes.body);
    // what the system has not taken yet waits for the client
    if (response.socket?.writableLength === 0) done();
    else response.once('close', done);
    return question;
  }

  /**
   * Answers a question again, with bytes on the connection that it came on. Checks all that `answer` checks. Returns
   * false, and does nothing, if the request must go its usual way.
   */
  answerOn(socket: Socket, question: KnownQuestion): boolean {
    const found = this.#find(question);
    const now = Date.now();
    if (!found || !holds(found, now) || found.right.another?.() === false) return false;
    const id = randomUUID();
    const { isShort, done } = this.#begin(question, found, id, performance.now());
    const { shortBytes, bytes } = found.known;
    if ((isShort ? shortBytes : bytes).write(socket, id, now)) done();
    else this.#afterWriting(socket, done);
    return true;
  }

  #find({ key, rights }: KnownQuestion): Found<Subject> | undefined {
    const known = this.#answers.get(key);
    const right = known && this.#rights.find(rights, known.resource);
    return right && { known, right };
  }

  #begin({ url, asked }: KnownQuestion, { known, right }: Found<Subject>, id: string, began: number) {
    const { route, etag } = known;
    known.wasUsed = true;
    const end = this.#options.trace?.({ requestId: id, method: 'GET', route, traceparent: asked.traceparent });
    const isShort = etag !== undefined && isCurrent(asked.ifNoneMatch, etag);
    const status = isShort ? 304 : known.status;
    const { caller } = right;
    const done = () => {
      end?.(status);
      const ms = performance.now() - began;
      this.#options.answered({ requestId: id, method: 'GET', url, route, status, ms, caller });
    };
    return { id, isShort, status, done };
  }

  /** Calls `done` when the system has taken all that was written, or when the connection has ended. */
  #afterWriting(socket: Socket, done: () => void) {
    this.#writing++;
    socket.write('', () => {
      done();
      this.#writing--;
      if (this.#writing === 0) this.#written?.();
    });
  }

  /** The right of a request to a resource: a kept one, or the one that `check` returns. Throws what `check` throws. */
  async right(
    request: IncomingMessage,
    resource: string,
    check: () => Promise<CheckedRight<Subject>>,
  ): Promise<CheckedRight<Subject>> {
    const found = this.#asked.get(request);
    if (found === undefined) return check();
    const rights = rightsOf(found.asked, request.url!);
    const kept = this.#rights.find(rights, resource);
    if (kept !== undefined && kept.expires > Date.now() && !found.renews) return kept;
    const checked = await check().catch((error: unknown) => {
      this.#rights.drop(rights, resource);
      throw error;
    });
    if (found.generation !== this.#rights.generation || checked.expires <= Date.now()) return checked;
    if (!this.#hasBegun) this.#options.began();
    this.#hasBegun = true;
    this.#rights.keep(rights, resource, { ...checked, another: this.#options.another(request) });
    return checked;
  }

  /** Keeps the answer of a request that went the usual way. */
  keep(request: IncomingMessage, { route, resource, version, headers, etag, body }: KeptAnswer): void {
    const found = this.#asked.get(request);
    if (found === undefined || this.#isClosed) return;
    const length = body === undefined ? [] : [['content-length', String(body.length)] as const];
    const list = Object.entries(headers).flatMap(([name, value]) =>
      NOT_KEPT.has(name) || value === undefined ? [] : [[name, String(value)] as const],
    );
    list.push(...length);
    const key = request.url! + found.asked.form;
    this.#forget(key);
    const status = body === undefined ? 204 : 200;
    const all = list.flat();
    const short = list.filter(([name]) => !NOT_WITH_304.has(name)).flat();
    const { keepAlive } = this.#options;
    const known: Known = {
      route,
      resource,
      version,
      status,
      etag,
      headers: all,
      shortHeaders: short,
      bytes: new AnswerBytes(status, all, body, keepAlive),
      shortBytes: new AnswerBytes(304, short, undefined, keepAlive),
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
    this.#rights.end();
  }

  /**
   * All requests go their usual way from now on, so that their connections end with them. Resolves when the answers
   * that were written to connections are taken: a server that closes does not wait for them.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.endRights();
    this.#answers.clear();
    this.#size = 0;
    if (this.#writing > 0) await new Promise<void>((resolve) => (this.#written = resolve));
  }
}

const holds = ({ known, right }: Found<unknown>, now: number) =>
  right.version === known.version && right.expires > now && right.renewsAt > now;

/** The query of a signed address is a credential. */
const rightsOf = ({ rights }: Asked, url: string) =>
  hasSignature(url) ? `${rights}\n${url.slice(url.indexOf('?'))}` : rights;
