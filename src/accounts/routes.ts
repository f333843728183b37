import { z } from 'zod';
import type { Reads } from '../db.ts';
import { type Part, sendList } from '../http/answers/long-list.ts';
import { type App, Routes } from '../http/route.ts';
import { number, text, textUpTo } from '../http/rules/members.ts';
import { offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import { Account } from './account.ts';
import { ACCOUNT_STATES, countAccounts, findMetadata, getAccount, ListedAccount, listAccounts } from './queries.ts';

export async function accountRoutes(app: App, { db }: { db: Reads }) {
  const routes = new Routes(app, { access: 'administrators', service: 'accounts' });
  routes.get('/api/accounts', {
    operationId: 'listAccounts',
    summary: 'Lists accounts',
    querystring: z.object({
      q: textUpTo(200, 'Only accounts with each of these words in login id, name, mail address or company.').optional(),
      state: queryEnum(ACCOUNT_STATES).optional().describe('Only accounts that cannot sign in for this reason.'),
      ...offsetQuery,
    }),
    response: { 200: z.array(Account) },
    handler: async (request, reply) => {
      const { q = '', state } = request.query;
      const filter = { words: q.split(/\s+/).filter(Boolean), state };
      const list = {
        item: ListedAccount,
        freeForm: { members: ['metadata'], textOf: (userId: string) => findMetadata(db, userId) },
        rows: (part: Part) => listAccounts(db, part, filter),
        show: (row: z.output<typeof ListedAccount>) => row,
      };
      return sendList(reply, list, request.query, { bare: true });
    },
  });

  routes.get('/api/accounts/count', {
    operationId: 'countAccounts',
    summary: 'Returns the number of accounts',
    response: { 200: number('Number of accounts.', 12) },
    handler: async () => countAccounts(db),
  });

  routes.get('/api/accounts/:id', {
    operationId: 'getAccount',
    summary: 'Returns an account by its login id',
    params: z.object({ id: text('Login id, in any letter case.') }),
    response: { 200: Account },
    handler: async (request) => getAccount(db, request.params.id),
  });
}
