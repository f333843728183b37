import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { notFound } from '../errors.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { idParam, uuidParam } from '../http/rules/forms.ts';
import { component, rowVersion, text, timeText } from '../http/rules/members.ts';
import { boundedJson, descriptionText, metadataForm, propertiesForm } from '../http/rules/names.ts';
import { nameForm } from '../projects/names.ts';
import { permissionsForm } from '../projects/permissions.ts';
import { deleteDataset, replaceDataset } from './change.ts';
import { findDataset } from './queries.ts';
import { Dataset, toDataset } from './record.ts';

export interface DatasetRoutes {
  db: Database;
  publicUrl: string | undefined;
}

const measure = () => z.union([z.string(), z.number()]);

/** A dataset as `GET` returns it, changed. Members that are not listed here are ignored. */
const ChangedDataset = component('ChangedDataset', {
  id: z.guid().describe('Id of the dataset.'),
  name: nameForm().meta({ description: 'Name of the dataset, 1 to 255 characters.', example: 'Upper valley' }),
  description: descriptionText()
    .optional()
    .meta({ description: 'Description of the dataset.', example: 'Terrain of the valley' }),
  metadata: metadataForm.optional(),
  properties: propertiesForm.optional(),
  tags: boundedJson(z.array(chosenName(z.string())).max(1000))
    .optional()
    .meta({ description: 'Keywords.', example: ['terrain'] }),
  temporalInformation: boundedJson(
    z.object({
      startTime: timeText('First time.').optional(),
      endTime: timeText('Last time.').optional(),
      interval: measure().optional().meta({ description: 'Time step.', example: 'PT1H' }),
      resolution: measure().optional().describe('Cell size of the area; time step of the times.'),
    }),
  )
    .optional()
    .describe('Time range of the data.'),
  spatialInformation: boundedJson(
    z.object({
      location: text('WKT, WGS 84, longitude before latitude').optional(),
      primarySpatialReference: text('Name of the coordinate system of the data.', 'EPSG:25832').optional(),
      srid: z.int().optional().meta({ description: 'EPSG or ESRI code of the coordinate system.', example: 25832 }),
      resolution: measure().optional().describe('Cell size of the area; time step of the times.'),
    }),
  )
    .optional()
    .describe('Area of the data.'),
  permissions: permissionsForm().optional().describe('Permissions of principals besides their roles.'),
  rowVersion: rowVersion.optional(),
});

export async function datasetRoutes(app: App, { db, publicUrl }: DatasetRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['datasets'] });

  const baseOf = (request: FastifyRequest) => publicBase(publicUrl, request);

  routes.get('/api/metadata/dataset/:id', {
    operationId: 'getDataset',
    summary: 'Returns a dataset',
    params: idParam('dataset'),
    response: { 200: Dataset },
    handler: async (request) => {
      const found = await findDataset(db, request.caller, request.params.id);
      if (!found) throw notFound('Dataset', request.params.id);
      return toDataset(found, baseOf(request));
    },
  });

  routes.delete('/api/metadata/dataset/:id', {
    operationId: 'deleteDataset',
    summary: 'Moves a dataset to the recycle bin',
    params: idParam('dataset'),
    response: { 204: z.null() },
    handler: ({ caller, params }) => deleteDataset(db, caller, params),
  });

  routes.delete('/api/project/:projectId/dataset/:id', {
    operationId: 'deleteProjectDatasetLegacy',
    deprecated: true,
    summary: 'Moves a dataset of this project to the recycle bin',
    params: z.object({
      projectId: uuidParam().describe('Id of the project.'),
      id: uuidParam().describe('Id of the dataset.'),
    }),
    response: { 204: z.null() },
    handler: ({ caller, params }) => deleteDataset(db, caller, params),
  });

  routes.put('/api/metadata/project/:id/dataset', {
    operationId: 'replaceDataset',
    summary: 'Updates the record of a dataset',
    params: idParam('project'),
    body: ChangedDataset,
    response: { 200: Dataset },
    handler: async (request) => {
      const { id, rowVersion, metadata = {}, properties = {}, tags: labels = [], ...rest } = request.body;
      const address = { id, projectId: request.params.id, rowVersion };
      const change = { ...rest, metadata, properties, tags: labels };
      return toDataset(await replaceDataset(db, request.caller, address, change), baseOf(request));
    },
  });
}
