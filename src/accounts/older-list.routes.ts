import { z } from 'zod';
import type { Db } from '../db.ts';
import type { App } from '../http/route.ts';
import { listOlderAccounts, OlderAccount } from './older-list.queries.ts';
import type { AccountStore } from './store.ts';

export interface OlderListParts {
  db: Db;
  store: AccountStore;
  /** Show stored hashes. Whoever reads the list can then try passwords at leisure. */
  exposeHash: boolean;
}

/** The accounts as older clients list them. */
export async function olderAccountRoutes(app: App, { db, store, exposeHash }: OlderListParts) {
  app.get(
    '/api/account/list',
    {
      config: {
        access: 'administrators',
        service: 'accounts',
        basic: true,
        cached: {
          resource: 'accounts',
          // a file that was edited by hand is a write as well
          async permission() {
            await store.settle();
            return 'administrators';
          },
        },
      },
      schema: { summary: 'All accounts, in an older form', response: { 200: z.array(OlderAccount) } },
    },
    async () =>
      (await listOlderAccounts(db)).map((account) => ({
        ...account,
        EncryptedPassword: exposeHash ? account.EncryptedPassword : 'redacted',
      })),
  );
}
