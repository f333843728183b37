import { z } from 'zod';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { createdAt, text, timeText, uuidText } from '../http/rules/members.ts';
import { endFamilies, endFamily, listAccountFamilies } from './families.ts';

const config = { access: 'signedIn', service: 'tokens' } as const;
const ending = { ...config, endsLogins: true } as const;
const Families = z
  .object({
    data: z
      .array(
        z.object({
          id: uuidText('Id of the login (token family).'),
          createdAt,
          expiresAt: timeText('Time when the login ends, UTC.'),
          lastExchangedAt: timeText('Time of the last exchange of its refresh token, UTC.').optional(),
          lastAddress: text('Client address of the last exchange.', '203.0.113.9').optional(),
        }),
      )
      .describe('Logins that have not ended.'),
  })
  .meta({ id: 'Logins' });
export type Families = z.infer<typeof Families>;
const OfAccount = z.object({ account: text('Login id of another account, for administrators.').optional() });

export async function familyRoutes(app: App, { db }: { db: Database }) {
  app.get(
    '/api/tokens/family',
    {
      config,
      schema: {
        operationId: 'listLogins',
        summary: 'Lists your active logins; administrators may list those of any account',
        querystring: OfAccount,
        response: { 200: Families },
      },
    },
    async ({ caller, query }) => listAccountFamilies(db, caller, query.account),
  );

  app.delete(
    '/api/tokens/family',
    {
      config: ending,
      schema: {
        operationId: 'endLogins',
        summary: 'Ends all your logins; administrators may end those of any account',
        querystring: OfAccount,
        response: { 204: z.null() },
      },
    },
    async ({ caller, query }, reply) => {
      await endFamilies(db, caller, query.account);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/api/tokens/family/:id',
    {
      config: ending,
      schema: {
        operationId: 'endLogin',
        summary: 'Ends a login',
        params: z.object({ id: uuidParam().describe('Id of the login (token family).') }),
        response: { 204: z.null() },
      },
    },
    async ({ caller, params }, reply) => {
      await endFamily(db, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
