import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { Gates } from './gates.ts';
import { licensingRoutes } from './routes.ts';

export async function licensingPlugin(app: App, options: { db: Database; gates: Gates }) {
  await app.register(licensingRoutes, options);
}
