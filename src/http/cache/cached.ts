import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../db.ts';
import type { Rule } from '../rules/rules.ts';
import { findGeneration } from './cached.queries.ts';
import type { CacheStore } from './store.ts';

/** What a route says whose answers are kept (`config.cached`). */
export interface Cached {
  /**
   * What the answer is read from, such as `accounts`, or `timeseries:<dataset>` by request. Whoever writes it raises its generation in the
   * same transaction, by `raise_cache_generation` of the database: then nothing kept before is served any more, in any process.
   */
  resource: string | ((request: FastifyRequest) => string);
  /**
   * Who gets the same answer: callers of one class. Called for every request before anything kept is looked at, so it is also where a route
   * refuses those who may not see the thing. Default: everybody has answers of their own.
   */
  permission?: (request: FastifyRequest) => string | Promise<string>;
}

export interface CacheOptions {
  db: Db;
  store: CacheStore;
  lifetime: number;
  /** By the resource's name, up to its colon. */
  lifetimes: Readonly<Record<string, number>>;
}

interface Filling {
  key: string;
  generation: number;
  lifetime: number;
}

/** Characters. Of longer answers only the ETag is kept, which is what spares sending them. */
const LONGEST_KEPT = 2 ** 20;

const filling = new WeakMap<FastifyRequest, Filling>();

/**
 * Keeps the 200s of GET routes that ask for it: the same ETag until the resource is written or the time is over, 304 for who has it already,
 * which also lets the kept answer live on.
 */
export const cached =
  ({ db, store, lifetime: usual, lifetimes }: CacheOptions): Rule =>
  (route) => {
    const wanted = route.config?.cached;
    if (!wanted || route.method !== 'GET') return {};
    const permission = wanted.permission ?? callerClass;

    async function lookUp(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
      const resource = typeof wanted?.resource === 'function' ? wanted.resource(request) : (wanted?.resource ?? '');
      const lifetime = lifetimes[resource.split(':', 1)[0] ?? ''] ?? usual;
      const key = keyOf(request, resource, await permission(request));
      // read before the answer is made: a write in between makes what is kept too old, never too young
      const generation = await findGeneration(db, resource);
      const kept = await store.get(key);
      if (!kept || kept.generation !== generation) {
        filling.set(request, { key, generation, lifetime });
        return false;
      }
      headers(reply, kept.etag, lifetime);
      if (isCurrent(request.headers['if-none-match'], kept.etag)) {
        await store.extend(key, lifetime);
        reply.code(304).send();
      } else if (kept.remade) {
        return false;
      } else {
        reply
          .type(kept.contentType)
          .serializer((text: string) => text)
          .send(kept.body);
      }
      return true;
    }

    return {
      preHandler(request, reply, done) {
        lookUp(request, reply).then((answered) => {
          if (!answered) done();
        }, done);
      },
      onSend(request, reply, payload, done) {
        const fill = filling.get(request);
        if (!fill || reply.statusCode !== 200) return done(null, payload);
        const short = typeof payload === 'string' && payload.length <= LONGEST_KEPT;
        const etag = `"${randomBytes(16).toString('base64url')}"`;
        headers(reply, etag, fill.lifetime);
        const contentType = String(reply.getHeader('content-type'));
        store
          .set(
            fill.key,
            {
              etag,
              generation: fill.generation,
              contentType,
              ...(short ? { body: payload } : { body: '', remade: true }),
            },
            fill.lifetime,
          )
          .then(() => done(null, payload), done);
      },
    };
  };

/** Whatever decides what a caller may see. */
function callerClass({ caller }: FastifyRequest): string {
  const { userId, tenantId, tenants, groups, roles, scopes } = caller;
  return JSON.stringify([userId, tenantId, tenants, groups, roles, scopes]);
}

function keyOf(request: FastifyRequest, resource: string, permission: string): string {
  const query = Object.entries(request.query as Record<string, unknown>).sort(([one], [two]) => (one < two ? -1 : 1));
  const { accept = '*/*' } = request.headers;
  const parts = [resource, request.routeOptions.url, request.apiVersion, request.params, query, accept, permission];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** `must-revalidate` lets caches on the way keep answers to signed-in callers; the names of what was shown keep these apart. */
function headers(reply: FastifyReply, etag: string, lifetime: number) {
  reply.header('etag', etag);
  reply.header('cache-control', `must-revalidate, max-age=${Math.floor(lifetime / 1000)}`);
  const before = reply.getHeader('vary');
  const own = 'Authorization, Accept, svc-open-api-key, svc-tenant-id, dhi-open-api-key, dhi-tenant-id';
  reply.header('vary', before === undefined ? own : `${before}, ${own}`);
}

/** RFC 9110, 13.1.2: weak comparison. */
export function isCurrent(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => {
    const text = each.trim().replace(/^W\//, '');
    return text === '*' || text === etag;
  });
}
