import type { App } from '../../http/route.ts';
import { Id } from '../../http/rules/forms.ts';
import { OlderExportBody, OlderImportBody } from './bodies.ts';
import { namedProject } from './check.ts';
import { startOlderExport, startOlderImport } from './legacy.ts';
import type { StartRoutes } from './settled.ts';
import type { StartParts } from './start.ts';
import { startRoute } from './start-route.ts';

export async function olderStartRoutes(app: App, parts: StartRoutes & StartParts) {
  startRoute(
    app,
    parts,
    {
      url: '/api/conversion/upload',
      service: 'conversion',
      summary: 'The older start of an import, or with appendDatasetId of an append; format names a reader or a format',
      body: OlderImportBody,
    },
    (request, dryRun) => {
      const { projectId, ...wish } = request.body;
      const project = () => namedProject(projectId, request.platformHeader('project-id'));
      return startOlderImport(parts, request.caller, wish, project, dryRun);
    },
  );

  startRoute(
    app,
    parts,
    {
      url: '/api/metadata/dataset/:id/download',
      service: 'metadata',
      summary: 'The older start of an export; format names a writer or a format',
      params: Id,
      body: OlderExportBody,
    },
    ({ caller, params, body }, dryRun) => startOlderExport(parts, caller, { ...body, datasetId: params.id }, dryRun),
  );
}
