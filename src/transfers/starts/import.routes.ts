import type { FieldErrors } from 'hydrofiles';
import type { App } from '../../http/route.ts';
import { ImportBody } from './bodies.ts';
import { checkFileName, checkFiles, namedProject } from './check.ts';
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
      // addresses of ten thousand files
      bodyLimit: 8 * 2 ** 20,
      maxMembers: 60_000,
      start: async (request, dryRun) => {
        const { originalFileName, projectId, uploadUrl, uploadUrls: files, ...body } = request.body;
        const refused: FieldErrors = {};
        checkFiles(refused, request.body);
        if (files === undefined) checkFileName(refused, originalFileName, request.apiVersion);
        const imported = {
          ...body,
          ...(files?.[0] ?? {
            uploadUrl: uploadUrl ?? '',
            originalFileName: originalFileName ?? body.outputDatasetData.name,
          }),
          files,
          projectId: namedProject(refused, projectId, request.platformHeader('project-id')),
          nodeSizes: parts.nodeSizes,
          refused,
        };
        return startImport(parts, request.caller, imported, dryRun);
      },
    });
  }
}
