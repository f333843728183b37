import { join } from 'node:path';
import Fastify, { type FastifyBaseLogger, type FastifyRequest } from 'fastify';
import { accountsPlugin } from './accounts/plugin.ts';
import { arraysPlugin } from './arrays/plugin.ts';
import { Stores } from './arrays/stores.ts';
import type { BlobStore } from './blobs/blobs.ts';
import type { Config } from './config.ts';
import { consolePlugin } from './console/plugin.ts';
import { creditsPlugin } from './credits/plugin.ts';
import { crsPlugin } from './crs/plugin.ts';
import { datasetPlace } from './datasets/bytes.ts';
import { FileThreads } from './datasets/files/file-threads.ts';
import { datasetsPlugin } from './datasets/plugin.ts';
import type { Served } from './datasets/served.ts';
import type { Database } from './db.ts';
import { EventNotifier } from './events/event-notifier.ts';
import { eventsPlugin } from './events/plugin.ts';
import { findWebhook } from './events/webhook.queries.ts';
import { featuresPlugin } from './features/plugin.ts';
import { groupsPlugin } from './groups/plugin.ts';
import { blobHeaders } from './http/answers/blob-headers.ts';
import { apiRules } from './http/api-rules.ts';
import { ResponseCache } from './http/cache/response-cache.ts';
import { requestTimes } from './http/observe/request-times.ts';
import { requestTraces } from './http/observe/request-traces.ts';
import { openapiRoute } from './http/openapi/openapi.ts';
import { httpPlugin } from './http/plugin.ts';
import type { App } from './http/route.ts';
import { platformHeaders } from './http/rules/headers.ts';
import { CallerLimits } from './http/rules/limit.ts';
import { closeMethods } from './http/rules/methods.ts';
import { serverOptions } from './http/server-options.ts';
import { openStores } from './http/stores.ts';
import { ApiKeys } from './keys/authenticate.ts';
import { Issuers } from './keys/issuers.ts';
import { keysPlugin } from './keys/plugin.ts';
import { requestCaller } from './keys/request-caller.ts';
import { licensingPlugin } from './licensing/plugin.ts';
import { TenantGates } from './licensing/route-gates.ts';
import { measuredBlobs } from './operations/metrics/measured-blobs.ts';
import { Metrics } from './operations/metrics/metrics.ts';
import { operationsPlugin } from './operations/plugin.ts';
import { sealClear } from './operations/secrets/seal-clear.ts';
import { openKeyStore } from './platform/keys/encrypt-keys.ts';
import { Sealer } from './platform/keys/sealing.ts';
import { Secrets } from './platform/keys/secrets.ts';
import { Signer } from './platform/keys/signing-keys.ts';
import { Outbound } from './platform/net/outbound.ts';
import { openTracing } from './platform/telemetry/open-tracing.ts';
import { previewPlugin } from './preview/plugin.ts';
import { projectsPlugin } from './projects/plugin.ts';
import { projectFinder } from './recycle-bin/dataset-project.ts';
import { findContainer } from './recycle-bin/item.queries.ts';
import { recycleBinPlugin } from './recycle-bin/plugin.ts';
import { searchPlugin } from './search/plugin.ts';
import { seriesPlugin } from './series/plugin.ts';
import { sharesPlugin } from './shares/plugin.ts';
import { tenantsPlugin } from './tenants/plugin.ts';
import { tilesPlugin } from './tiles/plugin.ts';
import { TileServices } from './tiles/tile-services.ts';
import { openLoginServices } from './tokens/login-services.ts';
import { tokensPlugin } from './tokens/plugin.ts';
import { endWaitingBelow } from './transfers/ends/end-waiting.ts';
import { openStarts, transfersPlugin } from './transfers/plugin.ts';
import { findTenant } from './transfers/queries.ts';
import { exportArea } from './transfers/run/export.ts';
import { startRules } from './transfers/starts/rules.ts';
import { Changes } from './transfers/views/transfer-watch.ts';
import { LinkSigner } from './uploads/address.ts';
import { uploadsPlugin } from './uploads/plugin.ts';

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

/** Builds the HTTP server, not listening yet: what rooms share, the rules for all routes, then a plugin per room. */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config: settings, db, databaseUrl, log } = parts;
  const blobFolder = settings['blobs.url'] === undefined ? join(settings.data, 'blobs') : undefined;
  const metrics = new Metrics({ db, blobFolder, log });
  const blobs = measuredBlobs(parts.blobs, metrics);
  const keyStore = await openKeyStore(db, settings, log);
  const sealer = await Sealer.open(db, keyStore);
  const cursors = await Signer.open(db, keyStore, 'cursor');
  const issuers = new Issuers(db);
  const signer = new LinkSigner(await Secrets.open(db, keyStore, 'address'), issuers);
  const outbound = new Outbound(settings['outbound.allow']);
  const tracing = await openTracing(settings, 'api');

  const { accounts, groups, login } = await openLoginServices({ ...parts, settings, keyStore, sealer });
  await sealClear(groups);
  const { identities } = login;
  const keys = new ApiKeys(db, settings['tokens.defaultScopes']);
  const findCaller = requestCaller({ ...login, keys });

  const rules = startRules(settings);
  const changes = new Changes(db, databaseUrl);
  const notifier = new EventNotifier(db, databaseUrl);
  const stores = new Stores(blobs);
  const files = new FileThreads();
  // one Redis may serve several platforms: the id of the cursor key tells their entries apart
  const { kid: platform } = await cursors.sign('');
  const { cache, limits } = await openStores(settings['cache.url'], platform, log);
  const callers = new CallerLimits(limits, settings);

  const app: App = Fastify(serverOptions(settings, log));
  const responses = new ResponseCache<Served>({
    platformHeaders: platformHeaders(settings.headerPrefixes),
    versionOf: ({ dataset }) => dataset.rowVersion,
    admits: (request) => callers.admitsCached(request),
    onFirstRight: () => changes.watchEnds(() => responses.endRights()),
  });
  for (const one of [changes, notifier, login.delay]) app.addHook('preClose', async () => one.close());
  for (const one of [tracing, limits, cache, accounts.store, stores, files])
    app.addHook('onClose', async () => one.close());

  await app.register(requestTimes, { metrics });
  await app.register(requestTraces, { tracing });
  app.addHook('onRequest', responses.answer);
  await app.register(blobHeaders);
  await app.register(apiRules, {
    config: settings,
    db,
    findCaller,
    limits: callers,
    findProjectOf: projectFinder(db),
    gates: new TenantGates({
      db,
      signer,
      gates: rules.gates,
      findProjectOf: projectFinder(db),
      tenantOf: {
        binProject: async (caller, id) => (await findContainer(db, caller, id))?.tenantId,
        transfer: (caller, id) => findTenant(db, caller, id),
        webhook: async (caller, id) => (await findWebhook(db, caller, id))?.tenantId,
      },
    }),
    fingerprint: (secret, salt, address) => accounts.passwords.fingerprint(secret, salt, address),
    cache,
    identitiesChanged() {
      identities.clear();
      keys.clear();
      issuers.clear();
      notifier.recheck();
    },
    responses,
  });

  const areas = { dataset: datasetPlace(db, blobs, issuers), export: exportArea(db, issuers) };
  const afterDeletion = endWaitingBelow;
  await app.register(httpPlugin, { db, settings });
  await app.register(accountsPlugin, { ...accounts, settings });
  await app.register(groupsPlugin, groups);
  await app.register(tenantsPlugin, { ...accounts, settings });
  await app.register(tokensPlugin, { ...login, settings });
  await app.register(keysPlugin, { db, identities });
  await app.register(projectsPlugin, { db, cursors, afterDeletion, settings });
  await app.register(uploadsPlugin, { db, blobs, signer, areas, settings });
  await app.register(datasetsPlugin, { db, blobs, signer, cursors, afterDeletion, settings });
  await app.register(searchPlugin, { db, cursors });
  await app.register(creditsPlugin, { db });
  await app.register(licensingPlugin, { db, gates: rules.gates });
  await app.register(crsPlugin);
  await app.register(seriesPlugin, { db, files });
  const starts = openStarts({ db, blobs, changes, sources: { outbound, sealer }, rules, settings });
  await app.register(transfersPlugin, { db, blobs, signer, cursors, findCaller, changes, starts, settings });
  const strangerRefused = (request: FastifyRequest) => callers.strangerRefused(request);
  await app.register(sharesPlugin, {
    db,
    blobs,
    strangerRefused,
    starts,
    settings,
  });
  await app.register(arraysPlugin, { db, blobs, signer, stores, files, starts, settings });
  await app.register(featuresPlugin, { db, blobs, signer, cursors, files, settings });
  const { 'tiles.threads': threads, 'tiles.keptBytes': keptBytes } = settings;
  const drawn = new TileServices({ db, databaseUrl, blobs, stores, threads, keptBytes, log, metrics });
  await app.register(tilesPlugin, { db, signer, responses, drawn, log, strangerRefused, settings });
  await app.register(previewPlugin, { db, blobs, signer, responses, drawn, strangerRefused, settings });
  app.addHook('onClose', () => drawn.close());
  await app.register(recycleBinPlugin, { db, settings });
  await app.register(eventsPlugin, { db, notifier, findCaller, outbound, sealer, cursors, settings });
  await app.register(operationsPlugin, { db, metrics, findCaller, rules, cursors, settings });
  await app.register(consolePlugin, { settings });
  openapiRoute(app);
  closeMethods(app);
  return app;
}
