import { z } from 'zod';
import { moveDataset } from '../../datasets/move.ts';
import { invalidMember } from '../../errors.ts';
import { PREFER } from '../../http/openapi/headers.ts';
import { type App, Routes } from '../../http/route.ts';
import { callerInHeaderTenant } from '../../http/rules/auth.ts';
import { idParam } from '../../http/rules/forms.ts';
import { Started, StartQuery } from './bodies.ts';
import { startMoveOrCopy } from './move-or-copy.ts';
import type { StartParts } from './start.ts';
import { answerStart, type StartRoutes } from './start-route.ts';

const targetProjectId = z.guid().toLowerCase();
const targetTenantId = z.guid().toLowerCase();

/** Starts of transfers that move or copy a dataset into another tenant. */
export async function moveOrCopyRoutes(app: App, parts: StartRoutes & StartParts) {
  const routes = new Routes(app, {
    access: 'signedIn',
    service: 'metadata',
    versionRequired: true,
    concernsTenants: true,
    described: { parameters: [PREFER] },
    tags: ['transfers'],
  });
  const { db } = parts;

  routes.post('/api/metadata/dataset/:id/move', {
    operationId: 'moveDataset',
    summary:
      'Starts a transfer that moves a dataset into another tenant; before version 4, moves it within its tenant at once',
    description: [
      'For Owners of both tenants whose token has the scope `platform_metadata_conversion`. The dataset keeps its id.',
      'Up to version 3 there is no `targetTenantId`: the dataset moves to another project of its tenant, and the answer is 204.',
    ].join(' '),
    params: idParam('dataset'),
    querystring: StartQuery,
    body: z.object({
      targetProjectId: targetProjectId.describe('Id of the target project.'),
      targetTenantId: targetTenantId.optional().describe('Id of the target tenant.'),
    }),
    response: { 200: Started, 204: z.null() },
    handler: async (request, reply) => {
      const { caller, params, body, query, apiVersion } = request;
      if (apiVersion >= 4) {
        if (body.targetTenantId === undefined)
          throw invalidMember(
            'targetTenantId',
            'targetTenantId is required; within a tenant, version 3 moves without it.',
          );
        const action = { ...body, targetTenantId: body.targetTenantId, action: 'move', datasetId: params.id } as const;
        return answerStart(parts, request, reply, await startMoveOrCopy(parts, caller, action, query.dryRun ?? false));
      }
      if (body.targetTenantId !== undefined)
        throw invalidMember(
          'targetTenantId',
          `Version ${apiVersion} moves within a tenant; send api-version 4 with targetTenantId.`,
        );
      if (query.dryRun) throw invalidMember('dryRun', `Version ${apiVersion} has no dry run of a move; version 4 has.`);
      await moveDataset(db, callerInHeaderTenant(request), params.id, body.targetProjectId);
      return reply.code(204).send(null);
    },
  });

  routes.post('/api/metadata/dataset/:id/copy', {
    operationId: 'copyDataset',
    summary: 'Starts a transfer that copies a dataset into another tenant',
    description: 'For Owners of both tenants whose token has the scope `platform_metadata_conversion`.',
    params: idParam('dataset'),
    querystring: StartQuery,
    body: z.object({
      targetProjectId: targetProjectId.describe('Id of the project of the result.'),
      targetTenantId: targetTenantId.describe('Id of the target tenant.'),
    }),
    response: { 200: Started },
    config: { versions: [4] },
    handler: async (request, reply) => {
      const action = { ...request.body, action: 'copy', datasetId: request.params.id } as const;
      return answerStart(
        parts,
        request,
        reply,
        await startMoveOrCopy(parts, request.caller, action, request.query.dryRun ?? false),
      );
    },
  });
}
