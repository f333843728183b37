import { invalidMember } from '../../errors.ts';
import type { App } from '../../http/route.ts';
import { namedProject } from '../check.ts';
import { ImportBody, Started, StartQuery } from './bodies.ts';
import { startImport } from './import.ts';
import type { StartRoutes } from './settled.ts';
import { settled } from './settled.ts';
import type { StartParts } from './start.ts';

const tags = ['transfers'];

export async function importRoutes(app: App, parts: StartRoutes & StartParts) {
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
          summary: 'Starts a transfer that makes a dataset of an uploaded or remote file',
          querystring: StartQuery,
          body: ImportBody,
          response: { 200: Started },
        },
      },
      async (request, reply) => {
        const { originalFileName, projectId, ...wish } = request.body;
        if (originalFileName === undefined && request.apiVersion > 1)
          throw invalidMember('originalFileName', 'originalFileName is required.');
        const started = await startImport(
          parts,
          request.caller,
          {
            ...wish,
            nodeSizes: parts.nodeSizes,
            originalFileName: originalFileName ?? wish.outputDatasetData.name,
            projectId: namedProject(projectId, request.platformHeader('project-id')),
          },
          request.query.dryRun ?? false,
        );
        return settled(parts, request, reply, started);
      },
    );
  }
}
