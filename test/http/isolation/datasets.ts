import { randomUUID } from 'node:crypto';
import { insertDataset } from '../../../src/datasets/queries.ts';
import { bytes } from '../../blobs/rules.ts';
import { newProject, owners, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

/** A dataset in a new project, as a transfer makes it: the bytes are there before the row. */
export async function newDataset(scene: Scene): Promise<{ projectId: string; id: string }> {
  const projectId = await newProject(scene);
  const blob = `dataset/${randomUUID()}`;
  await scene.w.blobs.put(blob, bytes(scene.mark), 100);
  const { id } = await insertDataset(scene.w.db, {
    projectId,
    name: scene.mark,
    datasetType: 'file',
    datasetFormat: 'file',
    blob,
    storageSize: scene.mark.length,
    userId: scene.owner.userId,
  });
  return { projectId, id };
}

export default {
  'GET /api/metadata/dataset/:id': {
    request: async (scene) => ({ url: `/api/metadata/dataset/${(await newDataset(scene)).id}` }),
    ...readers,
  },
  'GET /api/raw/dataset/:id': {
    request: async (scene) => ({ url: `/api/raw/dataset/${(await newDataset(scene)).id}` }),
    ...readers,
  },
  'GET /api/metadata/project/:id/dataset/list': {
    request: async (scene) => {
      const { projectId } = await newDataset(scene);
      return { url: `/api/metadata/project/${projectId}/dataset/list?includeSasTokens=true` };
    },
    ...readers,
  },
  'PUT /api/metadata/project/:id/dataset': {
    request: async (scene) => {
      const { projectId, id } = await newDataset(scene);
      const url = `/api/metadata/project/${projectId}/dataset`;
      return { method: 'PUT', url, payload: { id, name: scene.mark } };
    },
    ...owners(200),
  },
  'DELETE /api/metadata/dataset/:id': {
    request: async (scene) => ({ method: 'DELETE', url: `/api/metadata/dataset/${(await newDataset(scene)).id}` }),
    ...owners(204),
  },
  'DELETE /api/project/:projectId/dataset/:id': {
    request: async (scene) => {
      const { projectId, id } = await newDataset(scene);
      return { method: 'DELETE', url: `/api/project/${projectId}/dataset/${id}` };
    },
    ...owners(204),
  },
} satisfies Rows;
