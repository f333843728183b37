import { join } from 'node:path';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { TileServices } from '../tiles/tile-services.ts';
import { type DatasetPreviews, datasetPlace } from './dataset-place.ts';
import { previewNumberRoutes } from './numbers.routes.ts';
import { previewRoutes } from './preview.routes.ts';
import { Previews } from './previews.ts';
import { previewChangeRoutes } from './routes.ts';
import { ScratchFiles } from './scratch-files.ts';
import { type SharePreviews, sharePlace } from './share-place.ts';

export interface PreviewOptions
  extends Pick<DatasetPreviews, 'signer' | 'responses'>,
    Pick<SharePreviews, 'strangerRefused'> {
  db: Database;
  blobs: BlobStore;
  drawn: TileServices;
  settings: Pick<Config, 'publicUrl' | 'data' | 'shares.allowed' | 'preview.directSize' | 'preview.overviewCells'>;
}

export async function previewPlugin(app: App, { blobs, drawn, strangerRefused, settings, ...parts }: PreviewOptions) {
  const scratch = new ScratchFiles(join(settings.data, 'preview'));
  const { 'preview.directSize': directBytes, 'preview.overviewCells': overviewCells } = settings;
  const previews = new Previews({ db: parts.db, blobs, drawn, scratch, directBytes, overviewCells });
  app.addHook('onClose', () => previews.close());
  const { publicUrl, 'shares.allowed': allowed } = settings;
  const shared = { db: parts.db, previews, drawn };
  const place = datasetPlace({ ...parts, publicUrl });
  await app.register(previewRoutes, { ...shared, place });
  await app.register(previewNumberRoutes, { ...shared, place });
  await app.register(previewChangeRoutes, { ...shared, place });
  const linked = sharePlace({ db: parts.db, allowed, strangerRefused, publicUrl });
  await app.register(previewRoutes, { ...shared, place: linked });
  await app.register(previewNumberRoutes, { ...shared, place: linked });
}
