import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, flag, objects, text, textUpTo, uuidText } from '../http/rules/members.ts';
import { importStaged } from './import-staged.ts';

const MAX_PATH_LENGTH = 10_000;
/** A client ends each list with an entry without members, which is skipped; all others have both. */
const File = z
  .object({
    url: textUpTo(
      MAX_PATH_LENGTH,
      'Signed URL to which the file was uploaded.',
      'https://platform.example/api/blob/staging/3f1e8a7c?sig=…',
    ).optional(),
    fileName: textUpTo(1000, 'Name of the uploaded file.', 'valley.asc').optional(),
  })
  .superRefine(({ url, fileName }, { addIssue }) => {
    if (url === undefined && fileName !== undefined)
      addIssue({ code: 'custom', path: ['url'], message: 'is required' });
    if (url !== undefined && fileName === undefined)
      addIssue({ code: 'custom', path: ['fileName'], message: 'is required' });
  });
const Import = component('StagedFiles', {
  files: z.array(File).max(1000).default([]).describe('Uploaded files.'),
  destinationPath: textUpTo(MAX_PATH_LENGTH, 'Folder in the project.', 'surveys/2026').optional(),
  destingationPath: textUpTo(
    MAX_PATH_LENGTH,
    'Misspelling of `destinationPath` that clients send.',
    'surveys/2026',
  ).optional(),
  createDestinationPathIfNotExists: flag('Whether missing folders are created. Otherwise they are 404.').optional(),
});
const Imported = component('ImportedFiles', {
  datasets: objects('Created datasets.', {
    fileName: text('Name of the uploaded file.', 'valley.asc'),
    datasetId: uuidText('Id of the dataset.'),
  }),
  failures: objects('Files that could not be imported.', {
    fileName: text('Name of the uploaded file.', 'valley.asc'),
    message: text('Why the file was not imported.', 'The file is empty.'),
  }),
});

export async function importStagedRoutes(app: App, { db, blobs }: { db: Database; blobs: BlobStore }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'conversion', tags: ['datasets'] });
  routes.post('/api/conversion/project/:id/file/import-staged', {
    operationId: 'importStagedProjectFile',
    summary: 'Creates datasets from uploaded files without conversion, immediately',
    params: idParam('project'),
    body: Import,
    response: { 200: Imported },
    handler: async ({ caller, params, body }) => {
      const { files, destinationPath, destingationPath = '', createDestinationPathIfNotExists = false } = body;
      return importStaged({ db, blobs }, caller, params.id, {
        files: files.filter((file): file is Required<typeof file> => file.url !== undefined),
        destination: destinationPath ?? destingationPath,
        createDestination: createDestinationPathIfNotExists,
      });
    },
  });
}
