import type { NewPasswordParts } from '../accounts/new-password.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { App } from '../http/route.ts';
import { newAccountRoutes } from './accounts.routes.ts';
import { tenantRoutes } from './routes.ts';

export async function tenantsPlugin(app: App, options: NewPasswordParts & { store: AccountStore }) {
  await app.register(newAccountRoutes, options);
  await app.register(tenantRoutes, { db: options.db });
}
