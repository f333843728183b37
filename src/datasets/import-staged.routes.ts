import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import type { App } from '../http/route.ts';
import { Id } from '../http/rules/forms.ts';
import { importStaged } from './import-staged.ts';

const MAX_PATH_LENGTH = 10_000;
/** A client ends each list with an entry without members, which is skipped; all others have both. */
const File = z
  .object({ url: z.string().max(MAX_PATH_LENGTH).optional(), fileName: z.string().max(1000).optional() })
  .superRefine(({ url, fileName }, { addIssue }) => {
    if (url === undefined && fileName !== undefined)
      addIssue({ code: 'custom', path: ['url'], message: 'is required' });
    if (url !== undefined && fileName === undefined)
      addIssue({ code: 'custom', path: ['fileName'], message: 'is required' });
  });
const Import = z
  .object({
    files: z.array(File).max(1000).default([]),
    destinationPath: z.string().max(MAX_PATH_LENGTH).optional(),
    /** A misspelling that clients send. */
    destingationPath: z.string().max(MAX_PATH_LENGTH).optional(),
    createDestinationPathIfNotExists: z.boolean().optional(),
  })
  .meta({ id: 'StagedFiles' });
const Imported = z
  .object({
    datasets: z.array(z.object({ fileName: z.string(), datasetId: z.string() })),
    failures: z.array(z.object({ fileName: z.string(), message: z.string() })),
  })
  .meta({ id: 'ImportedFiles' });

export async function importStagedRoutes(app: App, { db, blobs }: { db: Db; blobs: BlobStore }) {
  app.post(
    '/api/conversion/project/:id/file/import-staged',
    {
      config: { access: 'signedIn', service: 'conversion' },
      schema: {
        tags: ['datasets'],
        operationId: 'importStagedProjectFile',
        summary: 'Creates datasets from uploaded files without conversion, immediately',
        params: Id,
        body: Import,
        response: { 200: Imported },
      },
    },
    async ({ caller, params, body }) => {
      const { files, destinationPath, destingationPath = '', createDestinationPathIfNotExists = false } = body;
      return importStaged({ db, blobs }, caller, params.id, {
        files: files.filter((file): file is Required<typeof file> => file.url !== undefined),
        destination: destinationPath ?? destingationPath,
        createDestination: createDestinationPathIfNotExists,
      });
    },
  );
}
