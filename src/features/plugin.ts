import { BlobSources } from '../blobs/blob-source.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import { Contents } from './content.ts';
import { ogcRoutes } from './ogc.routes.ts';
import { QueryThreads } from './query-threads.ts';
import type { FeatureParts } from './request.ts';
import { featureRoutes } from './routes.ts';

export interface FeaturesOptions extends Pick<FeatureParts, 'db' | 'signer' | 'cursors' | 'files'> {
  blobs: BlobStore;
  settings: Pick<Config, 'publicUrl'>;
}

/** Bytes of stored features that queries cache in memory. */
const CACHE_BYTES = 32 * 2 ** 20;
/** Small, because a query reads many short ranges. */
const PAGE_BYTES = 32 * 2 ** 10;

export async function featuresPlugin(app: App, { db, blobs, signer, cursors, files, settings }: FeaturesOptions) {
  const threads = new QueryThreads();
  app.addHook('onClose', () => threads.close());
  const sources = new BlobSources(blobs, { cacheBytes: CACHE_BYTES, pageBytes: PAGE_BYTES });
  const contents = new Contents(sources, threads);
  const parts = { db, signer, contents, cursors, files, publicUrl: settings.publicUrl };
  await app.register(featureRoutes, parts);
  await app.register(ogcRoutes, parts);
}
