import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { activationPageRoutes } from './activation-page.routes.ts';
import { auditRoutes } from './audit.routes.ts';
import { legacyAccountRoutes } from './legacy-list.routes.ts';
import type { NewPasswordParts } from './new-password.ts';
import { registrationRoutes } from './registration.routes.ts';
import { accountRoutes } from './routes.ts';
import type { AccountStore } from './store.ts';

export interface AccountsOptions extends NewPasswordParts {
  store: AccountStore;
  /** Signs cursors. */
  cursors: Signer;
  settings: Pick<Config, 'accounts.exposePasswordHash' | 'accounts.registration'>;
}

export async function accountsPlugin(app: App, { settings, cursors, ...accounts }: AccountsOptions) {
  const { db, store } = accounts;
  await app.register(accountRoutes, { db });
  await app.register(legacyAccountRoutes, { db, store, exposeHash: settings['accounts.exposePasswordHash'] });
  await app.register(auditRoutes, { db, cursors });
  await app.register(registrationRoutes, { ...accounts, open: settings['accounts.registration'] });
  await app.register(activationPageRoutes, { store });
}
