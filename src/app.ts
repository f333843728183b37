import { join } from 'node:path';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { activationPageRoutes } from './accounts/activation-page.routes.ts';
import { auditRoutes } from './accounts/audit.routes.ts';
import { legacyAccountRoutes } from './accounts/legacy-list.routes.ts';
import { openLoginDelay } from './accounts/login-delay.ts';
import { openAccountStore } from './accounts/open-store.ts';
import { openPasswords } from './accounts/password.ts';
import { passwordRules } from './accounts/password-policy.ts';
import { registrationRoutes } from './accounts/registration.routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import { multidimensionalRoutes } from './arrays/routes.ts';
import { Stores } from './arrays/stores.ts';
import { BlobSources } from './blobs/blob-source.ts';
import type { BlobStore } from './blobs/blobs.ts';
import type { Config } from './config.ts';
import { creditBalanceRoutes } from './credits/balance.routes.ts';
import { checkPriceNames } from './credits/prices.ts';
import { creditRoutes } from './credits/routes.ts';
import { crsRoutes } from './crs/routes.ts';
import { datasetPlace } from './datasets/bytes.ts';
import { findRoutes } from './datasets/find.routes.ts';
import { grantRoutes } from './datasets/grants.routes.ts';
import { hierarchyRoutes } from './datasets/hierarchy.routes.ts';
import { importStagedRoutes } from './datasets/import-staged.routes.ts';
import { datasetListRoutes } from './datasets/list.routes.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { type Served, servedDataset } from './datasets/served.ts';
import type { Database } from './db.ts';
import { openEventNotifier } from './events/event-notifier.ts';
import { eventRoutes } from './events/routes.ts';
import { findWebhook } from './events/webhook.queries.ts';
import { webhookRoutes } from './events/webhook.routes.ts';
import { Contents } from './features/content.ts';
import { ogcRoutes } from './features/ogc.routes.ts';
import { QueryThreads } from './features/query-threads.ts';
import { featureRoutes } from './features/routes.ts';
import { readers, writers } from './files/formats/registry.ts';
import { groupRoutes } from './groups/routes.ts';
import { blobHeaders } from './http/answers/blob-headers.ts';
import { apiRules } from './http/api-rules.ts';
import { ResponseCache } from './http/cache/response-cache.ts';
import { memoryStore } from './http/cache/store.ts';
import { guideRoutes } from './http/guide/guide.routes.ts';
import { Limits } from './http/limits/limits.ts';
import { healthRoutes } from './http/observe/health.ts';
import { requestTimes } from './http/observe/request-times.ts';
import { requestTraces } from './http/observe/request-traces.ts';
import { openapiRoute } from './http/openapi/openapi.ts';
import type { App } from './http/route.ts';
import type { FindCaller } from './http/rules/auth.ts';
import { platformHeaders } from './http/rules/headers.ts';
import { callerLimits } from './http/rules/limit.ts';
import { closeMethods } from './http/rules/methods.ts';
import { notImplementedRoutes } from './http/rules/not-implemented.ts';
import { originOf } from './http/rules/origin.ts';
import { SERVICES } from './http/rules/versions.ts';
import { serverOptions } from './http/server-options.ts';
import { serviceRoutes } from './http/services.ts';
import { welcomeRoutes } from './http/welcome.routes.ts';
import { openApiKeys } from './keys/authenticate.ts';
import { openIssuers } from './keys/issuers.ts';
import { keyRoutes } from './keys/routes.ts';
import { openGates } from './licensing/gates.ts';
import { checkGateNames, openRouteGates } from './licensing/route-gates.ts';
import { licensingRoutes } from './licensing/routes.ts';
import { blobStoreRoutes } from './operations/blobs/routes.ts';
import { cronRoutes } from './operations/cron/routes.ts';
import { jobRoutes } from './operations/jobs/routes.ts';
import { measuredBlobs } from './operations/metrics/measured-blobs.ts';
import { openMetrics } from './operations/metrics/metrics.ts';
import { metricsRoutes } from './operations/metrics/routes.ts';
import { failureRoutes } from './operations/retries/failure.routes.ts';
import { sealClear } from './operations/secrets/seal-clear.ts';
import { workerRoutes } from './operations/workers/routes.ts';
import { openKeyStore } from './platform/keys/encrypt-keys.ts';
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
import { findContainer } from './recycle-bin/item.queries.ts';
import { binItemRoutes } from './recycle-bin/item.routes.ts';
import { binListRoutes } from './recycle-bin/list.routes.ts';
import { eumRoutes } from './series/eum.routes.ts';
import { timeSeriesRoutes } from './series/routes.ts';
import { csvUploadRoutes } from './series/upload-csv.routes.ts';
import { jsonUploadRoutes } from './series/upload-json.routes.ts';
import { seriesValueRoutes } from './series/values.routes.ts';
import { newAccountRoutes } from './tenants/accounts.routes.ts';
import { tenantRoutes } from './tenants/routes.ts';
import { mapRoutes } from './tiles/map/map.routes.ts';
import { tileRoutes } from './tiles/routes.ts';
import { openTileServices } from './tiles/tile-services.ts';
import { tileUpkeepRoutes } from './tiles/upkeep.routes.ts';
import { vectorTileRoutes } from './tiles/vector.routes.ts';
import { vectorUpkeepRoutes } from './tiles/vector-upkeep.routes.ts';
import { wmtsRoutes } from './tiles/wmts.routes.ts';
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
import { findTenant as findTenantOfTransfer } from './transfers/queries.ts';
import { acceptsExportGrant, findExportBytes } from './transfers/run/export.ts';
import { datasetStartRoutes } from './transfers/starts/dataset.routes.ts';
import { importRoutes } from './transfers/starts/import.routes.ts';
import { legacyStartRoutes } from './transfers/starts/legacy.routes.ts';
import { moveOrCopyRoutes } from './transfers/starts/move-or-copy.routes.ts';
import { converterRoutes } from './transfers/views/converters.routes.ts';
import { transferListRoutes } from './transfers/views/list.routes.ts';
import { transferRoutes } from './transfers/views/transfer.routes.ts';
import { openTransferWatch } from './transfers/views/transfer-watch.ts';
import { openEndWaiter } from './transfers/views/wait-for-end.ts';
import { whyRoutes } from './transfers/views/why.routes.ts';
import type { LinkSigner } from './uploads/address.ts';
import { blobRoutes } from './uploads/blob.routes.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { stagedPlace } from './uploads/staged.ts';

export interface AppParts {
  config: Config;
  db: Database;
  /** For connections outside of the pool, which use LISTEN. */
  databaseUrl: string;
  blobs: BlobStore;
  log: FastifyBaseLogger;
  /** Cost of new password hashes. Only for tests. */
  passwordIterations?: number;
  /** Milliseconds since 1970, for one-time passwords; default: the time. Only for tests. */
  clock?: () => number;
}

/** Bytes of stored files that dry runs cache in memory. */
const DRY_RUN_CACHE = 8 * 2 ** 20;

/** Bytes of stored features that queries cache in memory. */
const FEATURE_CACHE = 32 * 2 ** 20;
/** Small, because a query reads many short ranges. */
const FEATURE_PAGE = 32 * 2 ** 10;

/** Builds the HTTP server, not listening yet: first the rules for all routes, then the routes. */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config, db, databaseUrl, log, passwordIterations, clock = Date.now } = parts;
  const blobFolder = config['blobs.url'] === undefined ? join(config.data, 'blobs') : undefined;
  const metrics = openMetrics({ db, blobFolder, log });
  const blobs = measuredBlobs(parts.blobs, metrics);
  const passwords = openPasswords(passwordIterations);
  const store = await openAccountStore(config, db, log);
  const accounts = { db, store, passwords, rules: passwordRules(config, log) };
  const lockout = { after: config['accounts.lockoutAfter'], duration: config['accounts.lockoutDuration'] };
  const keyStore = await openKeyStore(db, config, log);
  const tokens = await openAccessTokens(db, config, keyStore);
  const identities = openIdentities(db);
  const sealer = await openSealer(db, keyStore);
  const groups = { db, sealer, secondFactorKey: config['twoFactor.metadataKey'] };
  await sealClear(groups);
  const delay = openLoginDelay(db, config);
  const secondFactor = { sealer, metadataKey: config['twoFactor.metadataKey'], clock };
  const login = { ...accounts, lockout, delay, secondFactor, freshLogin: config['tokens.freshLogin'] };
  const keys = openApiKeys({ db, scopes: config['tokens.defaultScopes'] });

  const findRequestCaller: FindCaller = (request) => {
    const key = request.platformHeader('open-api-key');
    const { authorization } = request.headers;
    const presented = { authorization, ...originOf(request) };
    if (key !== undefined) return keys.find({ key, ...presented });
    return request.routeOptions.config.basic && /^Basic /i.test(authorization ?? '')
      ? findBasicCaller({ ...login, identities }, presented)
      : findCaller({ tokens, identities }, presented);
  };

  const cursors = await openSigner(db, keyStore, 'cursor');
  // one Redis may serve several platforms: the id of the cursor key tells their entries apart
  const { kid: platform } = await cursors.sign('');
  const { cache, limits } = await openShared(config['cache.url'], platform, log);
  const callers = callerLimits(limits, config);

  const names = [...Object.keys(SERVICES), ...readers.map(({ name }) => name), ...writers.map(({ name }) => name)];
  checkGateNames(config['features.gates'], names);
  const gates = openGates(config['features.gates']);
  const prices = config['credits.prices'];
  checkPriceNames(prices, names.slice(Object.keys(SERVICES).length));
  const rules = { gates, prices, timeLimit: config['transfers.timeLimit'] };

  const app: App = Fastify(serverOptions(config, log));
  const tracing = await openTracing(config, 'api');
  const responses = new ResponseCache<Served>({
    platformHeaders: platformHeaders(config.headerPrefixes),
    admits: (request) => callers.admitsCached(request),
    onFirstRight: () => changes.watchEnds(() => responses.endRights()),
  });
  await app.register(requestTimes, metrics);
  await app.register(requestTraces, { tracing });
  app.addHook('onClose', () => tracing.close());
  const issuers = openIssuers(db);
  const signer: LinkSigner = { ...(await openSigner(db, keyStore, 'address')), issuer: issuers.issuer };
  await app.register(blobHeaders);
  await app.register(apiRules, {
    config,
    db,
    findCaller: findRequestCaller,
    limits: callers,
    findProjectOf: projectFinder(db),
    gates: openRouteGates(
      {
        db,
        findProjectOf: projectFinder(db),
        mayRead: (asker, id) => servedDataset({ db, signer }, asker, id),
        tenantOf: {
          binProject: async (caller, id) => (await findContainer(db, caller, id))?.tenantId,
          transfer: (caller, id) => findTenantOfTransfer(db, caller, id),
          webhook: async (caller, id) => (await findWebhook(db, caller, id))?.tenantId,
        },
      },
      gates,
    ),
    fingerprint: passwords.fingerprint,
    cache,
    identitiesChanged() {
      identities.clear();
      keys.clear();
      issuers.clear();
      notifier.recheck();
    },
    responses,
  });

  const addRoutes = <Parts>(routes: (app: App, parts: Parts) => Promise<void>, parts: Parts) =>
    app.register((scope, _options, done) => void routes(scope, parts).then(() => done(), done));

  const changes = openTransferWatch(db, databaseUrl);
  app.addHook('preClose', () => changes.close());
  const endWaiter = openEndWaiter(db, changes);
  const notifier = openEventNotifier(db, databaseUrl);
  app.addHook('preClose', () => notifier.close());
  app.addHook('preClose', async () => delay.close());
  app.addHook('onClose', async () => {
    limits.close();
    cache.close();
    await store.close();
  });
  const { publicUrl } = config;
  const outbound = openOutbound(config['outbound.allow']);
  const sources = { outbound, sealer };

  await addRoutes(healthRoutes, { db });
  await addRoutes(welcomeRoutes, undefined);
  await addRoutes(guideRoutes, undefined);
  await addRoutes(accountRoutes, { db });
  await addRoutes(legacyAccountRoutes, { db, store, exposeHash: config['accounts.exposePasswordHash'] });
  await addRoutes(auditRoutes, { db, cursors });
  await addRoutes(groupRoutes, groups);
  await addRoutes(registrationRoutes, { ...accounts, open: config['accounts.registration'] });
  await addRoutes(activationPageRoutes, { store });
  await addRoutes(newAccountRoutes, accounts);
  await addRoutes(accountChangeRoutes, login);
  await addRoutes(passwordPageRoutes, login);
  await addRoutes(tenantRoutes, { db });
  await addRoutes(leaveTenantRoutes, { db });
  await addRoutes(tokenRoutes, { ...login, tokens, identities, settings: config });
  await addRoutes(tokenKeyRoutes, { keys: tokens.keys });
  await addRoutes(familyRoutes, { db });
  await addRoutes(secondFactorRoutes, login);
  await addRoutes(otpRoutes, { ...login, tokens, identities, otpIssuer: config['twoFactor.issuer'] });
  await addRoutes(keyRoutes, { db, identities });
  await addRoutes(projectRoutes, { db });
  const members = { db, guests: config['tenants.guests'] };
  await addRoutes(projectTreeRoutes, { ...members, publicUrl, afterDeletion: endWaitingBelow });
  await addRoutes(projectMemberRoutes, members);
  await addRoutes(projectListRoutes, { db, cursors, recursive: config['compat.recursiveLists'] });
  await addRoutes(principalRoutes, { db });
  await addRoutes(uploadRoutes, { db, signer, publicUrl });
  await addRoutes(blobRoutes, {
    db,
    blobs,
    signer,
    maxSize: config['uploads.maxSize'],
    redirectFrom: config['blobs.redirectFrom'],
    places: {
      staging: stagedPlace(db, blobs, signer),
      dataset: datasetPlace(db, blobs, signer),
      export: {
        find: (name) => findExportBytes(db, name),
        accepts: (name, grant) => acceptsExportGrant(db, signer, name, grant),
      },
    },
  });
  await addRoutes(crsRoutes, {});
  await addRoutes(datasetRoutes, { db, publicUrl });
  await addRoutes(licensingRoutes, { db, gates });
  await addRoutes(creditRoutes, { db });
  await addRoutes(creditBalanceRoutes, { db });
  await addRoutes(datasetListRoutes, { db, signer, publicUrl, recursiveLists: config['compat.recursiveLists'] });
  const lifetimes = { read: config['grants.readLifetime'], write: config['grants.writeLifetime'] };
  await addRoutes(grantRoutes, { db, signer, publicUrl, lifetimes });
  await addRoutes(findRoutes, { db });
  await addRoutes(hierarchyRoutes, { db, blobs, signer, lifetimes, afterDeletion: endWaitingBelow });
  await addRoutes(importStagedRoutes, { db, blobs });
  await addRoutes(eumRoutes, {});
  await addRoutes(timeSeriesRoutes, { db });
  await addRoutes(seriesValueRoutes, { db });
  await addRoutes(csvUploadRoutes, { db });
  await addRoutes(jsonUploadRoutes, { db });
  const stores = new Stores(blobs);
  app.addHook('onClose', () => stores.close());
  await addRoutes(multidimensionalRoutes, { db, signer, stores });
  const drawn = openTileServices({
    db,
    databaseUrl,
    blobs,
    stores,
    threads: config['tiles.threads'],
    keptBytes: config['tiles.keptBytes'],
    log,
    metrics,
  });
  app.addHook('onClose', () => drawn.close());
  const metadataLifetime = config['cache.lifetimes'].tiles ?? config['cache.lifetime'];
  const tiles = { db, signer, responses, publicUrl, metadataLifetime, open: drawn.open, onRequest: drawn.onRequest };
  await addRoutes(tileRoutes, tiles);
  await addRoutes(wmtsRoutes, tiles);
  await addRoutes(tileUpkeepRoutes, tiles);
  const vector = { db, signer, responses, publicUrl, sources: drawn.vector };
  await addRoutes(vectorTileRoutes, vector);
  await addRoutes(vectorUpkeepRoutes, vector);
  await addRoutes(mapRoutes, undefined);
  const queryThreads = new QueryThreads();
  app.addHook('onClose', () => queryThreads.close());
  const features = new Contents(
    new BlobSources(blobs, { cacheBytes: FEATURE_CACHE, pageBytes: FEATURE_PAGE }),
    queryThreads,
  );
  const featureParts = { db, signer, contents: features, cursors, publicUrl };
  await addRoutes(featureRoutes, featureParts);
  await addRoutes(ogcRoutes, featureParts);
  const contents = new BlobSources(blobs, { cacheBytes: DRY_RUN_CACHE });
  const starts = { db, ...rules, sources, contents, endWaiter, nodeSizes: config['transfers.nodeSizes'] };
  await addRoutes(importRoutes, starts);
  await addRoutes(datasetStartRoutes, starts);
  await addRoutes(legacyStartRoutes, starts);
  await addRoutes(moveOrCopyRoutes, starts);
  await addRoutes(whyRoutes, { db });
  await addRoutes(transferRoutes, {
    db,
    starts,
    changes,
    endWaiter,
    findCaller: findRequestCaller,
    announce: announcer(db),
    signer,
    cursors,
    publicUrl,
  });
  await addRoutes(transferListRoutes, { db });
  await addRoutes(converterRoutes, {});
  await addRoutes(eventRoutes, { db, notifier, findCaller: findRequestCaller });
  await addRoutes(webhookRoutes, { db, outbound, sealer, timeoutMs: config['webhooks.timeout'], cursors });
  await addRoutes(serviceRoutes, { publicUrl });
  await addRoutes(notImplementedRoutes, undefined);

  await addRoutes(binListRoutes, { db, publicUrl });
  await addRoutes(binItemRoutes, { db, publicUrl });
  await addRoutes(cronRoutes, { db });
  await addRoutes(blobStoreRoutes, { db });
  await addRoutes(jobRoutes, { db, rules, cursors, announce: announcer(db), scopes: config['tokens.defaultScopes'] });
  await addRoutes(failureRoutes, { db });
  await addRoutes(workerRoutes, { db });
  await addRoutes(metricsRoutes, { metrics, findCaller: findRequestCaller, config });

  openapiRoute(app);
  closeMethods(app);
  return app;
}

/** Loads the client of Redis only where there is one, because it delays the start. */
async function openShared(url: string | undefined, platform: string, log: FastifyBaseLogger) {
  if (url === undefined) return { cache: memoryStore(), limits: new Limits() };
  const { connectRedis, redisStore } = await import('./http/cache/redis.ts');
  const { redisUses } = await import('./http/limits/redis-uses.ts');
  const redis = connectRedis(url, log);
  const uses = redisUses(redis, platform);
  return { cache: redisStore(redis, platform), limits: new Limits(uses) };
}
