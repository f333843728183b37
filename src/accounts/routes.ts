import { z } from 'zod';
import type { Db } from '../db.ts';
import { offsetQuery } from '../http/paging.ts';
import type { App } from '../http/route.ts';
import { Account } from './account.ts';
import { countAccounts, getAccount, listAccounts } from './queries.ts';

const config = { access: 'administrators', service: 'accounts' } as const;

export async function accountRoutes(app: App, { db }: { db: Db }) {
  app.get(
    '/api/accounts',
    {
      config,
      schema: { summary: 'All accounts', querystring: z.object(offsetQuery), response: { 200: z.array(Account) } },
    },
    async (request) => [...(await listAccounts(db, request.query))],
  );

  app.get(
    '/api/accounts/count',
    { config, schema: { summary: 'How many accounts there are', response: { 200: z.number() } } },
    async () => countAccounts(db),
  );

  app.get(
    '/api/accounts/:id',
    {
      config,
      schema: {
        summary: 'An account, by its login id',
        params: z.object({ id: z.string() }),
        response: { 200: Account },
      },
    },
    async (request) => getAccount(db, request.params.id),
  );
}
