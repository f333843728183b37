import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import { activationPageRoutes } from './activation-page.routes.ts';
import { legacyAccountRoutes } from './legacy-list.routes.ts';
import type { NewPasswordParts } from './new-password.ts';
import { registrationRoutes } from './registration.routes.ts';
import { accountRoutes } from './routes.ts';
import type { AccountStore } from './store.ts';

export interface AccountsOptions extends NewPasswordParts {
  store: AccountStore;
  settings: Pick<Config, 'accounts.exposePasswordHash' | 'accounts.registration'>;
}

export async function accountsPlugin(app: App, { settings, ...accounts }: AccountsOptions) {
  const { db, store } = accounts;
  await app.register(accountRoutes, { db });
  await app.register(legacyAccountRoutes, { db, store, exposeHash: settings['accounts.exposePasswordHash'] });
  await app.register(registrationRoutes, { ...accounts, open: settings['accounts.registration'] });
  await app.register(activationPageRoutes, { store });
}
