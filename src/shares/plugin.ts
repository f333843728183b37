import type { BlobStore } from '../blobs/blobs.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import { type PublicShareRoutes, publicShareRoutes } from './public.routes.ts';
import { shareRoutes } from './routes.ts';

export interface SharesOptions extends Pick<PublicShareRoutes, 'strangerRefused' | 'starts'> {
  db: Database;
  blobs: BlobStore;
  settings: Pick<Config, 'publicUrl' | 'shares.allowed'>;
}

export async function sharesPlugin(app: App, { db, blobs, strangerRefused, starts, settings }: SharesOptions) {
  const { publicUrl, 'shares.allowed': allowed } = settings;
  await app.register(shareRoutes, { db, publicUrl, allowed });
  await app.register(publicShareRoutes, { db, blobs, publicUrl, allowed, strangerRefused, starts });
}
