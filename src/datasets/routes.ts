import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import { Id, uuidParam } from '../http/forms.ts';
import { freeForm } from '../http/names.ts';
import { listOf, offsetQuery } from '../http/paging.ts';
import { publicBase } from '../http/public-base.ts';
import { queryBoolean } from '../http/query.ts';
import type { App } from '../http/route.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Signer } from '../signing-keys.ts';
import { grantQuery, signedAddress } from '../uploads/address.ts';
import { visibleDataset } from './access.ts';
import { deleteDataset, replaceDataset } from './change.ts';
import { downloadName } from './download-name.ts';
import { findDataset, listDatasets } from './queries.ts';
import { Dataset, datasetOf } from './record.ts';

export interface DatasetRoutes {
  db: Db;
  /** Signs addresses. */
  signer: Signer;
  publicUrl: string | undefined;
}

const GRANT_MS = 3_600_000;
const readGrant = () => ({ permission: 'r', expiresAt: new Date(Date.now() + GRANT_MS) }) as const;

/** Other members of a record that comes back are ignored. */
const ChangedDataset = z.object({
  id: z.uuid(),
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((text) => [...text].length <= 255, 'must have at most 255 characters'),
  description: z.string().optional(),
  metadata: freeForm().optional(),
  properties: freeForm().optional(),
  tags: z.array(z.string()).max(1000).optional(),
  temporalInformation: freeForm().optional(),
  spatialInformation: freeForm().optional(),
  rowVersion: z.string().optional(),
});

export async function datasetRoutes(app: App, { db, signer, publicUrl }: DatasetRoutes) {
  const config = { access: 'signedIn', service: 'metadata' } as const;
  const tags = ['datasets'];
  const baseOf = (request: FastifyRequest) => publicBase(publicUrl, request);

  app.get(
    '/api/metadata/dataset/:id',
    { config, schema: { tags, summary: 'A dataset', params: Id, response: { 200: Dataset } } },
    async (request) => {
      const found = await findDataset(db, request.caller, request.params.id);
      if (!found) throw notFound('Dataset', request.params.id);
      return datasetOf(found, baseOf(request));
    },
  );

  app.delete(
    '/api/metadata/dataset/:id',
    {
      config,
      schema: { tags, summary: 'Puts a dataset into the recycle bin', params: Id, response: { 204: z.null() } },
    },
    async ({ caller, params }, reply) => {
      await deleteDataset(db, caller, params);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/api/project/:projectId/dataset/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Puts a dataset of this project into the recycle bin',
        params: z.object({ projectId: uuidParam(), id: uuidParam() }),
        response: { 204: z.null() },
      },
    },
    async ({ caller, params }, reply) => {
      await deleteDataset(db, caller, params);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/api/metadata/project/:id/dataset/list',
    {
      config,
      schema: {
        tags,
        summary: 'Datasets directly in a project',
        description: 'All of them, unless `limit` is sent.',
        params: Id,
        querystring: z.object({ includeSasTokens: queryBoolean().optional(), ...offsetQuery }),
        response: { 200: listOf(Dataset) },
      },
    },
    async (request) => {
      const { caller, params, query } = request;
      const project = await visibleProject(db, caller, params.id);
      const rows = await listDatasets(db, caller, project.id, query);
      const data = rows.map((row) => datasetOf(row, baseOf(request)));
      if (query.includeSasTokens) {
        for (const row of data) row.sasToken = await grantQuery(signer, { area: 'dataset', name: row.id }, readGrant());
      }
      return { data };
    },
  );

  app.put(
    '/api/metadata/project/:id/dataset',
    {
      config,
      schema: {
        tags,
        summary: 'Replaces what is said of a dataset',
        params: Id,
        body: ChangedDataset,
        response: { 200: Dataset },
      },
    },
    async (request) => {
      const { id, rowVersion, metadata = {}, properties = {}, tags: labels = [], ...rest } = request.body;
      const wanted = { id, projectId: request.params.id, rowVersion };
      const change = { ...rest, metadata, properties, tags: labels };
      return datasetOf(await replaceDataset(db, request.caller, wanted, change), baseOf(request));
    },
  );

  app.get(
    '/api/raw/dataset/:id',
    {
      config: { access: 'signedIn', service: 'raw' },
      schema: {
        tags,
        summary: 'An address to download the bytes from',
        params: Id,
        querystring: z.object({ downloadFileName: z.string().max(255).optional() }),
        response: { 200: z.object({ data: z.string() }) },
      },
    },
    async (request) => {
      const dataset = await visibleDataset(db, request.caller, request.params.id);
      const fileName = request.query.downloadFileName || downloadName(dataset.name, dataset.datasetFormat);
      const address = { area: 'dataset', name: dataset.id } as const;
      return { data: await signedAddress(signer, baseOf(request), address, { ...readGrant(), fileName }) };
    },
  );
}
