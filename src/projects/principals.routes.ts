import { z } from 'zod';
import type { Reads } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { listOf } from '../http/rules/paging.ts';
import { queryList } from '../http/rules/query.ts';
import { listPrincipals, Principal } from './principals.queries.ts';

export async function principalRoutes(app: App, { db }: { db: Reads }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'iam', tags: ['projects'] });
  routes.get('/api/iam/principal/list', {
    operationId: 'listPrincipals',
    summary: 'Looks up login ids and names of accounts and API keys',
    description:
      "Returns principals of the caller's tenants and members of projects visible to the caller. Other ids are omitted.",
    querystring: z.object({
      id: queryList(z.guid().toLowerCase()).max(1000).default([]).describe('User ids of accounts, or ids of API keys.'),
      loginId: queryList(z.string().max(255)).max(1000).default([]).describe('Login ids of accounts.'),
    }),
    response: { 200: listOf(Principal) },
    handler: async ({ caller, query }) => ({
      data: [...(await listPrincipals(db, caller, { ids: query.id, loginIds: query.loginId }))],
    }),
  });
}
