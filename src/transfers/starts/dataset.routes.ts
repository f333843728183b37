import type { FieldErrors } from 'hydrofiles';
import { z } from 'zod';
import type { App } from '../../http/route.ts';
import { idParam, uuidParam } from '../../http/rules/forms.ts';
import { startAppend } from './append.ts';
import { AppendBody, ConvertBody, ExportBody, FILES_LIMITS, UpdateBody, UpdateFromBody } from './bodies.ts';
import { checkFileName, namedFiles } from './check.ts';
import { startConvert } from './convert.ts';
import { startExport } from './export.ts';
import type { StartParts } from './start.ts';
import { type StartRoutes, startRoute } from './start-route.ts';
import { startUpdate, startUpdateFrom } from './update.ts';

const ofDataset = { service: 'metadata', params: idParam('dataset') } as const;

const APPEND_RULES = [
  'Appends the features of the file to those of the dataset, in its coordinate system.',
  'Fields are matched by name, exactly or else in another letter case; names of a shapefile also match by their first ten bytes.',
  'Fields that are not in the file become null. A field that is not in the dataset ends the transfer with an error.',
  'Numbers and texts may be longer than before; a value or a geometry that the dataset cannot hold is a bad record (`onBadRecord`).',
  'To data over time the steps of the file are added after the last one; their cells and items must be those of the dataset. Tiles are drawn by the schemes that the dataset has, with the same colours, least and greatest value.',
  'The transfer adds all features or steps exactly once, or none.',
].join(' ');

/** Starts of transfers that read or write an existing dataset. */
export async function datasetStartRoutes(app: App, parts: StartRoutes & StartParts) {
  const { nodeSizes } = parts;

  startRoute(app, parts, {
    ...ofDataset,
    url: '/api/metadata/dataset/:id/download-convert',
    operationId: 'downloadConvertDataset',
    summary: 'Starts a transfer that makes a file of a dataset, for downloading',
    body: ExportBody,
    start: ({ caller, params, body }, dryRun) =>
      startExport(parts, caller, { ...body, nodeSizes, datasetId: params.id }, dryRun),
  });

  startRoute(app, parts, {
    ...ofDataset,
    url: '/api/metadata/dataset/:id/convert',
    operationId: 'convertDataset',
    summary: 'Starts a transfer that makes a dataset of another one',
    body: ConvertBody,
    start: ({ caller, params, body }, dryRun) =>
      startConvert(parts, caller, { ...body, nodeSizes, datasetId: params.id }, dryRun),
  });

  startRoute(app, parts, {
    ...ofDataset,
    url: '/api/metadata/dataset/:id/update',
    operationId: 'updateDataset',
    summary: 'Starts a transfer that replaces what a dataset holds by an uploaded or remote file',
    body: UpdateBody,
    ...FILES_LIMITS,
    start: async ({ caller, params, body }, dryRun) => {
      const refused: FieldErrors = {};
      // the name of the only file is required in all versions
      if (body.uploadUrls === undefined) checkFileName(refused, body.originalFileName);
      const { originalFileName = '', ...files } = namedFiles(refused, body);
      const request = { ...body, ...files, originalFileName, nodeSizes, refused, datasetId: params.id };
      return startUpdate(parts, caller, request, dryRun);
    },
  });

  startRoute(app, parts, {
    ...ofDataset,
    url: '/api/metadata/dataset/:id/append',
    operationId: 'appendDataset',
    summary: 'Starts a transfer that adds what is in an uploaded file to what a dataset holds',
    description: APPEND_RULES,
    body: AppendBody,
    ...FILES_LIMITS,
    start: async ({ caller, params, body, apiVersion }, dryRun) => {
      const refused: FieldErrors = {};
      if (body.uploadUrls === undefined) checkFileName(refused, body.originalFileName, apiVersion);
      const request = { ...body, ...namedFiles(refused, body), nodeSizes, refused, datasetId: params.id };
      return startAppend(parts, caller, request, dryRun);
    },
  });

  startRoute(app, parts, {
    url: '/api/metadata/dataset/:sourceId/update/:targetId',
    operationId: 'updateDatasetFromDataset',
    service: 'metadata',
    summary: 'Starts a transfer that replaces what a dataset holds by what another one holds',
    params: z.object({
      sourceId: uuidParam().describe('Id of the input dataset.'),
      targetId: uuidParam().describe('Id of the output dataset.'),
    }),
    body: UpdateFromBody,
    start: ({ caller, params, body }, dryRun) =>
      startUpdateFrom(parts, caller, { ...body, nodeSizes, ...params }, dryRun),
  });
}
