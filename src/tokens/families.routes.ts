import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { component, createdAt, flag, objects, text, timeText, uuidText } from '../http/rules/members.ts';
import { endFamilies, endFamily, listAccountFamilies } from './families.ts';

const Families = component('Logins', {
  data: objects('Logins that have not ended.', {
    id: uuidText('Id of the login (token family).'),
    createdAt,
    expiresAt: timeText('Time when the login ends, UTC.'),
    lastExchangedAt: timeText('Time of the last exchange of its refresh token, UTC.').optional(),
    lastAddress: text('Client address of the last exchange.', '203.0.113.9').optional(),
    device: text('Browser and system, or the program, that logged in.', 'Firefox on Windows').optional(),
    address: text('Client address of the login.', '203.0.113.9').optional(),
    lastUsedAt: timeText('Time of the last exchange, or else of the login, UTC.'),
    current: flag('Whether this is the login of the request.'),
  }),
});
export type Families = z.infer<typeof Families>;
const OfAccount = z.object({ account: text('Login id of another account, for administrators.').optional() });

export async function familyRoutes(app: App, { db }: { db: Database }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'tokens' });
  routes.get('/api/tokens/family', {
    operationId: 'listLogins',
    summary: 'Lists your active logins; administrators may list those of any account',
    querystring: OfAccount,
    response: { 200: Families },
    handler: async ({ caller, query }) => listAccountFamilies(db, caller, query.account),
  });

  routes.delete('/api/tokens/family', {
    operationId: 'endLogins',
    summary: 'Ends all your logins; administrators may end those of any account',
    querystring: OfAccount,
    response: { 204: z.null() },
    config: { endsLogins: true },
    handler: ({ caller, query }) => endFamilies(db, caller, query.account),
  });

  routes.delete('/api/tokens/family/:id', {
    operationId: 'endLogin',
    summary: 'Ends a login',
    params: z.object({ id: uuidParam().describe('Id of the login (token family).') }),
    response: { 204: z.null() },
    config: { endsLogins: true },
    handler: ({ caller, params }) => endFamily(db, caller, params.id),
  });
}
