import type { App } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { LegacyExportBody, LegacyImportBody } from './bodies.ts';
import { startLegacyExport, startLegacyImport } from './legacy.ts';
import type { StartParts } from './start.ts';
import { type StartRoutes, startRoute } from './start-route.ts';

export async function legacyStartRoutes(app: App, parts: StartRoutes & StartParts) {
  startRoute(app, parts, {
    url: '/api/conversion/upload',
    operationId: 'uploadLegacy',
    deprecated: true,
    service: 'conversion',
    summary: 'Legacy start of an import, or with appendDatasetId of an append; format names a reader or a format',
    body: LegacyImportBody,
    start: (request, dryRun) => {
      const { projectId, ...body } = request.body;
      const named = { inBody: projectId, inHeader: request.platformHeader('project-id') };
      return startLegacyImport(parts, request.caller, body, named, dryRun);
    },
  });

  startRoute(app, parts, {
    url: '/api/metadata/dataset/:id/download',
    operationId: 'downloadDatasetLegacy',
    deprecated: true,
    service: 'metadata',
    summary: 'Legacy start of an export; format names a writer or a format',
    params: idParam('dataset'),
    body: LegacyExportBody,
    start: ({ caller, params, body }, dryRun) =>
      startLegacyExport(parts, caller, { ...body, datasetId: params.id }, dryRun),
  });
}
