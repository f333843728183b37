import { z } from 'zod';
import type { Db } from '../../db.ts';
import type { App } from '../../http/route.ts';
import { Id, uuidParam } from '../../http/rules/forms.ts';
import { listOf } from '../../http/rules/paging.ts';
import { queryInteger, queryTime } from '../../http/rules/query.ts';
import { FailureGroup, listFailures } from './failures.queries.ts';
import { listMassRetries, MassRetry } from './mass-retry.queries.ts';
import { getMassRetry, startMassRetry, stopMassRetry } from './mass-retry.ts';

const USUAL = 100;
const MOST = 1000;
/** About one a day. */
const LEAST_PER_SECOND = 0.00001;

/** Failures of all tenants by their kinds, and orders to try a kind again. */
export async function failureRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['operations'];

  app.get(
    '/api/admin/failure',
    {
      config,
      schema: {
        tags,
        summary: 'Failed transfers in groups: same type, reader, writer and sentence but for names and numbers',
        querystring: z.object({
          tenantId: uuidParam().optional(),
          since: queryTime().optional(),
          limit: queryInteger(1, MOST).optional(),
        }),
        response: { 200: listOf(FailureGroup) },
      },
    },
    async ({ query }) => ({ data: [...(await listFailures(db, { ...query, limit: query.limit ?? USUAL }))] }),
  );

  app.post(
    '/api/admin/failure/:fingerprint/retry',
    {
      config,
      schema: {
        tags,
        summary: 'Has workers start all failures of a group again, each once and at a pace',
        description:
          'Each is started for whoever started it, with the rights it has now; those that were tried again before are left out. ' +
          '`stopOnFail` ends the order when one that it started fails in the same way. One order at a time for each group.',
        params: z.object({ fingerprint: z.string().max(64) }),
        body: z.object({
          perSecond: z.number().min(LEAST_PER_SECOND).max(MOST).optional(),
          limit: z.int().positive().max(1_000_000_000).optional(),
          stopOnFail: z.boolean().optional(),
        }),
        response: { 202: MassRetry },
      },
    },
    async ({ caller, params, body }, reply) => {
      const { perSecond = 1, limit, stopOnFail = false } = body;
      const wish = {
        fingerprint: params.fingerprint,
        perSecond,
        stopOnFail,
        ...(limit === undefined ? {} : { limit }),
      };
      return reply.code(202).send(await startMassRetry(db, caller, wish));
    },
  );

  app.get(
    '/api/admin/retry',
    {
      config,
      schema: {
        tags,
        summary: 'Orders to try groups of failures again, newest first, and what came of them',
        querystring: z.object({ limit: queryInteger(1, MOST).optional() }),
        response: { 200: listOf(MassRetry) },
      },
    },
    async ({ query }) => ({ data: [...(await listMassRetries(db, query.limit ?? USUAL))] }),
  );

  app.get(
    '/api/admin/retry/:id',
    { config, schema: { tags, summary: 'Such an order', params: Id, response: { 200: MassRetry } } },
    ({ params }) => getMassRetry(db, params.id),
  );

  app.post(
    '/api/admin/retry/:id/stop',
    {
      config,
      schema: {
        tags,
        summary: 'Starts no more of them; those started go on',
        params: Id,
        response: { 200: MassRetry },
      },
    },
    ({ caller, params }) => stopMassRetry(db, caller, params.id),
  );
}
