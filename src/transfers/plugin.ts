import { join } from 'node:path';
import { BlobSources } from '../blobs/blob-source.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import { announcer } from './ends/announce.ts';
import { inspectRoutes } from './inspect/inspect.routes.ts';
import { Inspector } from './inspect/inspector.ts';
import { datasetStartRoutes } from './starts/dataset.routes.ts';
import { importRoutes } from './starts/import.routes.ts';
import { legacyStartRoutes } from './starts/legacy.routes.ts';
import { moveOrCopyRoutes } from './starts/move-or-copy.routes.ts';
import type { StartRules } from './starts/rules.ts';
import type { StartParts } from './starts/start.ts';
import type { StartRoutes } from './starts/start-route.ts';
import { converterRoutes } from './views/converters.routes.ts';
import { historyRoutes } from './views/history.routes.ts';
import { lineageRoutes } from './views/lineage.routes.ts';
import { transferListRoutes } from './views/list.routes.ts';
import { type TransferRoutes, transferRoutes } from './views/transfer.routes.ts';
import { EndWaiter } from './views/wait-for-end.ts';
import { whyRoutes } from './views/why.routes.ts';

export interface TransfersOptions extends Pick<TransferRoutes, 'db' | 'changes' | 'findCaller' | 'signer' | 'cursors'> {
  starts: Starts;
  blobs: BlobStore;
  settings: Pick<Config, 'publicUrl' | 'data' | 'uploads.maxSize' | 'outbound.idleTimeout'>;
}

/** Services for the start of a transfer, and for waiting until it has ended. */
export type Starts = StartParts & StartRoutes;

/** Bytes of stored files that dry runs cache in memory. */
const DRY_RUN_CACHE = 8 * 2 ** 20;

/** Services for the starts of transfers. */
export function openStarts({
  db,
  changes,
  blobs,
  sources,
  rules,
  settings,
}: Pick<TransferRoutes, 'db' | 'changes'> & {
  blobs: BlobStore;
  sources: StartParts['sources'];
  rules: StartRules;
  settings: Pick<Config, 'transfers.nodeSizes'>;
}): Starts {
  const contents = new BlobSources(blobs, { cacheBytes: DRY_RUN_CACHE });
  const endWaiter = new EndWaiter(db, changes);
  return { db, ...rules, sources, contents, endWaiter, nodeSizes: settings['transfers.nodeSizes'] };
}

export async function transfersPlugin(app: App, options: TransfersOptions) {
  const { db, changes, findCaller, signer, cursors, blobs, starts, settings } = options;
  const { endWaiter, sources } = starts;
  await app.register(importRoutes, starts);
  await app.register(datasetStartRoutes, starts);
  await app.register(legacyStartRoutes, starts);
  await app.register(moveOrCopyRoutes, starts);
  await app.register(whyRoutes, { db });
  await app.register(transferRoutes, {
    db,
    starts,
    changes,
    endWaiter,
    findCaller,
    announce: announcer(db),
    signer,
    cursors,
    publicUrl: settings.publicUrl,
  });
  await app.register(historyRoutes, { db, cursors });
  await app.register(lineageRoutes, { db });
  await app.register(transferListRoutes, { db });
  await app.register(converterRoutes);
  const inspector = new Inspector({
    scratch: join(settings.data, 'inspections'),
    compileCache: join(settings.data, 'compile-cache'),
  });
  app.addHook('onClose', () => inspector.close());
  const remote = { maxSize: settings['uploads.maxSize'], idleMs: settings['outbound.idleTimeout'] };
  await app.register(inspectRoutes, { db, blobs, sources, remote, inspector });
}
