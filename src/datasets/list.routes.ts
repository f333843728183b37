import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { memberText } from '../http/answers/json-text.ts';
import { type Part, sendList } from '../http/answers/long-list.ts';
import { type PackedRow, readItemId, unpacked } from '../http/answers/packed-items.queries.ts';
import { publicBase } from '../http/answers/public-base.ts';
import type { Caller } from '../http/caller.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { listOf, offsetPage, offsetPageOf, offsetQuery } from '../http/rules/paging.ts';
import { queryBoolean, queryEnum } from '../http/rules/query.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { grantQuery, signedAddress } from '../uploads/address.ts';
import { downloadName } from './download-name.ts';
import { readGrant } from './grants.ts';
import { countDatasetsBelow, datasetTexts, listDatasets, listDatasetsBelow, listSummaries } from './list.queries.ts';
import { DATASET_TYPES, Dataset, DatasetSummary, dataPath, PlacedDataset } from './record.ts';

export interface DatasetLists {
  db: Database;
  /** Signs addresses. */
  signer: Signer;
  publicUrl: string | undefined;
  /** Whether the recursive list exists. */
  recursiveLists: boolean;
}

export async function datasetListRoutes(app: App, { db, signer, publicUrl, recursiveLists }: DatasetLists) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['datasets'] });

  const baseOf = (request: FastifyRequest) => publicBase(publicUrl, request);
  const tokens = {
    includeSasTokens: queryBoolean()
      .optional()
      .describe('Adds a signed query to each dataset, which grants access to its contents.'),
  };
  /** A query string that grants reading the dataset. */
  const signToken = (id: string, generation: number, caller: Caller) =>
    grantQuery(signer, { area: 'dataset', name: id }, readGrant(generation, caller));

  /** Throws 404 for an empty first page if the caller does not see the project. Lists with rows save that check. */
  const orNotFound =
    (request: { caller: Caller; params: { id: string } }, part: Part) =>
    async <Row>(rows: readonly Row[]) => {
      const isFirst = part.ids === undefined && part.position === undefined;
      if (isFirst && rows.length === 0) await visibleProject(db, request.caller, request.params.id);
      return rows;
    };

  routes.get('/api/metadata/project/:id/dataset/list', {
    operationId: 'listProjectDatasets',
    summary: 'Lists datasets directly in a project',
    description: 'Returns the whole list unless `limit` is set.',
    params: idParam('project'),
    querystring: z.object({ ...tokens, ...offsetQuery }),
    response: { 200: listOf(Dataset) },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      const generation = query.includeSasTokens ? await currentGeneration(db) : undefined;
      const base = baseOf(request);
      const list = {
        item: Dataset,
        freeForm: datasetTexts(db),
        rows: (part: Part) => listDatasets(db, caller, params.id, part).then(orNotFound(request, part)),
        show({ item }: PackedRow) {
          const id = readItemId(item);
          const path = memberText('dataPath', dataPath(id, base));
          if (generation === undefined) return unpacked(item, path);
          return signToken(id, generation, caller).then((token) =>
            unpacked(item, path + memberText('sasToken', token)),
          );
        },
      };
      return sendList(reply, list, query);
    },
  });

  routes.get('/api/metadata/project/:id/dataset/list-summaries', {
    operationId: 'listProjectDatasetSummaries',
    summary: 'Lists datasets directly in a project, with id, name and type only',
    description: 'Returns the whole list unless `limit` is set.',
    params: idParam('project'),
    querystring: z.object(offsetQuery),
    response: { 200: listOf(DatasetSummary) },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      const base = baseOf(request);
      const list = {
        item: DatasetSummary,
        rows: (part: Part) => listSummaries(db, caller, params.id, part).then(orNotFound(request, part)),
        show: ({ id, name, datasetType }: Omit<z.output<typeof DatasetSummary>, 'dataPath'>) => ({
          id,
          name,
          datasetType,
          dataPath: dataPath(id, base),
        }),
      };
      return sendList(reply, list, query);
    },
  });

  if (!recursiveLists) return;
  routes.get('/api/metadata/project/:id/dataset/recursive-list', {
    operationId: 'listProjectDatasetsRecursively',
    summary: 'Lists datasets in a project and all its descendants, ordered by path',
    params: idParam('project'),
    querystring: z.object({
      datasetType: queryEnum(DATASET_TYPES)
        .optional()
        .describe('`file`, `multidimensional`, `timeseries`, `gisvectordata` or `tiles`.'),
      ...tokens,
      ...offsetQuery,
    }),
    response: { 200: offsetPageOf(PlacedDataset) },
    handler: async (request) => {
      const { caller, params, query } = request;
      const { datasetType, includeSasTokens } = query;
      const generation = await currentGeneration(db);
      const project = await visibleProject(db, caller, params.id);
      const page = await offsetPage(
        query,
        () => countDatasetsBelow(db, caller, project.id, datasetType),
        (offset, limit) => listDatasetsBelow(db, caller, project.id, { datasetType, offset, limit }),
      );
      const data = page.data.map(async ({ datasetFormat, fileExtension, ...row }) => {
        const whole = includeSasTokens ? { ...row, sasToken: await signToken(row.id, generation, caller) } : row;
        if (row.datasetType !== 'file') return whole;
        const grant = {
          ...readGrant(generation, caller),
          fileName: downloadName({ name: row.name, datasetFormat, fileExtension }),
        };
        const address = { area: 'dataset', name: row.id } as const;
        return { ...whole, datasetUrl: await signedAddress(signer, baseOf(request), address, grant) };
      });
      return { ...page, data: await Promise.all(data) };
    },
  });
}
