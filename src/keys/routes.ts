import { z } from 'zod';
import type { Db } from '../db.ts';
import type { App } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { Id } from '../http/rules/forms.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import type { Identities } from '../tokens/identities.ts';
import { createKey, keysOf, revokeKey } from './manage.ts';
import { whoAmI } from './me.ts';
import { KEY_ROLES } from './queries.ts';

const common = {
  id: z.string(),
  name: z.string(),
  role: z.string(),
  tenantId: z.string(),
  expiresAt: z.string().optional(),
  allowedNetworks: z.array(z.string()).optional(),
  createdAt: z.string(),
};
const NewKey = z.object({ ...common, key: z.string() }).meta({ id: 'NewApiKey' });
export type NewKey = z.infer<typeof NewKey>;
const Key = z
  .object({
    ...common,
    createdBy: z.string(),
    lastUsedAt: z.string().optional(),
    lastUsedFrom: z.string().optional(),
  })
  .meta({ id: 'ApiKey' });
export type Key = z.infer<typeof Key>;
const Principal = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().optional(),
    role: z.string().optional(),
    tenantId: z.string().optional(),
  })
  .meta({ id: 'Principal' });
export type Principal = z.infer<typeof Principal>;

export async function keyRoutes(app: App, { db, identities }: { db: Db; identities: Identities }) {
  const config = { access: 'signedIn', service: 'iam' } as const;
  const tags = ['keys'];

  app.post(
    '/api/iam/key',
    {
      config: { ...config, secretAnswer: true },
      schema: {
        tags,
        operationId: 'createKey',
        summary: 'Creates an API key; only this answer contains it',
        body: z.object({
          name: chosenName(),
          role: queryEnum(KEY_ROLES),
          expiresAt: z.string().max(100).optional(),
          allowedNetworks: z.array(z.string().trim().max(100)).max(100).optional(),
        }),
        response: { 201: NewKey },
      },
    },
    async (request, reply) => {
      const key = await createKey(db, request.caller, request.body);
      return reply.code(201).headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(key);
    },
  );

  app.get(
    '/api/iam/key',
    {
      config,
      schema: {
        tags,
        operationId: 'listKeys',
        summary: 'Lists the API keys of the tenant',
        querystring: z.object(offsetQuery),
        response: { 200: listOf(Key) },
      },
    },
    async ({ caller, query }) => ({ data: [...(await keysOf(db, caller, query))] }),
  );

  app.delete(
    '/api/iam/key/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteKey',
        summary: 'Revokes an API key',
        params: Id,
        response: { 204: z.null() },
      },
    },
    async ({ caller, params }, reply) => {
      await revokeKey(db, caller, params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/api/iam/principal/me',
    { config, schema: { operationId: 'getPrincipal', summary: 'Returns the caller', response: { 200: Principal } } },
    async ({ caller }) => whoAmI({ db, identities }, caller),
  );
}
