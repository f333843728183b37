import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import type { Starts } from '../transfers/plugin.ts';
import { changeRoutes } from './client/changes.routes.ts';
import { clientQueryRoutes } from './client/client-queries.routes.ts';
import { ReferenceThreads } from './references/reference-threads.ts';
import { referenceRoutes } from './references/references.routes.ts';
import { storeFolderRoutes } from './references/store-folder.routes.ts';
import { StoreFolders } from './references/store-folders.ts';
import { multidimensionalRoutes } from './routes.ts';
import type { ValueParts } from './send-values.ts';

export interface ArraysOptions extends ValueParts {
  blobs: BlobStore;
  starts: Starts;
  settings: Pick<Config, 'publicUrl'>;
}

export async function arraysPlugin(app: App, { settings, starts, ...parts }: ArraysOptions) {
  const threads = new ReferenceThreads(parts.blobs);
  const folders = new StoreFolders(parts);
  for (const one of [threads, folders]) app.addHook('onClose', () => one.close());
  await app.register(multidimensionalRoutes, parts);
  await app.register(clientQueryRoutes, parts);
  await app.register(changeRoutes, { ...parts, starts });
  await app.register(referenceRoutes, { ...parts, threads, publicUrl: settings.publicUrl });
  await app.register(storeFolderRoutes, { ...parts, folders });
}
