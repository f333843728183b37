import type { FieldErrors } from 'hydrofiles';
import type { App } from '../../http/route.ts';
import { FILES_LIMITS, ImportBody } from './bodies.ts';
import { checkFileName, namedFiles, namedProject } from './check.ts';
import { startImport } from './import.ts';
import type { StartParts } from './start.ts';
import { type StartRoutes, startRoute } from './start-route.ts';

export async function importRoutes(app: App, parts: StartRoutes & StartParts) {
  for (const { url, service, ...named } of [
    { url: '/api/conversion/upload-convert', service: 'conversion', operationId: 'uploadConvert' },
    {
      url: '/api/transfer/upload-convert',
      service: 'metadata',
      operationId: 'uploadConvertTransferLegacy',
      deprecated: true,
    },
  ] as const) {
    startRoute(app, parts, {
      url,
      service,
      ...named,
      summary: 'Starts a transfer that makes a dataset of an uploaded or remote file',
      body: ImportBody,
      ...FILES_LIMITS,
      start: async (request, dryRun) => {
        const { projectId, ...body } = request.body;
        const refused: FieldErrors = {};
        if (body.uploadUrls === undefined) checkFileName(refused, body.originalFileName, request.apiVersion);
        const { originalFileName = body.outputDatasetData.name, ...files } = namedFiles(refused, body);
        const imported = {
          ...body,
          ...files,
          originalFileName,
          projectId: namedProject(refused, projectId, request.platformHeader('project-id')),
          nodeSizes: parts.nodeSizes,
          refused,
        };
        return startImport(parts, request.caller, imported, dryRun);
      },
    });
  }
}
