import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  onRequestHookHandler,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
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
    /** Maximum number of members of objects and elements of lists in the body. Absent: that of most routes. */
    maxMembers?: number;
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

interface Route<Params, Query, Body, Answers> {
  /** Name of the operation in OpenAPI and in clients that are generated from it. */
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  params?: Params;
  querystring?: Query;
  body?: Body;
  /** Schemas by status. The only status of a route is set before its handler runs. */
  response?: Answers;
  /** Adds to what the routes share. */
  config?: FastifyContextConfig;
  /** Instead of the shared ones. */
  tags?: readonly string[];
  bodyLimit?: number;
  onRequest?: onRequestHookHandler | onRequestHookHandler[];
  handler: RouteHandlerMethod<
    RawServerDefault,
    IncomingMessage,
    ServerResponse,
    RouteGenericInterface,
    FastifyContextConfig,
    { params: Params; querystring: Query; body: Body; response: Answers },
    ZodTypeProvider,
    FastifyBaseLogger
  >;
}

/** Adds a route. Its handler gets and answers what the schemas say. */
type Add = <
  Params extends z.ZodType = z.ZodUnknown,
  Query extends z.ZodType = z.ZodUnknown,
  Body extends z.ZodType = z.ZodUnknown,
  Answers extends Record<number, z.ZodType> = never,
>(
  url: string,
  route: Route<Params, Query, Body, Answers>,
) => void;

/** Routes that share a part of their options: who may call them, their service, their tags in OpenAPI. */
export class Routes {
  readonly #app: App;
  readonly #config: FastifyContextConfig;
  readonly #tags: readonly string[] | undefined;
  readonly get = this.#adder('GET');
  readonly post = this.#adder('POST');
  readonly put = this.#adder('PUT');
  readonly patch = this.#adder('PATCH');
  readonly delete = this.#adder('DELETE');

  constructor(app: App, { tags, ...config }: FastifyContextConfig & { tags?: readonly string[] }) {
    this.#app = app;
    this.#config = config;
    this.#tags = tags;
  }

  #adder(method: string): Add {
    return (url, { config, bodyLimit, onRequest, handler, tags = this.#tags, ...schema }) => {
      const [status = 200, ...more] = Object.keys(schema.response ?? {}).map(Number);
      const plain = handler as RouteHandlerMethod;
      const withStatus: RouteHandlerMethod = async function (request, reply) {
        reply.code(status);
        const answer = await plain.call(this, request, reply);
        // Fastify sends an absent answer only to a client that is still there. The hooks of the answer, which commit
        // the transaction of an Idempotency-Key and end rights, must run for others, too.
        return answer === undefined && !reply.sent ? reply.send() : answer;
      };
      this.#app.route({
        method,
        url,
        config: { ...this.#config, ...config },
        schema: { ...schema, ...(tags && { tags }) },
        ...(bodyLimit !== undefined && { bodyLimit }),
        ...(onRequest && { onRequest }),
        handler: status === 200 || more.length > 0 ? plain : withStatus,
      });
    };
  }
}
