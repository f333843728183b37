import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { callerOf, setCaller } from '../rules/auth.ts';
import type { Rule } from '../rules/rules.ts';
import { expiryOf, readAsker } from '../rules/signed-link.ts';
import { responseKey, rightsKeys } from './cache-key.ts';
import { isCurrent } from './cached.ts';
import { Rights } from './rights.ts';

interface CachedResponse {
  readonly resource: string;
  /** Version of the resource. */
  readonly version: string;
  readonly etag: string | undefined;
  /** Header names and values in turn, without those in `NOT_CACHED`. */
  readonly headers: readonly string[];
  /** With status 304. */
  readonly shortHeaders: readonly string[];
  /** Undefined with status 204. */
  readonly body: Buffer | undefined;
}

/** A request that the cache did not answer. */
interface Miss {
  readonly rights: string;
  /** Generation of the rights when the request arrived. */
  readonly generation: number;
  /** Resource and version that the answer was made of. */
  subject?: { readonly resource: string; readonly version: string };
}

export interface ResponseCacheOptions<Subject> {
  /** Version of the content and the record of what was read. */
  versionOf(subject: Subject): string;
  /** Names of the platform's headers, with each prefix. */
  readonly platformHeaders: readonly string[];
  /** Counts a request for the limits of its caller. Returns whether it may be answered at once. */
  admits(request: FastifyRequest): boolean;
  /** Called when a right is checked for the first time. */
  onFirstRight(): void;
}

const MAX_BYTES = 128 << 20;
/** Bytes of an entry besides its key and body. */
const ENTRY = 2000;
/** Headers of one answer, which its cached copies do not have. */
const NOT_CACHED = new Set(['x-request-id', 'ratelimit', 'content-length']);
const NOT_WITH_304 = new Set(['content-type', 'content-encoding']);

/**
 * Answers of GET routes with `config.responseCache`, in memory. A request whose caller has had its right to the
 * resource checked within the last second gets the answer that the route has sent before for the same address and
 * headers, without a query. A right ends with the credentials, after a second, and when this process has answered any
 * request that may have changed something (`endRights`).
 */
export class ResponseCache<Subject> {
  readonly #options: ResponseCacheOptions<Subject>;
  readonly #rightsOf: (request: FastifyRequest) => string;
  readonly #rights = new Rights<Subject>();
  readonly #responses = new LRUCache<string, CachedResponse>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }, key) => ENTRY + key.length + (body?.length ?? 0),
  });
  readonly #misses = new WeakMap<FastifyRequest, Miss>();
  #hasRights = false;

  constructor(options: ResponseCacheOptions<Subject>) {
    this.#options = options;
    this.#rightsOf = rightsKeys(options.platformHeaders);
  }

  /**
   * Answers a request, if it can. Comes before all hooks that set headers or refuse, because the cached answer has
   * passed them.
   */
  readonly answer: onRequestHookHandler = (request, reply, done) => {
    const response = request.method === 'GET' ? this.#responses.get(responseKey(request)) : undefined;
    if (response !== undefined && this.#mayHave(request, response)) send(request, reply, response);
    else done();
  };

  #mayHave(request: FastifyRequest, { resource, version }: CachedResponse): boolean {
    const right = this.#rights.find(`${this.#rightsOf(request)}\n${resource}`);
    if (right?.version !== version) return false;
    if (right.caller) setCaller(request, right.caller);
    return this.#options.admits(request);
  }

  /** Keeps what the other requests get. Comes before the rule that finds the caller. */
  readonly rule: Rule = (route) => {
    if (route.method !== 'GET' || !route.config?.responseCache) return {};
    return {
      onRequest: (request, _reply, done) => {
        this.#misses.set(request, { rights: this.#rightsOf(request), generation: this.#rights.generation });
        done();
      },
      onSend: (request, reply, payload, done) => {
        this.#keep(request, reply, payload);
        done(null, payload);
      },
    };
  };

  /**
   * What `read` returns for a request that may read the resource, or returned for its caller within the last second.
   * Throws what `read` throws.
   */
  async readLately(request: FastifyRequest, resource: string, read: () => Promise<Subject>): Promise<Subject> {
    const miss = this.#misses.get(request);
    if (miss === undefined) return read();
    if (!this.#hasRights) this.#options.onFirstRight();
    this.#hasRights = true;
    const { subject, version } = await this.#rights.get(`${miss.rights}\n${resource}`, miss.generation, async () => {
      const subject = await read();
      const version = this.#options.versionOf(subject);
      return { subject, version, expires: expiryOf(readAsker(request)), caller: callerOf(request) };
    });
    miss.subject = { resource, version };
    return subject;
  }

  /** Answers a request whose right was checked, if it can: as `answer`, for the handler, which returns `reply` then. */
  answerAllowed(request: FastifyRequest, reply: FastifyReply): boolean {
    const { subject } = this.#misses.get(request) ?? {};
    const response = this.#responses.get(responseKey(request));
    if (response === undefined || response.resource !== subject?.resource || response.version !== subject.version)
      return false;
    send(request, reply, response);
    return true;
  }

  #keep(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { subject } = this.#misses.get(request) ?? {};
    const { statusCode } = reply;
    if (subject === undefined || (statusCode !== 200 && statusCode !== 204)) return;
    const all = reply.getHeaders();
    const sent = Object.entries(all).flatMap(([name, value]) =>
      NOT_CACHED.has(name) ? [] : [[name, String(value)] as const],
    );
    // a copy, because the bytes may be a part of a larger buffer
    const body = statusCode === 204 ? undefined : Buffer.from(payload as Buffer | string);
    this.#responses.set(responseKey(request), {
      ...subject,
      etag: all.etag as string | undefined,
      headers: [...sent, ...(body === undefined ? [] : [['content-length', String(body.length)]])].flat(),
      shortHeaders: sent.filter(([name]) => !NOT_WITH_304.has(name)).flat(),
      body,
    });
  }

  /** Call it when rights or contents may have changed, after the commit. */
  endRights(): void {
    this.#rights.clear();
  }
}

/** Without the hooks of other answers, which set its headers when it was made. Its end is logged as theirs. */
function send(request: FastifyRequest, reply: FastifyReply, response: CachedResponse): void {
  const { etag, headers, shortHeaders, body } = response;
  const isShort = etag !== undefined && isCurrent(request.headers['if-none-match'], etag);
  const status = isShort ? 304 : body === undefined ? 204 : 200;
  reply.hijack().raw.writeHead(status, [...(isShort ? shortHeaders : headers), 'x-request-id', request.id]);
  reply.raw.end(isShort ? undefined : body);
}
