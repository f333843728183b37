import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { FindCaller } from '../http/rules/auth.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { announcer } from '../transfers/ends/announce.ts';
import type { StartRules } from '../transfers/starts/rules.ts';
import { auditRoutes } from './audit/routes.ts';
import { blobStoreRoutes } from './blobs/routes.ts';
import { cronRoutes } from './cron/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import type { Metrics } from './metrics/metrics.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { failureRoutes } from './retries/failure.routes.ts';
import { summaryRoutes } from './summary/routes.ts';
import { workerRoutes } from './workers/routes.ts';

export interface OperationsOptions {
  db: Database;
  metrics: Metrics;
  findCaller: FindCaller;
  rules: StartRules;
  /** Signs cursors. */
  cursors: Signer;
  settings: Config;
}

export async function operationsPlugin(app: App, options: OperationsOptions) {
  const { db, metrics, findCaller, rules, cursors, settings } = options;
  await app.register(auditRoutes, { db, cursors });
  await app.register(cronRoutes, { db });
  await app.register(blobStoreRoutes, { db });
  await app.register(jobRoutes, {
    db,
    rules,
    cursors,
    announce: announcer(db),
    scopes: settings['tokens.defaultScopes'],
  });
  await app.register(failureRoutes, { db });
  await app.register(workerRoutes, { db });
  await app.register(summaryRoutes, { db, config: settings });
  await app.register(metricsRoutes, { metrics, findCaller, config: settings });
}
