import type { Reads } from '../db.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { searchRoutes } from './routes.ts';

export interface SearchOptions {
  db: Reads;
  /** Signs cursors. */
  cursors: Signer;
}

export async function searchPlugin(app: App, { db, cursors }: SearchOptions) {
  await app.register(searchRoutes, { db, cursors });
}
