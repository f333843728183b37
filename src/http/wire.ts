import cors from '@fastify/cors';
import fp from 'fastify-plugin';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import { problems } from './answers/problems.ts';
import { cached } from './cache/cached.ts';
import type { CacheStore } from './cache/store.ts';
import { memoryStore } from './cache/store.ts';
import { requestIds } from './observe/request-ids.ts';
import { requestLog } from './observe/request-log.ts';
import { openapi } from './openapi/openapi.ts';
import type { FindCaller } from './rules/auth.ts';
import { auditReason, auth, callerDecoration, identityChanges, policies, tenantHeader } from './rules/auth.ts';
import { body } from './rules/body.ts';
import { forms } from './rules/forms.ts';
import type { FindProjectOf } from './rules/headers.ts';
import { headers, headersAgree, projectAgrees } from './rules/headers.ts';
import type { Fingerprint } from './rules/idempotency.ts';
import { idempotency } from './rules/idempotency.ts';
import { methods } from './rules/methods.ts';
import { rules } from './rules/rules.ts';
import { validatorCompiler } from './rules/validation.ts';
import { versions } from './rules/versions.ts';

export interface WireOptions {
  config: Pick<Config, 'cors.origins' | 'headerPrefixes' | 'cache.lifetime' | 'cache.lifetimes' | 'publicUrl'>;
  db: Database;
  findCaller: FindCaller;
  findProjectOf: FindProjectOf;
  /** Of requests with a password in them that may be repeated. */
  fingerprint: Fingerprint;
  /** Where answers are kept. Default: in memory. */
  cache?: CacheStore;
  /** Called when a request of this process may have changed who may do what. */
  identitiesChanged(): void;
}

const READABLE_HEADERS = [
  'accept-ranges',
  'api-supported-versions',
  'content-disposition',
  'content-md5',
  'content-range',
  'etag',
  'idempotent-replayed',
  'last-modified',
  'location',
  'preference-applied',
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

/** Everything that holds for every route and that no route knows of. Register it before the first route. */
export const wire = fp<WireOptions>(
  async (app, { config, db, findCaller, findProjectOf, fingerprint, identitiesChanged, cache = memoryStore() }) => {
    const origins = config['cors.origins'];
    app.setValidatorCompiler(validatorCompiler);
    app.decorateRequest('caller', callerDecoration);
    app.decorateRequest('apiVersion', 0);
    app.decorateRequest('sentBody', undefined);
    app.decorateRequest('sentQuery', undefined);
    await app.register(requestIds);
    await app.register(cors, {
      origin: origins.includes('*') ? '*' : [...origins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      strictPreflight: false,
      exposedHeaders: READABLE_HEADERS,
      maxAge: 600,
    });
    await app.register(problems);
    await app.register(methods);
    await app.register(openapi, { publicUrl: config.publicUrl });
    await app.register(requestLog);
    await app.register(body);
    await app.register(headers, { prefixes: config.headerPrefixes });
    // In the order of refusals: a wrong method is closed before all (`methods`), the body's type is judged behind `auth`.
    await app.register(rules, {
      rules: [
        versions,
        auth(findCaller),
        forms,
        headersAgree,
        tenantHeader,
        policies,
        auditReason,
        idempotency(db, fingerprint),
        // a dataset may lie elsewhere since a request was answered that is repeated; of what the cache keeps it is asked first
        projectAgrees(findProjectOf),
        cached({ db, store: cache, lifetime: config['cache.lifetime'], lifetimes: config['cache.lifetimes'] }),
        identityChanges(identitiesChanged),
      ],
    });
  },
);
