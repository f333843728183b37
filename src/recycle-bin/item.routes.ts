import { z } from 'zod';
import { toDataset } from '../datasets/record.ts';
import type { Database } from '../db.ts';
import { notFound } from '../errors.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam, uuidParam } from '../http/rules/forms.ts';
import { findRecord } from '../projects/queries.ts';
import { toProject } from '../projects/record.ts';
import { findDataset } from './item.queries.ts';
import { deletedItem } from './item.ts';
import { purge } from './purge.ts';
import { DeletedDataset, DeletedProject, Preview } from './record.ts';
import { previewRestore, restore } from './restore.ts';
import { restoreDatasetTo, restoreProjectTo } from './restore-elsewhere.ts';

export interface BinItems {
  db: Database;
  publicUrl: string | undefined;
}

const Target = z.object({ targetProjectId: z.guid().toLowerCase().describe('Id of the project to restore to.') });
const None = z.null();

export async function binItemRoutes(app: App, { db, publicUrl }: BinItems) {
  const routes = new Routes(app, { access: 'signedIn', service: 'recycleBin', tags: ['recycle bin'] });

  const project = (id: string) => ({ itemType: 'Project', id }) as const;
  const dataset = (params: { id: string; projectId?: string }) => ({ itemType: 'Dataset', ...params }) as const;

  routes.get('/api/recycle-bin/project/:id', {
    operationId: 'getRecycleBinProject',
    summary: 'Returns a deleted project',
    params: idParam('project'),
    response: { 200: DeletedProject },
    handler: async ({ caller, params: { id } }) => {
      const { deletedAt, deletedBy } = await deletedItem(db, caller, project(id));
      const row = await findRecord(db, caller, id);
      // purged since the first query
      if (!row) throw notFound('Deleted project', id);
      return { ...toProject(row), deletedAt, deletedBy };
    },
  });

  routes.get('/api/recycle-bin/project/:id/restore/preview', {
    operationId: 'getRecycleBinProjectRestorePreview',
    summary: 'Previews the restore of a project: restored items and missing privileges',
    params: idParam('project'),
    response: { 200: Preview },
    handler: async ({ caller, params: { id } }) => previewRestore(db, caller, project(id)),
  });

  routes.put('/api/recycle-bin/project/:id/restore', {
    operationId: 'restoreRecycleBinProject',
    summary: 'Restores a project and its deleted ancestors',
    params: idParam('project'),
    response: { 204: None },
    handler: ({ caller, params: { id } }) => restore(db, caller, project(id)),
  });

  routes.post('/api/recycle-bin/project/:id/restore', {
    operationId: 'restoreRecycleBinProjectElsewhere',
    summary: 'Restores a project below another project or as a root project',
    description: 'Without `targetProjectId`, it becomes a root project and the caller its Owner.',
    params: idParam('project'),
    body: Target.partial(),
    response: { 204: None },
    handler: ({ caller, params: { id }, body }) => restoreProjectTo(db, caller, id, body.targetProjectId),
  });

  routes.delete('/api/recycle-bin/project/:id', {
    operationId: 'deleteRecycleBinProject',
    summary: 'Permanently deletes a project in the recycle bin with all its contents',
    params: idParam('project'),
    response: { 204: None },
    handler: ({ caller, params: { id } }) => purge(db, caller, project(id)),
  });

  for (const { path, noun, params } of [
    { path: '/api/recycle-bin/dataset/:id', noun: 'RecycleBinDataset', params: idParam('dataset') },
    {
      path: '/api/recycle-bin/project/:projectId/dataset/:id',
      noun: 'RecycleBinProjectDataset',
      params: z.object({
        projectId: uuidParam().describe('Id of the project.'),
        id: uuidParam().describe('Id of the dataset.'),
      }),
    },
  ]) {
    routes.get(path, {
      operationId: `get${noun}`,
      summary: 'Returns a deleted dataset',
      params,
      response: { 200: DeletedDataset },
      handler: async (request) => {
        const { id, deletedAt, deletedBy } = await deletedItem(db, request.caller, dataset(request.params));
        const row = await findDataset(db, id);
        // purged since the first query
        if (!row) throw notFound('Deleted dataset', id);
        return { ...toDataset(row, publicBase(publicUrl, request)), deletedAt, deletedBy };
      },
    });

    routes.get(`${path}/restore/preview`, {
      operationId: `get${noun}RestorePreview`,
      summary: 'Previews the restore of a dataset: restored items and missing privileges',
      params,
      response: { 200: Preview },
      handler: async ({ caller, params }) => previewRestore(db, caller, dataset(params)),
    });

    routes.put(`${path}/restore`, {
      operationId: `restore${noun}`,
      summary: 'Restores a dataset and the deleted projects above it',
      params,
      response: { 204: None },
      handler: ({ caller, params }) => restore(db, caller, dataset(params)),
    });

    routes.post(`${path}/restore`, {
      operationId: `restore${noun}Elsewhere`,
      summary: 'Restores a dataset into another project',
      params,
      body: Target,
      response: { 204: None },
      handler: ({ caller, params, body }) => restoreDatasetTo(db, caller, params, body.targetProjectId),
    });

    routes.delete(path, {
      operationId: `delete${noun}`,
      summary: 'Permanently deletes a dataset in the recycle bin',
      params,
      response: { 204: None },
      handler: ({ caller, params }) => purge(db, caller, dataset(params)),
    });
  }
}
