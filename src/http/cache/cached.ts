import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../db.ts';
import { vary } from '../answers/vary.ts';
import type { Rule } from '../rules/rules.ts';
import { isSigned } from '../rules/signed-link.ts';
import { findGeneration } from './cached.queries.ts';
import type { CacheStore } from './store.ts';

/** Caching of a route (`config.cached`). */
export interface Cached {
  /**
   * The data that the answer depends on, such as `accounts` or `timeseries:<dataset>`. Writers must raise its
   * generation in their transaction (SQL function `raise_cache_generation`), which invalidates cached answers in all
   * processes.
   */
  resource: string | ((request: FastifyRequest) => string);
  /**
   * Callers with the same result share answers. Called for every request before the lookup, so it can throw an error,
   * such as 403. Default: each caller has separate answers.
   */
  permission?: (request: FastifyRequest) => string | Promise<string>;
}

export interface CacheOptions {
  db: Database;
  store: CacheStore;
  lifetime: number;
  /** Lifetimes by resource name (up to the colon). */
  lifetimes: Readonly<Record<string, number>>;
}

/** A cache miss whose answer is to be stored. */
interface Miss {
  key: string;
  generation: number;
  lifetime: number;
}

/** Maximum length in characters. Of longer answers only the ETag is cached, so that they can be answered with 304. */
const MAX_CACHED_LENGTH = 2 ** 20;

const misses = new WeakMap<FastifyRequest, Miss>();

/**
 * Caches answers with status 200 of GET routes with `config.cached`. The ETag stays the same until the resource is
 * written or the lifetime is over. A 304 extends the lifetime.
 */
export const cached =
  ({ db, store, lifetime: defaultLifetime, lifetimes }: CacheOptions): Rule =>
  (route) => {
    const options = route.config?.cached;
    if (!options || route.method !== 'GET') return {};
    const permission = options.permission ?? permissionsKey;

    /** Undefined for a signed link: it can be revoked, and clients must ask each time. */
    const lifetimeFor = (request: FastifyRequest, lifetime: number) =>
      route.config?.signedLinks === true && isSigned(request) ? undefined : lifetime;

    /** Sends the cached answer, if there is one. Returns whether it did. */
    async function answerFromCache(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
      const resource = typeof options?.resource === 'function' ? options.resource(request) : (options?.resource ?? '');
      const lifetime = lifetimes[resource.split(':', 1)[0] ?? ''] ?? defaultLifetime;
      // the generation is read before the handler runs: a concurrent write then invalidates the cached answer, even if
      // it contains the change
      const [permitted, generation] = await Promise.all([permission(request), findGeneration(db, resource)]);
      const key = cacheKey(request, resource, permitted);
      const entry = await store.get(key);
      if (!entry || entry.generation !== generation) {
        misses.set(request, { key, generation, lifetime });
        return false;
      }
      setHeaders(reply, entry.etag, lifetimeFor(request, lifetime));
      if (isCurrent(request.headers['if-none-match'], entry.etag)) {
        await store.extend(key, lifetime);
        reply.code(304).send();
      } else if (entry.etagOnly) {
        return false;
      } else {
        if (entry.disposition !== undefined) reply.header('content-disposition', entry.disposition);
        reply
          .type(entry.contentType)
          .serializer((text: string) => text)
          .send(entry.body);
      }
      return true;
    }

    return {
      preHandler(request, reply, done) {
        answerFromCache(request, reply).then((answered) => {
          if (!answered) done();
        }, done);
      },
      onSend(request, reply, payload, done) {
        const miss = misses.get(request);
        if (!miss || reply.statusCode !== 200) return done(null, payload);
        const isShort = typeof payload === 'string' && payload.length <= MAX_CACHED_LENGTH;
        const etag = `"${randomBytes(16).toString('base64url')}"`;
        setHeaders(reply, etag, lifetimeFor(request, miss.lifetime));
        const contentType = String(reply.getHeader('content-type'));
        const disposition = reply.getHeader('content-disposition');
        store
          .set(
            miss.key,
            {
              etag,
              generation: miss.generation,
              contentType,
              ...(typeof disposition === 'string' ? { disposition } : {}),
              ...(isShort ? { body: payload } : { body: '', etagOnly: true }),
            },
            miss.lifetime,
          )
          .then(() => done(null, payload), done);
      },
    };
  };

/** All members of a caller that decide what it may see. */
function permissionsKey({ caller }: FastifyRequest): string {
  const { userId, tenantId, tenants, allTenants, groups, roles, scopes } = caller;
  return JSON.stringify([userId, tenantId, tenants, allTenants, groups, roles, scopes]);
}

function cacheKey(request: FastifyRequest, resource: string, permission: string): string {
  const query = Object.entries(request.query as Record<string, unknown>).sort(([one], [two]) => (one < two ? -1 : 1));
  const { accept = '*/*' } = request.headers;
  const parts = [resource, request.routeOptions.url, request.apiVersion, request.params, query, accept, permission];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function setHeaders(reply: FastifyReply, etag: string, lifetime: number | undefined) {
  reply.header('etag', etag);
  setLifetime(reply, lifetime);
}

/**
 * `must-revalidate` allows shared caches to store answers to authenticated requests; `Vary` separates those of
 * different callers.
 * @param lifetime ms; undefined: clients must ask each time
 */
export function setLifetime(reply: FastifyReply, lifetime: number | undefined): void {
  if (lifetime === undefined) {
    reply.header('cache-control', 'private, no-cache');
    return;
  }
  reply.header('cache-control', `must-revalidate, max-age=${Math.floor(lifetime / 1000)}`);
  vary(reply, 'Authorization, Accept, svc-open-api-key, svc-tenant-id, dhi-open-api-key, dhi-tenant-id');
}

/** Whether `If-None-Match` contains the ETag (RFC 9110, 13.1.2: weak comparison). */
export function isCurrent(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => {
    const text = each.trim().replace(/^W\//, '');
    return text === '*' || text === etag;
  });
}
