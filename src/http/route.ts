import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Cached } from './cache/cached.ts';
import type { Caller } from './caller.ts';
import type { Service } from './rules/versions.ts';

/** The server as every room's `routes.ts` gets it: request and answer types come from the zod schemas of each route. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Who may call a route. Checked before the body is looked at (signed in or not), and after it was validated (policies). */
export type Access = 'public' | 'signedIn' | 'editors' | 'administrators';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says it; a route that does not is refused at start. */
    access?: Access;
    /** Every route says it; `none` for health, OpenAPI, JWKS and blob addresses, which have no versions. */
    service?: Service;
    /** Its answers are kept for some time. */
    cached?: Cached;
    /** Login id and password (HTTP Basic) are taken beside a token. */
    basic?: boolean;
    /** `api-version` must be sent for this route. */
    versionRequired?: boolean;
    /** Those of its service's versions that have it; all of them when absent. */
    versions?: readonly number[];
    /** It is about several tenants of the caller, so that the tenant header does not narrow him to one. */
    concernsTenants?: boolean;
    /** The answer holds a secret: it is never kept for a repeated request. */
    secretAnswer?: boolean;
    /** Changes nothing that a repeated request would do twice: an `Idempotency-Key` is ignored, so that none holds a connection meanwhile. */
    repeatable?: boolean;
    /** Parts of the operation in the OpenAPI document that no schema says: bodies that are no JSON, headers, more answers. */
    described?: Record<string, unknown>;
    /** Stands for a method that its path lacks: 405. */
    closed?: boolean;
  }
  interface FastifyRequest {
    /** Who is asking. Reading it on a public route is a bug and throws. */
    caller: Caller;
  }
}
