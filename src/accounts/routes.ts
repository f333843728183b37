import { z } from 'zod';
import type { Db } from '../db.ts';
import type { App } from '../http/route.ts';
import { Account } from './account.ts';
import { countAccounts, getAccount, listAccounts } from './queries.ts';

const config = { access: 'administrators', service: 'accounts' } as const;

export async function accountRoutes(app: App, { db }: { db: Db }) {
  app.get('/api/accounts', { config, schema: { response: { 200: z.array(Account) } } }, async () => [
    ...(await listAccounts(db)),
  ]);

  app.get('/api/accounts/count', { config, schema: { response: { 200: z.number() } } }, async () => countAccounts(db));

  app.get(
    '/api/accounts/:id',
    { config, schema: { params: z.object({ id: z.string() }), response: { 200: Account } } },
    async (request) => getAccount(db, request.params.id),
  );
}
