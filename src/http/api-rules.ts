import cors from '@fastify/cors';
import fp from 'fastify-plugin';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import { earlyAnswers } from './answers/early-answer.ts';
import { problems } from './answers/problems.ts';
import { securityHeaders } from './answers/security-headers.ts';
import { cached } from './cache/cached.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import { type CacheStore, MemoryStore } from './cache/store.ts';
import { requestIds } from './observe/request-ids.ts';
import { requestLog } from './observe/request-log.ts';
import { openapi } from './openapi/openapi.ts';
import {
  allChanges,
  auditReason,
  auth,
  callerDecoration,
  type FindCaller,
  identityChanges,
  policies,
  tenantHeader,
} from './rules/auth.ts';
import { body } from './rules/body.ts';
import { forms } from './rules/forms.ts';
import { gatesRule, type RouteGates } from './rules/gates.ts';
import { type FindProjectOf, headers, headersMatchPath, projectHeaderMatches } from './rules/headers.ts';
import { type Fingerprint, idempotency } from './rules/idempotency.ts';
import type { CallerLimits } from './rules/limit.ts';
import { methods } from './rules/methods.ts';
import { rules } from './rules/rules.ts';
import { versions } from './rules/versions.ts';

export interface ApiRuleOptions {
  config: Pick<Config, 'cors.origins' | 'headerPrefixes' | 'cache.lifetime' | 'cache.lifetimes' | 'publicUrl'>;
  db: Database;
  findCaller: FindCaller;
  limits: CallerLimits;
  findProjectOf: FindProjectOf;
  /** Services that need a feature of the tenant. */
  gates: RouteGates;
  /** For requests with an Idempotency-Key that contain a password. */
  fingerprint: Fingerprint;
  /** Store of cached answers. Default: in memory. */
  cache?: CacheStore;
  /** Called after a request of this process that may have changed accounts, groups, tenants or keys. */
  identitiesChanged(): void;
  /** Its rights end after each request of this process that may have changed something. */
  responses?: Pick<ResponseCache<never>, 'rule' | 'endRights'>;
}

/** Headers that CORS lets scripts of other origins read. */
const EXPOSED_HEADERS = [
  'accept-ranges',
  'api-supported-versions',
  'content-crs',
  'content-disposition',
  'content-md5',
  'content-range',
  'etag',
  'idempotent-replayed',
  'last-modified',
  'location',
  'lost',
  'preference-applied',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
  // of blob addresses
  'x-ms-blob-type',
  'x-ms-client-request-id',
  'x-ms-copy-id',
  'x-ms-copy-status',
  'x-ms-error-code',
  'x-ms-request-id',
  'x-ms-request-server-encrypted',
  'x-ms-version',
].join(', ');

/** The rules of the API that apply to every route. Register it before the first route. */
export const apiRules = fp<ApiRuleOptions>(
  async (
    app,
    {
      config,
      db,
      findCaller,
      limits,
      findProjectOf,
      gates,
      fingerprint,
      identitiesChanged,
      responses,
      cache = new MemoryStore(),
    },
  ) => {
    const origins = config['cors.origins'];
    app.decorateRequest('caller', callerDecoration);
    app.decorateRequest('apiVersion', 0);
    app.decorateRequest('sentBody', undefined);
    app.decorateRequest('sentQuery', undefined);
    await app.register(requestIds);
    await app.register(securityHeaders);
    await app.register(cors, {
      origin: origins.includes('*') ? '*' : [...origins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      strictPreflight: false,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 600,
    });
    await app.register(earlyAnswers);
    await app.register(problems);
    await app.register(methods);
    await app.register(openapi, { publicUrl: config.publicUrl });
    await app.register(requestLog);
    await app.register(body);
    await app.register(headers, { prefixes: config.headerPrefixes });
    // the order of the rules decides which error a request with several faults gets; a wrong method (`methods`) comes
    // first, the content type after
    // `auth`
    await app.register(rules, {
      rules: [
        ...(responses === undefined ? [] : [responses.rule]),
        versions,
        auth(findCaller, (request) => limits.strangerRefused(request)),
        limits.rule,
        forms,
        headersMatchPath,
        tenantHeader,
        policies,
        gatesRule(gates),
        auditReason,
        idempotency(db, fingerprint),
        // after `idempotency`: a replayed request may name the former project of a moved dataset; before `cached`,
        // which skips the handler
        projectHeaderMatches(findProjectOf),
        cached({ db, store: cache, lifetime: config['cache.lifetime'], lifetimes: config['cache.lifetimes'] }),
        identityChanges(identitiesChanged),
        ...(responses === undefined ? [] : [allChanges(() => responses.endRights())]),
      ],
    });
  },
);
