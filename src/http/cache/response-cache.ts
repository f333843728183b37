import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { setCaller } from '../rules/auth.ts';
import type { Rule } from '../rules/rules.ts';
import { type CacheKey, cacheKeys } from './cache-key.ts';
import { isCurrent } from './cached.ts';
import { type CheckedRight, Rights } from './rights.ts';

interface CachedResponse {
  readonly resource: string;
  /** Of the resource. */
  readonly version: string;
  readonly etag: string | undefined;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Undefined with status 204. */
  readonly body: Buffer | undefined;
}

/** A request that the cache did not answer. */
interface Miss {
  readonly key: CacheKey;
  /** Of the rights when the request came. */
  readonly generation: number;
  /** What the answer is made of, when its right was checked. */
  subject?: { readonly resource: string; readonly version: string };
}

export interface ResponseCacheOptions {
  /** Names of the platform's headers, with each prefix. */
  readonly platformHeaders: readonly string[];
  /** Counts a request for the limits of its caller. Returns whether it may be answered at once. */
  admits(request: FastifyRequest): boolean;
  /** Called when a right is checked for the first time. */
  onFirstRight(): void;
}

const MAX_BYTES = 64 << 20;
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
  readonly #options: ResponseCacheOptions;
  readonly #keyOf: (request: FastifyRequest) => CacheKey;
  readonly #rights = new Rights<Subject>();
  readonly #responses = new LRUCache<string, CachedResponse>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }, key) => ENTRY + key.length + (body?.length ?? 0),
  });
  readonly #misses = new WeakMap<FastifyRequest, Miss>();
  #hasRights = false;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#keyOf = cacheKeys(options.platformHeaders);
  }

  /** Comes before all rules that can refuse: the answer that was cached has passed them. */
  readonly rule: Rule = (route) => {
    if (route.method !== 'GET' || !route.config?.responseCache) return {};
    return {
      onRequest: (request, reply, done) => {
        const key = this.#keyOf(request);
        const response = this.#find(request, key);
        if (response !== undefined) return send(request, reply, response);
        this.#misses.set(request, { key, generation: this.#rights.generation });
        done();
      },
      onSend: (request, reply, payload, done) => {
        this.#keep(request, reply, payload);
        done(null, payload);
      },
    };
  };

  #find(request: FastifyRequest, key: CacheKey): CachedResponse | undefined {
    const response = this.#responses.get(key.response);
    const right = response && this.#rights.find(`${key.rights}\n${response.resource}`);
    if (right?.version !== response?.version) return undefined;
    if (right?.caller) setCaller(request, right.caller);
    return right && this.#options.admits(request) ? response : undefined;
  }

  /** The right of a request to a resource, checked within the last second. Throws what `check` throws. */
  async right(
    request: FastifyRequest,
    resource: string,
    check: () => Promise<CheckedRight<Subject>>,
  ): Promise<CheckedRight<Subject>> {
    const miss = this.#misses.get(request);
    if (miss === undefined) return check();
    if (!this.#hasRights) this.#options.onFirstRight();
    this.#hasRights = true;
    const right = await this.#rights.get(`${miss.key.rights}\n${resource}`, miss.generation, check);
    miss.subject = { resource, version: right.version };
    return right;
  }

  #keep(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { key, subject } = this.#misses.get(request) ?? {};
    const { statusCode } = reply;
    if (key === undefined || subject === undefined || (statusCode !== 200 && statusCode !== 204)) return;
    const sent = Object.entries(reply.getHeaders()).filter(([name]) => !NOT_CACHED.has(name));
    const headers = Object.fromEntries(sent) as CachedResponse['headers'];
    // a copy, because the bytes may be a part of a larger buffer
    const body = statusCode === 204 ? undefined : Buffer.from(payload as Buffer | string);
    this.#responses.set(key.response, { ...subject, etag: headers.etag as string | undefined, headers, body });
  }

  /** Call it when rights or contents may have changed, after the commit. */
  endRights(): void {
    this.#rights.clear();
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { etag, headers, body }: CachedResponse): void {
  if (etag !== undefined && isCurrent(request.headers['if-none-match'], etag)) {
    for (const [name, value] of Object.entries(headers)) if (!NOT_WITH_304.has(name)) reply.header(name, value);
    reply.code(304).send();
  } else {
    reply
      .headers(headers)
      .code(body === undefined ? 204 : 200)
      .send(body);
  }
}
