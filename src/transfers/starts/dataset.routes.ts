import { z } from 'zod';
import { invalidMember } from '../../errors.ts';
import { Id, uuidParam } from '../../http/forms.ts';
import type { App } from '../../http/route.ts';
import { startAppend } from './append.ts';
import { AppendBody, ConvertBody, ExportBody, Started, StartQuery, UpdateBody, UpdateFromBody } from './bodies.ts';
import { startConvert } from './convert.ts';
import { startExport } from './export.ts';
import type { StartRoutes } from './settled.ts';
import { settled } from './settled.ts';
import type { StartParts } from './start.ts';
import { startUpdate, startUpdateFrom } from './update.ts';

const tags = ['transfers'];
const metadata = { access: 'signedIn', service: 'metadata' } as const;

const HOW_IT_GROWS =
  'Features come behind those of the dataset, in its coordinate system. Fields are matched by their names: the same name, else the same in another letter case; where a shapefile is one of the two, also the ten bytes that are left of a name there. Fields that the file lacks are null, fields that the dataset lacks end the transfer. Numbers and texts may be longer than before; a value or a geometry that the dataset cannot hold is a bad record (`onBadRecord`). All or nothing is added, and once.';

/** What is done with a dataset that is there. */
export async function datasetStartRoutes(app: App, parts: StartRoutes & StartParts) {
  app.post(
    '/api/metadata/dataset/:id/download-convert',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that makes a file of a dataset, for downloading',
        params: Id,
        querystring: StartQuery,
        body: ExportBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, nodeSizes: parts.nodeSizes, datasetId: request.params.id };
      return settled(
        parts,
        request,
        reply,
        await startExport(parts.db, request.caller, wish, request.query.dryRun ?? false),
      );
    },
  );

  app.post(
    '/api/metadata/dataset/:id/convert',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that makes a dataset of another one',
        params: Id,
        querystring: StartQuery,
        body: ConvertBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, nodeSizes: parts.nodeSizes, datasetId: request.params.id };
      return settled(
        parts,
        request,
        reply,
        await startConvert(parts.db, request.caller, wish, request.query.dryRun ?? false),
      );
    },
  );

  app.post(
    '/api/metadata/dataset/:id/update',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that replaces what a dataset holds by an uploaded or remote file',
        params: Id,
        querystring: StartQuery,
        body: UpdateBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, nodeSizes: parts.nodeSizes, datasetId: request.params.id };
      return settled(
        parts,
        request,
        reply,
        await startUpdate(parts, request.caller, wish, request.query.dryRun ?? false),
      );
    },
  );

  app.post(
    '/api/metadata/dataset/:id/append',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that adds what is in an uploaded file to what a dataset holds',
        description: HOW_IT_GROWS,
        params: Id,
        querystring: StartQuery,
        body: AppendBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      if (request.body.originalFileName === undefined && request.apiVersion > 1)
        throw invalidMember('originalFileName', 'originalFileName is required.');
      const wish = { ...request.body, nodeSizes: parts.nodeSizes, datasetId: request.params.id };
      return settled(
        parts,
        request,
        reply,
        await startAppend(parts, request.caller, wish, request.query.dryRun ?? false),
      );
    },
  );

  app.post(
    '/api/metadata/dataset/:sourceId/update/:targetId',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that replaces what a dataset holds by what another one holds',
        params: z.object({ sourceId: uuidParam(), targetId: uuidParam() }),
        querystring: StartQuery,
        body: UpdateFromBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, nodeSizes: parts.nodeSizes, ...request.params };
      return settled(
        parts,
        request,
        reply,
        await startUpdateFrom(parts.db, request.caller, wish, request.query.dryRun ?? false),
      );
    },
  );
}
