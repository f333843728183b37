import { newDataset as makeDataset } from '../../world/content.ts';
import { upload } from '../../world/transfers.ts';
import { newProject, owners, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

/** A dataset in a new project, as a transfer makes it: the bytes are there before the row. */
export async function newDataset(scene: Scene): Promise<{ projectId: string; id: string }> {
  const projectId = await newProject(scene);
  const id = await makeDataset(scene.w, projectId, scene.owner, {
    name: scene.mark,
    datasetFormat: 'file',
    content: scene.mark,
  });
  return { projectId, id };
}

export default {
  'GET /api/metadata/dataset/:id': {
    request: async (scene) => ({ url: `/api/metadata/dataset/${(await newDataset(scene)).id}` }),
    ...readers,
  },
  'GET /api/metadata/dataset/:id/thumbnail': {
    request: async (scene) => {
      const { id } = await newDataset(scene);
      await scene.w.sql(
        `update dataset_thumbnails set png_512 = $2, png_256 = $2, png_128 = $2, png_64 = $2 where dataset_id = $1`,
        [id, Buffer.from(`PNG ${scene.mark}`)],
      );
      return { url: `/api/metadata/dataset/${id}/thumbnail` };
    },
    ...readers,
  },
  'GET /api/metadata/dataset/:id/activity': {
    request: async (scene) => ({ url: `/api/metadata/dataset/${(await newDataset(scene)).id}/activity` }),
    ...readers,
  },
  'GET /api/metadata/dataset/:id/history': {
    request: async (scene) => ({ url: `/api/metadata/dataset/${(await newDataset(scene)).id}/history` }),
    ...readers,
  },
  'GET /api/metadata/dataset/:id/lineage': {
    request: async (scene) => ({ url: `/api/metadata/dataset/${(await newDataset(scene)).id}/lineage` }),
    ...readers,
  },
  'GET /api/raw/dataset/:id': {
    request: async (scene) => ({ url: `/api/raw/dataset/${(await newDataset(scene)).id}` }),
    ...readers,
  },
  'POST /api/metadata/dataset/:id/revoke-grants': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/dataset/${(await newDataset(scene)).id}/revoke-grants`,
    }),
    ...owners(204),
  },
  'GET /api/metadata/project/:id/dataset/list': {
    request: async (scene) => {
      const { projectId } = await newDataset(scene);
      return { url: `/api/metadata/project/${projectId}/dataset/list?includeSasTokens=true` };
    },
    ...readers,
  },
  'GET /api/metadata/project/:id/dataset/list-summaries': {
    request: async (scene) => ({
      url: `/api/metadata/project/${(await newDataset(scene)).projectId}/dataset/list-summaries`,
    }),
    ...readers,
  },
  'GET /api/metadata/project/:id/dataset/recursive-list': {
    request: async (scene) => {
      const { projectId } = await newDataset(scene);
      return { url: `/api/metadata/project/${projectId}/dataset/recursive-list?includeSasTokens=true` };
    },
    ...readers,
  },
  'POST /api/hierarchy/project/:id': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/hierarchy/project/${await newProject(scene)}/`,
      payload: { actions: [{ type: 'PathActionCreate', path: scene.mark, isFolder: true }] },
    }),
    ...owners(200),
  },
  'POST /api/conversion/project/:id/file/import-staged': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/conversion/project/${await newProject(scene)}/file/import-staged`,
      payload: { files: [{ url: await upload(scene.w, scene.w.as(scene.owner), 'x'), fileName: scene.mark }] },
    }),
    ...owners(200),
  },
  'GET /api/security/sastoken': {
    request: async (scene) => {
      const { projectId, id } = await newDataset(scene);
      return { url: `/api/security/sastoken?projectId=${projectId}&resourceId=${id}` };
    },
    ...readers,
  },
  'GET /api/filesync/prepare-download': {
    request: async (scene) => {
      const { projectId, id } = await newDataset(scene);
      return { url: `/api/filesync/prepare-download?id=${id}`, headers: { 'svc-project-id': projectId } };
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
