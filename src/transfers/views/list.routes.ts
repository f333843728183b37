import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { uuidParam } from '../../http/rules/forms.ts';
import { texts } from '../../http/rules/members.ts';
import { DEFAULT_LIMIT, listOf, offsetPageOf, offsetQuery } from '../../http/rules/paging.ts';
import { idEnding, queryTime } from '../../http/rules/query.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import { STATUSES, type Status, Summary } from '../queries.ts';
import { ListedTransfer, listOwn, listVisible } from './list.queries.ts';

const MAX_SUMMARIES = 1000;

/** Unknown values are ignored, because existing clients rely on it. */
const Statuses = texts('Only transfers in one of these states; others than these are ignored.')
  .optional()
  .transform((values): Status[] =>
    (values ?? []).flatMap((value) => STATUSES.find((known) => known.toLowerCase() === value.toLowerCase()) ?? []),
  );
const filterQuery = {
  from: queryTime('Start of the period, inclusive').optional(),
  to: queryTime('End of the period, exclusive').optional(),
  status: Statuses,
};

export async function transferListRoutes(app: App, { db }: { db: Reads }) {
  const routes = new Routes(app, { access: 'signedIn', tags: ['transfers'] });
  for (const { url, service, ...named } of [
    { url: '/api/conversion/transfer/list-summaries', service: 'conversion', operationId: 'listTransferSummaries' },
    {
      url: '/api/transfer/list-summaries',
      service: 'metadata',
      operationId: 'listTransferSummariesLegacy',
      deprecated: true,
    },
  ] as const) {
    routes.get(url, {
      ...named,
      summary: 'Lists the transfers that the caller started, newest first, at most 1000',
      querystring: z.object({ ...filterQuery, ...offsetQuery }),
      response: { 200: listOf(Summary) },
      config: { service },
      handler: async ({ caller, query }, reply) => {
        const page = { limit: query.limit ?? MAX_SUMMARIES, offset: query.offset ?? 0 };
        return reply.send((await listOwn(db, caller, query, page)) as never);
      },
    });
  }

  routes.get('/api/conversion/transfer/list', {
    operationId: 'listTransfers',
    summary: 'Lists the transfers that the caller sees, newest first',
    querystring: z.object({
      ...filterQuery,
      projectId: uuidParam().optional().describe('Only transfers of this project.'),
      datasetId: uuidParam().optional().describe('Only transfers that read or write this dataset.'),
      idEnding: idEnding().optional(),
      ...offsetQuery,
    }),
    response: { 200: offsetPageOf(ListedTransfer) },
    config: { service: 'conversion' },
    handler: async ({ caller, query }, reply) => {
      if (query.projectId !== undefined) await visibleProject(db, caller, query.projectId);
      const slice = { offset: query.offset ?? 0, limit: query.limit ?? DEFAULT_LIMIT };
      return reply.send((await listVisible(db, caller, query, slice)) as never);
    },
  });
}
