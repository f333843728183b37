import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { LinkSigner } from './address.ts';
import { type BlobRoutes, blobRoutes } from './blob.routes.ts';
import { uploadRoutes } from './routes.ts';
import { stagedPlace } from './staged.ts';

export interface UploadsOptions {
  db: Database;
  blobs: BlobStore;
  signer: LinkSigner;
  /** Areas of other rooms. */
  areas: Omit<BlobRoutes['places'], 'staging'>;
  settings: Pick<Config, 'publicUrl' | 'uploads.maxSize' | 'blobs.redirectFrom'>;
}

export async function uploadsPlugin(app: App, { db, blobs, signer, areas, settings }: UploadsOptions) {
  await app.register(uploadRoutes, { db, signer, publicUrl: settings.publicUrl });
  await app.register(blobRoutes, {
    db,
    blobs,
    signer,
    maxSize: settings['uploads.maxSize'],
    redirectFrom: settings['blobs.redirectFrom'],
    places: { staging: stagedPlace(db, blobs, signer.issuers), ...areas },
  });
}
