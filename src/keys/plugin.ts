import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { Identities } from '../tokens/identities.ts';
import { keyRoutes } from './routes.ts';

export async function keysPlugin(app: App, options: { db: Database; identities: Identities }) {
  await app.register(keyRoutes, options);
}
