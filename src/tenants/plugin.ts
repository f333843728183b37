import type { App } from '../http/route.ts';
import { newAccountRoutes } from './accounts.routes.ts';
import { type BootstrapParts, bootstrapRoutes } from './bootstrap.routes.ts';
import { tenantRoutes } from './routes.ts';

export async function tenantsPlugin(app: App, { settings, ...options }: BootstrapParts) {
  await app.register(newAccountRoutes, options);
  await app.register(bootstrapRoutes, { ...options, settings });
  await app.register(tenantRoutes, { db: options.db });
}
