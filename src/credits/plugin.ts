import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import { creditBalanceRoutes } from './balance.routes.ts';
import { creditRoutes } from './routes.ts';

export async function creditsPlugin(app: App, options: { db: Database }) {
  await app.register(creditRoutes, options);
  await app.register(creditBalanceRoutes, options);
}
