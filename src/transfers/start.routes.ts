import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { invalidMember } from '../errors.ts';
import { Id, uuidParam } from '../http/forms.ts';
import { afterCommit } from '../http/idempotency.ts';
import { freeForm } from '../http/names.ts';
import { preferredWait } from '../http/prefer.ts';
import { queryBoolean } from '../http/query.ts';
import type { App } from '../http/route.ts';
import { projectOf } from './check.ts';
import { findSummary, Summary } from './queries.ts';
import type { DryRun } from './start.ts';
import { startConvert, startExport, startImport, startUpdate, startUpdateFrom } from './start.ts';
import type { Endings } from './waiting.ts';

export interface StartRoutes {
  db: Database;
  endings: Endings;
}

const text = (longest: number) => z.string().trim().min(1, 'must not be empty').max(longest);
const Parameters = z
  .array(z.object({ name: z.string(), value: z.unknown().optional() }))
  .max(1000)
  .optional();
/** What every start takes. */
const conversion = {
  readerParameters: Parameters,
  writerParameters: Parameters,
  transformations: z.array(z.unknown()).max(100).optional(),
  onBadRecord: z.enum(['fail', 'skip']).optional(),
  requiredLabels: z.array(z.string()).max(100).optional(),
  storageSizeGb: z.number().optional(),
  memoryRequestMb: z.number().optional(),
  cpuCoresRequest: z.number().optional(),
  nodeSize: z.string().optional(),
};
const OutputDatasetData = z.object({
  name: text(255),
  description: z.string().optional(),
  metadata: freeForm().optional(),
  properties: freeForm().optional(),
});
const ImportBody = z.object({
  projectId: z.uuid().toLowerCase().optional(),
  originalFileName: text(255).optional(),
  uploadUrl: text(8192),
  outputDatasetData: OutputDatasetData,
  readerName: text(100),
  writerName: text(100),
  ...conversion,
});
const ExportBody = z.object({
  readerName: text(100).optional(),
  writerName: text(100),
  targetFileName: text(255)
    .regex(/^[^/\\]*$/, 'must be a file name without a folder')
    .optional(),
  ...conversion,
});
const ConvertBody = z.object({
  outputProjectId: z.uuid().toLowerCase().optional(),
  outputDatasetData: OutputDatasetData,
  readerName: text(100).optional(),
  writerName: text(100),
  ...conversion,
});
const UpdateBody = z.object({
  originalFileName: text(255),
  uploadUrl: text(8192),
  readerName: text(100),
  writerName: text(100).optional(),
  ...conversion,
});
const UpdateFromBody = z.object({
  readerName: text(100).optional(),
  writerName: text(100).optional(),
  ...conversion,
});
const Query = z.object({ dryRun: queryBoolean().optional() });
const Started = z.union([Summary, z.object({ valid: z.literal(true), warnings: z.array(z.string()) })]);

const tags = ['transfers'];
const metadata = { access: 'signedIn', service: 'metadata' } as const;

export async function startRoutes(app: App, { db, endings }: StartRoutes) {
  for (const [url, service] of [
    ['/api/conversion/upload-convert', 'conversion'],
    ['/api/transfer/upload-convert', 'metadata'],
  ] as const) {
    app.post(
      url,
      {
        config: { access: 'signedIn', service },
        schema: {
          tags,
          summary: 'Starts a transfer that makes a dataset of an uploaded file',
          querystring: Query,
          body: ImportBody,
          response: { 200: Started },
        },
      },
      async (request, reply) => {
        const { originalFileName, projectId, ...wish } = request.body;
        if (originalFileName === undefined && request.apiVersion > 1)
          throw invalidMember('originalFileName', 'originalFileName is required.');
        const inHeader = request.platformHeader('project-id');
        if (inHeader !== undefined && !z.uuid().safeParse(inHeader).success)
          throw invalidMember('projectId', `The header project-id is '${inHeader}', which is no uuid.`);
        const started = await startImport(
          db,
          request.caller,
          {
            ...wish,
            originalFileName: originalFileName ?? wish.outputDatasetData.name,
            projectId: projectOf(projectId, inHeader),
          },
          request.query.dryRun ?? false,
        );
        return settled(request, reply, started);
      },
    );
  }

  app.post(
    '/api/metadata/dataset/:id/download-convert',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that makes a file of a dataset, for downloading',
        params: Id,
        querystring: Query,
        body: ExportBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, datasetId: request.params.id };
      return settled(request, reply, await startExport(db, request.caller, wish, request.query.dryRun ?? false));
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
        querystring: Query,
        body: ConvertBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, datasetId: request.params.id };
      return settled(request, reply, await startConvert(db, request.caller, wish, request.query.dryRun ?? false));
    },
  );

  app.post(
    '/api/metadata/dataset/:id/update',
    {
      config: metadata,
      schema: {
        tags,
        summary: 'Starts a transfer that replaces what a dataset holds by an uploaded file',
        params: Id,
        querystring: Query,
        body: UpdateBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, datasetId: request.params.id };
      return settled(request, reply, await startUpdate(db, request.caller, wish, request.query.dryRun ?? false));
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
        querystring: Query,
        body: UpdateFromBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, ...request.params };
      return settled(request, reply, await startUpdateFrom(db, request.caller, wish, request.query.dryRun ?? false));
    },
  );

  /** With `Prefer: wait` the answer stays until the transfer has ended, and tells its status then. */
  async function settled(
    request: FastifyRequest,
    reply: FastifyReply,
    started: Summary | DryRun,
  ): Promise<Summary | DryRun> {
    const time = preferredWait(request, reply);
    if (time === undefined || 'valid' in started) return started;
    return afterCommit(request, reply, started, async () => {
      await endings.wait(started.id, time);
      return findSummary(db, started.id);
    });
  }
}
