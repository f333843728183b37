import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import type { AfterDeletion } from '../projects/delete.ts';
import type { LinkSigner } from '../uploads/address.ts';
import { activityRoutes } from './activity.routes.ts';
import { findRoutes } from './find.routes.ts';
import { grantRoutes } from './grants.routes.ts';
import { hierarchyRoutes } from './hierarchy.routes.ts';
import { importStagedRoutes } from './import-staged.routes.ts';
import { datasetListRoutes } from './list.routes.ts';
import { datasetRoutes } from './routes.ts';
import { datasetThumbnailRoutes } from './thumbnail.routes.ts';

export interface DatasetsOptions {
  db: Database;
  blobs: BlobStore;
  signer: LinkSigner;
  /** Signs cursors. */
  cursors: Signer;
  afterDeletion: AfterDeletion;
  settings: Pick<Config, 'publicUrl' | 'compat.recursiveLists' | 'grants.readLifetime' | 'grants.writeLifetime'>;
}

export async function datasetsPlugin(
  app: App,
  { db, blobs, signer, cursors, afterDeletion, settings }: DatasetsOptions,
) {
  const { publicUrl } = settings;
  const lifetimes = { read: settings['grants.readLifetime'], write: settings['grants.writeLifetime'] };
  await app.register(datasetRoutes, { db, publicUrl });
  await app.register(datasetThumbnailRoutes, { db });
  await app.register(activityRoutes, { db, cursors });
  await app.register(datasetListRoutes, { db, signer, publicUrl, recursiveLists: settings['compat.recursiveLists'] });
  await app.register(grantRoutes, { db, signer, publicUrl, lifetimes });
  await app.register(findRoutes, { db });
  await app.register(hierarchyRoutes, { db, blobs, signer, lifetimes, afterDeletion });
  await app.register(importStagedRoutes, { db, blobs });
}
