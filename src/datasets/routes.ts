import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import { publicBase } from '../http/answers/public-base.ts';
import type { App } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { Id, uuidParam } from '../http/rules/forms.ts';
import { boundedJson, descriptionText, freeForm } from '../http/rules/names.ts';
import { nameForm } from '../projects/names.ts';
import { permissionsForm } from '../projects/permissions.ts';
import { deleteDataset, replaceDataset } from './change.ts';
import { findDataset } from './queries.ts';
import { Dataset, datasetOf } from './record.ts';

export interface DatasetRoutes {
  db: Db;
  publicUrl: string | undefined;
}

const measure = () => z.union([z.string(), z.number()]);

/** A dataset as `GET` returns it, changed. Members that are not listed here are ignored. */
const ChangedDataset = z
  .object({
    id: z.guid(),
    name: nameForm(),
    description: descriptionText().optional(),
    metadata: freeForm().optional(),
    properties: freeForm().optional(),
    tags: boundedJson(z.array(chosenName(z.string())).max(1000)).optional(),
    temporalInformation: boundedJson(
      z.object({
        startTime: z.string().optional(),
        endTime: z.string().optional(),
        interval: measure().optional(),
        resolution: measure().optional(),
      }),
    ).optional(),
    spatialInformation: boundedJson(
      z.object({
        location: z.string().meta({ description: 'WKT, WGS 84, longitude before latitude' }).optional(),
        primarySpatialReference: z.string().optional(),
        srid: z.int().optional(),
        resolution: measure().optional(),
      }),
    ).optional(),
    permissions: permissionsForm().optional(),
    rowVersion: z.string().optional(),
  })
  .meta({ id: 'ChangedDataset' });

export async function datasetRoutes(app: App, { db, publicUrl }: DatasetRoutes) {
  const config = { access: 'signedIn', service: 'metadata' } as const;
  const tags = ['datasets'];
  const baseOf = (request: FastifyRequest) => publicBase(publicUrl, request);

  app.get(
    '/api/metadata/dataset/:id',
    {
      config,
      schema: { tags, operationId: 'getDataset', summary: 'Returns a dataset', params: Id, response: { 200: Dataset } },
    },
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
      schema: {
        tags,
        operationId: 'deleteDataset',
        summary: 'Moves a dataset to the recycle bin',
        params: Id,
        response: { 204: z.null() },
      },
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
        operationId: 'deleteProjectDatasetLegacy',
        deprecated: true,
        summary: 'Moves a dataset of this project to the recycle bin',
        params: z.object({ projectId: uuidParam(), id: uuidParam() }),
        response: { 204: z.null() },
      },
    },
    async ({ caller, params }, reply) => {
      await deleteDataset(db, caller, params);
      return reply.code(204).send(null);
    },
  );

  app.put(
    '/api/metadata/project/:id/dataset',
    {
      config,
      schema: {
        tags,
        operationId: 'replaceDataset',
        summary: 'Updates the record of a dataset',
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
}
