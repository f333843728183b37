import { Id } from '../../http/forms.ts';
import type { App } from '../../http/route.ts';
import { namedProject } from '../check.ts';
import { OlderExportBody, OlderImportBody, Started, StartQuery } from './bodies.ts';
import { startOlderExport, startOlderImport } from './older.ts';
import type { StartRoutes } from './settled.ts';
import { settled } from './settled.ts';
import type { StartParts } from './start.ts';

const tags = ['transfers'];

export async function olderStartRoutes(app: App, parts: StartRoutes & StartParts) {
  app.post(
    '/api/conversion/upload',
    {
      config: { access: 'signedIn', service: 'conversion' },
      schema: {
        tags,
        summary:
          'The older start of an import, or with appendDatasetId of an append; format names a reader or a format',
        querystring: StartQuery,
        body: OlderImportBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const { projectId, ...wish } = request.body;
      const project = () => namedProject(projectId, request.platformHeader('project-id'));
      const { dryRun = false } = request.query;
      return settled(parts, request, reply, await startOlderImport(parts, request.caller, wish, project, dryRun));
    },
  );

  app.post(
    '/api/metadata/dataset/:id/download',
    {
      config: { access: 'signedIn', service: 'metadata' },
      schema: {
        tags,
        summary: 'The older start of an export; format names a writer or a format',
        params: Id,
        querystring: StartQuery,
        body: OlderExportBody,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, datasetId: request.params.id };
      const { dryRun = false } = request.query;
      return settled(parts, request, reply, await startOlderExport(parts.db, request.caller, wish, dryRun));
    },
  );
}
