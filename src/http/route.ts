import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Cached } from './cache/cached.ts';
import type { Caller } from './caller.ts';
import type { Service } from './rules/versions.ts';

/** The Fastify server; the types of requests and answers come from the zod schemas of each route. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Who may call a route. Authentication is checked before the body is read, the policies after it was validated. */
export type Access = 'public' | 'signedIn' | 'editors' | 'administrators';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required: the server does not start without it. */
    access?: Access;
    /** Required. `none` for routes without versions: health, OpenAPI, JWKS, blobs. */
    service?: Service;
    /**
     * Limits per caller. `free`: none; `heavy`: also those of heavy requests; `blobs`: refused with 503, which clients
     * of blobs understand.
     */
    limit?: 'free' | 'heavy' | 'blobs';
    /** Answers whose rights are checked with `ResponseCache.right` are sent again from memory. */
    responseCache?: boolean;
    /** Caches the answers. */
    cached?: Cached;
    /** A signed link in the query or the header `sas-token` replaces the authentication; the route checks it. */
    signedLinks?: boolean;
    /** Also accepts HTTP Basic (login id and password). */
    basic?: boolean;
    /**
     * The handler reads the header `svc-project-id`, where it may name the project of the request. Gates judge its
     * tenant.
     */
    projectHeader?: boolean;
    /** The request may end logins. */
    endsLogins?: boolean;
    /** Requests must send `api-version`. */
    versionRequired?: boolean;
    /** Versions of the service that have this route. Default: all. */
    versions?: readonly number[];
    /** The route concerns several tenants of the caller: the tenant header does not remove the other memberships. */
    concernsTenants?: boolean;
    /** Answers contain a secret and are not stored for repeated requests. */
    secretAnswer?: boolean;
    /** The request is idempotent by itself: ignores `Idempotency-Key`, and so needs no transaction. */
    repeatable?: boolean;
    /** Parts of the OpenAPI operation that no schema describes: bodies other than JSON, headers, more answers. */
    described?: Record<string, unknown>;
    /** Type of the answers that have a schema. Default: `application/json`. */
    mediaType?: string;
    /** Answers 405 for a method that the path does not have. */
    closed?: boolean;
  }
  interface FastifyRequest {
    /** Throws on public routes. */
    caller: Caller;
  }
}
