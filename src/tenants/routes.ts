import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import {
  component,
  createdAt,
  createdBy,
  number,
  objects,
  rowVersion,
  text,
  texts,
  updatedAt,
  updatedBy,
  uuidText,
} from '../http/rules/members.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import { changeTenant, createTenant, getTenant, myTenants, removeTenant, tenantsSeenBy } from './manage.ts';
import { ROLES } from './members.queries.ts';
import { listTenantMembers, setMember } from './members.ts';

const Tenant = component('Tenant', {
  id: uuidText('Id of the tenant.'),
  name: text('Name of the tenant.', 'River authority'),
  weight: number('Share of the queue relative to other tenants. Default: 1.'),
  recycleBinDays: number(
    'Days until deleted items are removed permanently. Default: the setting `recycleBin.retention`.',
    180,
  ).optional(),
  createdAt,
  createdBy: createdBy.optional(),
  updatedAt,
  updatedBy: updatedBy.optional(),
  rowVersion,
  owners: texts('Names of its Owners, at most 5: members ask them for rights. Not in lists.', [
    'Ann Example',
  ]).optional(),
  members: objects('Members of the tenant with their roles.', {
    userId: uuidText('User id of the member.'),
    role: text('Role in the tenant: `Owner` or `Member`.', 'Member'),
  }).optional(),
});
export type Tenant = z.infer<typeof Tenant>;
const MyTenant = component('MyTenant', {
  id: uuidText('Id of the tenant.'),
  name: text('Name of the tenant.', 'River authority'),
  role: text('Role in the tenant: `Owner` or `Member`.', 'Member'),
  createdAt,
  updatedAt,
});
export type MyTenant = z.infer<typeof MyTenant>;
const Member = component('TenantMember', {
  userId: uuidText('User id of the member.'),
  role: text('Role in the tenant: `Owner` or `Member`.', 'Member'),
});
const ListedMember = Member.extend({
  accountId: text('Login id of the member.', 'ann'),
  name: text('Name of the person.', 'Ann Example'),
}).meta({ id: 'ListedTenantMember' });
export type ListedMember = z.infer<typeof ListedMember>;

const Uuid = z.guid().toLowerCase();
const Window = z.object(offsetQuery);
const Id = z.object({ id: Uuid.describe('Id of the tenant.') });
const Name = chosenName();

export async function tenantRoutes(app: App, { db }: { db: Database }) {
  const signedIn = new Routes(app, { access: 'signedIn', service: 'iam' });
  const administrators = new Routes(app, { access: 'administrators', service: 'iam' });
  signedIn.get('/api/iam/tenant', {
    operationId: 'listTenants',
    summary: 'Lists tenants visible to the caller',
    querystring: Window,
    response: { 200: listOf(Tenant) },
    handler: async ({ caller, query }) => ({ data: [...(await tenantsSeenBy(db, caller, query))] }),
  });

  signedIn.get('/api/iam/tenant/my', {
    operationId: 'listMyTenants',
    summary: "Lists the caller's tenants",
    response: { 200: listOf(MyTenant) },
    handler: async ({ caller }) => ({ data: await myTenants(db, caller) }),
  });

  administrators.post('/api/iam/tenant', {
    operationId: 'createTenant',
    summary: 'Creates a tenant',
    body: z.object({
      name: Name.meta({ description: 'Name of the tenant.', example: 'River authority' }),
      ownerUserId: Uuid.optional().describe('User id of the first Owner.'),
    }),
    response: { 201: Tenant },
    handler: async (request, reply) => {
      const tenant = await createTenant(db, request.caller, request.body);
      return reply.header('location', `/api/iam/tenant/${tenant.id}`).send(tenant);
    },
  });

  signedIn.get('/api/iam/tenant/:id', {
    operationId: 'getTenant',
    summary: 'Returns a tenant',
    params: Id,
    response: { 200: Tenant },
    handler: async (request) => getTenant(db, request.caller, request.params.id),
  });

  signedIn.put('/api/iam/tenant/:id', {
    operationId: 'replaceTenant',
    summary: 'Updates a tenant',
    params: Id,
    body: z.object({
      name: Name.optional().meta({ description: 'Name of the tenant.', example: 'River authority' }),
      weight: z
        .number()
        .positive()
        .max(1_000_000)
        .optional()
        .describe('Share of the queue relative to other tenants. Default: 1.'),
      recycleBinDays: z
        .union([z.int().min(1).max(36_500), z.literal('default')])
        .optional()
        .meta({
          description: 'Days until deleted items are removed permanently. Default: the setting `recycleBin.retention`.',
          example: 180,
        }),
      rowVersion: rowVersion.optional(),
    }),
    response: { 200: Tenant },
    handler: async (request) => changeTenant(db, request.caller, request.params.id, request.body),
  });

  administrators.delete('/api/iam/tenant/:id', {
    operationId: 'deleteTenant',
    summary: 'Deletes an empty tenant',
    params: Id,
    response: { 204: z.null() },
    handler: (request) => removeTenant(db, request.caller, request.params.id),
  });

  signedIn.get('/api/iam/tenant/:id/member', {
    operationId: 'listTenantMembers',
    summary: 'Lists the members of a tenant',
    params: Id,
    querystring: Window,
    response: { 200: listOf(ListedMember) },
    handler: async ({ caller, params, query }) => ({
      data: [...(await listTenantMembers(db, caller, params.id, query))],
    }),
  });

  signedIn.post('/api/iam/tenant/:id/member', {
    operationId: 'setTenantMember',
    summary: "Adds a member to a tenant or changes the member's role",
    params: Id,
    body: z.object({
      userId: Uuid.describe('User id of the member.'),
      role: queryEnum(ROLES).describe('Role in the tenant: `Owner` or `Member`.'),
    }),
    response: { 200: Member },
    handler: async (request) =>
      setMember(db, request.caller, request.params.id, request.body.userId, request.body.role),
  });
}
