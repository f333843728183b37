import { z } from 'zod';
import type { Database } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam, uuidParam } from '../../http/rules/forms.ts';
import { flag, textUpTo } from '../../http/rules/members.ts';
import { listOf } from '../../http/rules/paging.ts';
import { queryInteger, queryTime } from '../../http/rules/query.ts';
import { FailureGroup, listFailures } from './failures.queries.ts';
import { listMassRetries, MassRetry } from './mass-retry.queries.ts';
import { getMassRetry, startMassRetry, stopMassRetry } from './mass-retry.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** About one per day. */
const MIN_PER_SECOND = 0.00001;

/** Failed transfers of all tenants grouped by fingerprint, and mass retries. */
export async function failureRoutes(app: App, { db }: { db: Database }): Promise<void> {
  const routes = new Routes(app, { access: 'administrators', service: 'iam', tags: ['operations'] });

  routes.get('/api/admin/failure', {
    operationId: 'listFailures',
    summary: 'Lists failed transfers grouped by type, reader, writer and error message (ignoring names and numbers)',
    querystring: z.object({
      tenantId: uuidParam().optional().describe('Only failures of this tenant.'),
      since: queryTime('Only failures since then').optional(),
      limit: queryInteger(1, MAX_LIMIT).optional().describe('Maximum number of groups.'),
    }),
    response: { 200: listOf(FailureGroup) },
    handler: async ({ query }) => ({
      data: [...(await listFailures(db, { ...query, limit: query.limit ?? DEFAULT_LIMIT }))],
    }),
  });

  routes.post('/api/admin/failure/:fingerprint/retry', {
    operationId: 'retryFailure',
    summary: 'Retries all failed transfers of a group, each once and at a limited rate',
    description:
      'Each runs as the account or key that started it, with its current rights. Transfers that were retried before are skipped. ' +
      '`stopOnFail` stops when a retried transfer fails with the same fingerprint. One mass retry at a time for each group.',
    params: z.object({
      fingerprint: textUpTo(64, 'Id of a group of failures with the same message.'),
    }),
    body: z.object({
      perSecond: z.number().min(MIN_PER_SECOND).max(MAX_LIMIT).optional().describe('Number of retries per second.'),
      limit: z
        .int()
        .positive()
        .max(1_000_000_000)
        .optional()
        .meta({ description: 'Maximum number of retries.', example: 1000 }),
      stopOnFail: flag('Whether the first retry that fails stops the rest.').optional(),
    }),
    response: { 202: MassRetry },
    handler: async ({ caller, params, body }) => {
      const { perSecond = 1, limit, stopOnFail = false } = body;
      const request = {
        fingerprint: params.fingerprint,
        perSecond,
        stopOnFail,
        ...(limit === undefined ? {} : { limit }),
      };
      return await startMassRetry(db, caller, request);
    },
  });

  routes.get('/api/admin/retry', {
    operationId: 'listRetries',
    summary: 'Lists mass retries with their results, newest first',
    querystring: z.object({
      limit: queryInteger(1, MAX_LIMIT).optional().describe('Maximum number of mass retries.'),
    }),
    response: { 200: listOf(MassRetry) },
    handler: async ({ query }) => ({ data: [...(await listMassRetries(db, query.limit ?? DEFAULT_LIMIT))] }),
  });

  routes.get('/api/admin/retry/:id', {
    operationId: 'getRetry',
    summary: 'Returns a mass retry',
    params: idParam('mass retry'),
    response: { 200: MassRetry },
    handler: ({ params }) => getMassRetry(db, params.id),
  });

  routes.post('/api/admin/retry/:id/stop', {
    operationId: 'stopRetry',
    summary: 'Stops a mass retry; transfers that it has started continue',
    params: idParam('mass retry'),
    response: { 200: MassRetry },
    handler: ({ caller, params }) => stopMassRetry(db, caller, params.id),
  });
}
