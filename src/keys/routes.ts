import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, createdAt, createdBy, text, texts, textUpTo, timeText, uuidText } from '../http/rules/members.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import type { Identities } from '../tokens/identities.ts';
import { createKey, listCallersKeys, revokeKey } from './manage.ts';
import { whoAmI } from './me.ts';
import { KEY_ROLES } from './queries.ts';

const common = {
  id: uuidText('Id of the API key.'),
  name: text('Purpose of the key.', 'Nightly import'),
  role: text('Role of the key in every project of the tenant.', 'Contributor'),
  tenantId: uuidText('Id of the tenant of the key.'),
  expiresAt: text('Expiry of the key, as sent. Absent: none.', '2027-01-01').optional(),
  allowedNetworks: texts('Networks from which the key may be used. Absent: all.', ['203.0.113.0/24']).optional(),
  createdAt,
};
const NewKey = component('NewApiKey', {
  ...common,
  key: text('The secret. Only this answer contains it.', '8f14e45f-ceea-4e7a-9d2b-0f7a6c5b4d3e'),
});
export type NewKey = z.infer<typeof NewKey>;
const Key = component('ApiKey', {
  ...common,
  createdBy,
  lastUsedAt: timeText('Time of the last use, UTC.').optional(),
  lastUsedFrom: text('Client address of the last use.', '203.0.113.9').optional(),
});
export type Key = z.infer<typeof Key>;
const Principal = component('Principal', {
  id: uuidText('User id, or id of the API key.'),
  name: text('Name of the person.', 'Ann Example'),
  email: text('E-mail address of the person; API keys have none.', 'ann@example.org').optional(),
  role: text('Role in the current tenant.', 'Owner').optional(),
  tenantId: uuidText('Id of the current tenant.').optional(),
});
export type Principal = z.infer<typeof Principal>;

export async function keyRoutes(app: App, { db, identities }: { db: Database; identities: Identities }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'iam', tags: ['keys'] });

  routes.post('/api/iam/key', {
    operationId: 'createKey',
    summary: 'Creates an API key; only this answer contains it',
    body: z.object({
      name: chosenName().meta({ description: 'Purpose of the key.', example: 'Nightly import' }),
      role: queryEnum(KEY_ROLES).describe('Role of the key in every project of the tenant.'),
      expiresAt: textUpTo(100, 'Expiry of the key, as sent. Absent: none.', '2027-01-01').optional(),
      allowedNetworks: z
        .array(z.string().trim().max(100))
        .max(100)
        .optional()
        .meta({
          description: 'Networks from which the key may be used. Absent: all.',
          example: ['203.0.113.0/24'],
        }),
    }),
    response: { 201: NewKey },
    config: { secretAnswer: true },
    handler: async (request, reply) => {
      const key = await createKey(db, request.caller, request.body);
      return reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(key);
    },
  });

  routes.get('/api/iam/key', {
    operationId: 'listKeys',
    summary: 'Lists the API keys of the tenant',
    querystring: z.object(offsetQuery),
    response: { 200: listOf(Key) },
    handler: async ({ caller, query }) => ({ data: [...(await listCallersKeys(db, caller, query))] }),
  });

  routes.delete('/api/iam/key/:id', {
    operationId: 'deleteKey',
    summary: 'Revokes an API key',
    params: idParam('key'),
    response: { 204: z.null() },
    handler: ({ caller, params }) => revokeKey(db, caller, params.id),
  });

  routes.get('/api/iam/principal/me', {
    operationId: 'getPrincipal',
    tags: ['iam'],
    summary: 'Returns the caller',
    response: { 200: Principal },
    handler: async ({ caller }) => whoAmI({ db, identities }, caller),
  });
}
