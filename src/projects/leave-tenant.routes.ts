import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam, uuidParam } from '../http/rules/forms.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryBoolean } from '../http/rules/query.ts';
import { leaveTenant, listGuestsOf, previewLeaving } from './leave-tenant.ts';
import { TenantGuest } from './members.queries.ts';

const EndedRoles = z.object({
  projectRoles: z.int().describe('Number of roles in projects of the tenant that end.'),
  projectsWithoutOwner: z.int().describe('Number of root projects that the Owners of the tenant take over.'),
});
export type EndedRoles = z.infer<typeof EndedRoles>;

const Guest = TenantGuest.meta({ id: 'TenantGuest' });
export type Guest = z.infer<typeof Guest>;

/** In this room because leaving a tenant ends roles in projects. */
export async function leaveTenantRoutes(app: App, { db }: { db: Database }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'iam' });
  routes.get('/api/iam/tenant/:id/guest', {
    operationId: 'listTenantGuests',
    summary: 'Lists the guests of a tenant: who has roles in its projects and is no member',
    params: idParam('tenant'),
    querystring: z.object(offsetQuery),
    response: { 200: listOf(Guest) },
    handler: async ({ caller, params, query }) => ({ data: [...(await listGuestsOf(db, caller, params.id, query))] }),
  });

  routes.delete('/api/iam/tenant/:id/member/:userId', {
    operationId: 'deleteTenantMember',
    summary: 'Removes a member from a tenant, or a guest from its projects',
    description: [
      'The roles of the user in projects of the tenant end too, unless `keepProjectRoles=true`. Of a guest they are all',
      'that ends; who is neither member nor guest is 404.',
      '`dryRun=true` changes nothing and returns how many roles would end.',
    ].join(' '),
    params: z.object({
      id: uuidParam().describe('Id of the tenant.'),
      userId: uuidParam().describe('User id of the member or guest.'),
    }),
    querystring: z.object({
      keepProjectRoles: queryBoolean().optional().describe('Keeps the roles in projects of the tenant.'),
      dryRun: queryBoolean()
        .optional()
        .describe('Checks the request and the first bytes of stored input, and starts nothing.'),
    }),
    response: { 200: EndedRoles, 204: z.null() },
    handler: async (request, reply) => {
      const { keepProjectRoles = false, dryRun } = request.query;
      const leaving = { tenantId: request.params.id, userId: request.params.userId, keepProjectRoles };
      if (dryRun) return reply.send(await previewLeaving(db, request.caller, leaving));
      await leaveTenant(db, request.caller, leaving);
      return reply.code(204).send(null);
    },
  });
}
