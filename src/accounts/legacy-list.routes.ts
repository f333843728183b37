import { z } from 'zod';
import type { Database } from '../db.ts';
import { type Part, sendList } from '../http/answers/long-list.ts';
import { type App, Routes } from '../http/route.ts';
import { component, flag, text } from '../http/rules/members.ts';
import { type LegacyAccount, listLegacyAccounts } from './queries.ts';
import type { AccountStore } from './store.ts';

const Item = component('LegacyAccount', {
  Id: text('Login id of the account.', 'ann'),
  Name: text('Full name of the person.', 'Ann Example'),
  Roles: text('Names of roles, separated by commas.', 'BackOffice'),
  Activated: flag('Whether the account is active.'),
  EncryptedPassword: text('`redacted`, unless the setting `accounts.exposePasswordHash` is on.', 'redacted'),
});

export interface LegacyListParts {
  db: Database;
  store: AccountStore;
  /** Whether answers contain password hashes, which readers of the list can attack offline. */
  exposeHash: boolean;
}

/** The list of accounts for legacy clients. */
export async function legacyAccountRoutes(app: App, { db, store, exposeHash }: LegacyListParts) {
  const routes = new Routes(app, { access: 'administrators', service: 'accounts' });
  const list = {
    item: Item,
    rows: (part: Part) => listLegacyAccounts(db, part),
    show: ({ id, name, roles, activated, passwordHash }: z.output<typeof LegacyAccount>) => ({
      Id: id,
      Name: name,
      Roles: roles,
      Activated: activated,
      EncryptedPassword: exposeHash ? passwordHash : 'redacted',
    }),
  };

  routes.get('/api/account/list', {
    operationId: 'listAccountsLegacy',
    deprecated: true,
    summary: 'Lists accounts in the legacy format',
    response: { 200: z.array(Item) },
    config: {
      basic: true,
      cached: {
        resource: 'accounts',
        // a change of the account file by hand invalidates the cache, too
        async permission() {
          await store.refresh();
          return 'administrators';
        },
      },
    },
    handler: async (_request, reply) => sendList(reply, list, {}, { bare: true }),
  });
}
