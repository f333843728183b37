import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import Fastify from 'fastify';
import { activationPageRoutes } from './accounts/activation-page.routes.ts';
import { auditRoutes } from './accounts/audit.routes.ts';
import { openLoginDelay } from './accounts/login-delay.ts';
import { olderAccountRoutes } from './accounts/older-list.routes.ts';
import { openAccountStore } from './accounts/open-store.ts';
import { openPasswords } from './accounts/password.ts';
import { passwordRules } from './accounts/password-policy.ts';
import { registrationRoutes } from './accounts/registration.routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import { BlobSources } from './blobs/blob-source.ts';
import type { BlobStore } from './blobs/blobs.ts';
import type { Config } from './config.ts';
import { crsRoutes } from './crs/routes.ts';
import { datasetPlace } from './datasets/bytes.ts';
import { findRoutes } from './datasets/find.routes.ts';
import { grantRoutes } from './datasets/grants.routes.ts';
import { hierarchyRoutes } from './datasets/hierarchy.routes.ts';
import { importStagedRoutes } from './datasets/import-staged.routes.ts';
import { datasetListRoutes } from './datasets/list.routes.ts';
import { datasetRoutes } from './datasets/routes.ts';
import type { Database } from './db.ts';
import { openEventNotifier } from './events/event-notifier.ts';
import { eventRoutes } from './events/routes.ts';
import { webhookRoutes } from './events/webhook.routes.ts';
import { groupRoutes } from './groups/routes.ts';
import { blobHeaders } from './http/answers/blob-headers.ts';
import { serializerCompiler } from './http/answers/serializer.ts';
import { redisStore } from './http/cache/redis.ts';
import { memoryStore } from './http/cache/store.ts';
import { guideRoutes } from './http/docs/guide.routes.ts';
import { healthRoutes } from './http/observe/health.ts';
import { requestTimes } from './http/observe/request-times.ts';
import { requestTraces } from './http/observe/request-traces.ts';
import { openapiRoute } from './http/openapi/openapi.ts';
import type { App } from './http/route.ts';
import type { FindCaller } from './http/rules/auth.ts';
import { closeMethods } from './http/rules/methods.ts';
import { originOf } from './http/rules/origin.ts';
import { unofferedRoutes } from './http/rules/unoffered.ts';
import { serverOptions } from './http/server-options.ts';
import { serviceRoutes } from './http/services.ts';
import { welcomeRoutes } from './http/welcome.routes.ts';
import { wire } from './http/wire.ts';
import { openApiKeys } from './keys/holder.ts';
import { keyRoutes } from './keys/routes.ts';
import { blobStoreRoutes } from './operations/blobs/routes.ts';
import { cronRoutes } from './operations/cron/routes.ts';
import { jobRoutes } from './operations/jobs/routes.ts';
import { measuredBlobs } from './operations/metrics/measured-blobs.ts';
import { openMetrics } from './operations/metrics/metrics.ts';
import { metricsRoutes } from './operations/metrics/routes.ts';
import { failureRoutes } from './operations/retries/failure.routes.ts';
import { workerRoutes } from './operations/workers/routes.ts';
import { openSealer } from './platform/keys/sealing.ts';
import { openSigner } from './platform/keys/signing-keys.ts';
import { openOutbound } from './platform/net/outbound.ts';
import { openTracing } from './platform/telemetry/tracing.ts';
import { leaveTenantRoutes } from './projects/leave-tenant.routes.ts';
import { projectListRoutes } from './projects/list.routes.ts';
import { projectMemberRoutes } from './projects/members.routes.ts';
import { principalRoutes } from './projects/principals.routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { projectTreeRoutes } from './projects/tree.routes.ts';
import { projectFinder } from './recycle-bin/dataset-project.ts';
import { binItemRoutes } from './recycle-bin/item.routes.ts';
import { binListRoutes } from './recycle-bin/list.routes.ts';
import { newAccountRoutes } from './tenants/accounts.routes.ts';
import { tenantRoutes } from './tenants/routes.ts';
import { openAccessTokens } from './tokens/access.ts';
import { accountChangeRoutes } from './tokens/account.routes.ts';
import { findBasicCaller } from './tokens/basic.ts';
import { findCaller } from './tokens/caller.ts';
import { familyRoutes } from './tokens/families.routes.ts';
import { openIdentities } from './tokens/identities.ts';
import { tokenKeyRoutes } from './tokens/keys.routes.ts';
import { otpRoutes } from './tokens/otp.routes.ts';
import { passwordPageRoutes } from './tokens/password-page.routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { secondFactorRoutes } from './tokens/second-factor.routes.ts';
import { announcer } from './transfers/ends/announce.ts';
import { endWaitingBelow } from './transfers/ends/end-waiting.ts';
import { acceptsExportGrant, findExportBytes } from './transfers/run/export.ts';
import { datasetStartRoutes } from './transfers/starts/dataset.routes.ts';
import { importRoutes } from './transfers/starts/import.routes.ts';
import { legacyStartRoutes } from './transfers/starts/legacy.routes.ts';
import { moveOrCopyRoutes } from './transfers/starts/move-or-copy.routes.ts';
import { openChanges } from './transfers/views/changes.ts';
import { converterRoutes } from './transfers/views/converters.routes.ts';
import { transferListRoutes } from './transfers/views/list.routes.ts';
import { transferRoutes } from './transfers/views/transfer.routes.ts';
import { openEndWaiter } from './transfers/views/wait-for-end.ts';
import { whyRoutes } from './transfers/views/why.routes.ts';
import { blobRoutes } from './uploads/blob.routes.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { stagedPlace } from './uploads/staged.ts';

export interface AppParts {
  config: Config;
  db: Database;
  /** For connections of their own, such as those that listen. */
  databaseUrl: string;
  blobs: BlobStore;
  log: FastifyBaseLogger;
  /** Cost of new password hashes. Tests alone say it; there is no setting for it. */
  passwordIterations?: number;
}

/** Bytes of stored files that dry runs keep in memory. */
const DRY_RUN_CACHE = 8 * 2 ** 20;

/** The whole HTTP server, not listening yet: wire rules first, then one line per room. */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config, db, databaseUrl, log, passwordIterations } = parts;
  const blobFolder = config['blobs.url'] === undefined ? join(config.data, 'blobs') : undefined;
  const metrics = openMetrics({ db, blobFolder, log });
  const blobs = measuredBlobs(parts.blobs, metrics);
  const passwords = openPasswords(passwordIterations);
  const store = await openAccountStore(config, db, log);
  const accounts = { db, store, passwords, rules: passwordRules(config, log) };
  const lockout = { after: config['accounts.lockoutAfter'], duration: config['accounts.lockoutDuration'] };
  const tokens = await openAccessTokens(db, config);
  const identities = openIdentities(db);
  const sealer = await openSealer(db);
  const delay = openLoginDelay(db, config);
  const login = { ...accounts, lockout, delay, secondFactor: { sealer, metadataKey: config['twoFactor.metadataKey'] } };
  const keys = openApiKeys({
    db,
    scopes: config['tokens.defaultScopes'],
    refuse: delay.refuse,
  });

  const whoAsks: FindCaller = (request) => {
    const key = request.platformHeader('open-api-key');
    const { authorization } = request.headers;
    const shown = { authorization, ...originOf(request) };
    if (key !== undefined) return keys.find({ key, ...shown });
    return request.routeOptions.config.basic && /^Basic /i.test(authorization ?? '')
      ? findBasicCaller({ ...login, identities }, shown)
      : findCaller({ tokens, identities }, shown);
  };

  const cacheUrl = config['cache.url'];
  const cursors = await openSigner(db, 'cursor');
  // a Redis may serve several platforms, each of which has keys of its own
  const { kid: platform } = await cursors.sign('');
  const cache = cacheUrl === undefined ? memoryStore() : redisStore(cacheUrl, platform, log);

  const app: App = Fastify(serverOptions(config, log));
  app.setSerializerCompiler(serializerCompiler);
  await app.register(requestTimes, metrics);
  const tracing = await openTracing(config, 'api');
  await app.register(requestTraces, { tracing });
  app.addHook('onClose', () => tracing.close());
  await app.register(blobHeaders);
  await app.register(wire, {
    config,
    db,
    findCaller: whoAsks,
    findProjectOf: projectFinder(db),
    fingerprint: passwords.fingerprint,
    cache,
    identitiesChanged() {
      identities.forgetAll();
      keys.forgetAll();
    },
  });

  const room = <Parts>(routes: (app: App, parts: Parts) => Promise<void>, parts: Parts) =>
    app.register((scope, _options, done) => void routes(scope, parts).then(() => done(), done));

  const signer = await openSigner(db, 'address');
  const changes = openChanges(db, databaseUrl);
  app.addHook('preClose', () => changes.close());
  const endWaiter = openEndWaiter(db, changes);
  const notifier = openEventNotifier(db, databaseUrl);
  app.addHook('preClose', () => notifier.close());
  app.addHook('preClose', async () => delay.close());
  app.addHook('onClose', async () => {
    cache.close();
    store.close();
  });
  const { publicUrl } = config;
  const outbound = openOutbound(config['outbound.allow']);
  const sources = { outbound, sealer };

  await room(healthRoutes, { db });
  await room(welcomeRoutes, undefined);
  await room(guideRoutes, undefined);
  await room(accountRoutes, { db });
  await room(olderAccountRoutes, { db, store, exposeHash: config['accounts.exposePasswordHash'] });
  await room(auditRoutes, { db, cursors });
  await room(groupRoutes, { db, secondFactorKey: config['twoFactor.metadataKey'] });
  await room(registrationRoutes, { ...accounts, open: config['accounts.registration'] });
  await room(activationPageRoutes, { store });
  await room(newAccountRoutes, accounts);
  await room(accountChangeRoutes, login);
  await room(passwordPageRoutes, login);
  await room(tenantRoutes, { db });
  await room(leaveTenantRoutes, { db });
  await room(tokenRoutes, { ...login, tokens, identities, settings: config });
  await room(tokenKeyRoutes, { keys: tokens.keys });
  await room(familyRoutes, { db });
  await room(secondFactorRoutes, login);
  await room(otpRoutes, { ...login, otpIssuer: config['twoFactor.issuer'] });
  await room(keyRoutes, { db, identities });
  await room(projectRoutes, { db });
  await room(projectTreeRoutes, { db, publicUrl, afterDeletion: endWaitingBelow });
  await room(projectMemberRoutes, { db });
  await room(projectListRoutes, { db, cursors, recursive: config['compat.recursiveLists'] });
  await room(principalRoutes, { db });
  await room(uploadRoutes, { db, signer, publicUrl });
  await room(blobRoutes, {
    db,
    blobs,
    signer,
    maxSize: config['uploads.maxSize'],
    redirectFrom: config['blobs.redirectFrom'],
    places: {
      staging: stagedPlace(db, blobs),
      dataset: datasetPlace(db, blobs),
      export: {
        find: (name) => findExportBytes(db, name),
        accepts: (name, grant) => acceptsExportGrant(db, name, grant),
      },
    },
  });
  await room(crsRoutes, {});
  await room(datasetRoutes, { db, publicUrl });
  await room(datasetListRoutes, { db, signer, publicUrl, recursiveLists: config['compat.recursiveLists'] });
  await room(grantRoutes, { db, signer, publicUrl });
  await room(findRoutes, { db });
  await room(hierarchyRoutes, { db, blobs, signer, afterDeletion: endWaitingBelow });
  await room(importStagedRoutes, { db, blobs });
  const contents = new BlobSources(blobs, { cacheBytes: DRY_RUN_CACHE });
  const starts = { db, sources, contents, endWaiter, nodeSizes: config['transfers.nodeSizes'] };
  await room(importRoutes, starts);
  await room(datasetStartRoutes, starts);
  await room(legacyStartRoutes, starts);
  await room(moveOrCopyRoutes, starts);
  await room(whyRoutes, { db });
  await room(transferRoutes, {
    db,
    changes,
    endWaiter,
    findCaller: whoAsks,
    announce: announcer(db),
    signer,
    cursors,
    publicUrl,
  });
  await room(transferListRoutes, { db });
  await room(converterRoutes, {});
  await room(eventRoutes, { db, notifier, findCaller: whoAsks });
  await room(webhookRoutes, { db, outbound, cursors });
  await room(serviceRoutes, { publicUrl });
  await room(unofferedRoutes, undefined);

  await room(binListRoutes, { db, publicUrl });
  await room(binItemRoutes, { db, publicUrl });
  await room(cronRoutes, { db });
  await room(blobStoreRoutes, { db });
  await room(jobRoutes, { db, cursors, announce: announcer(db), scopes: config['tokens.defaultScopes'] });
  await room(failureRoutes, { db });
  await room(workerRoutes, { db });
  await room(metricsRoutes, { metrics, findCaller: whoAsks, config });

  openapiRoute(app);
  closeMethods(app);
  return app;
}
