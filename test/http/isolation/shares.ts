import { randomUUID } from 'node:crypto';
import { sharePath } from '../../world/transfers.ts';
import { newDataset } from './datasets.ts';
import { owners } from './projects.ts';
import type { Rows, Scene } from './row.ts';

/** A link to a new dataset: its id, and the path of its address. */
async function newShare(scene: Scene, more: object = {}) {
  const { id: datasetId } = await newDataset(scene);
  const { w, owner, mark } = scene;
  const url = `/api/metadata/dataset/${datasetId}/share`;
  const { status, body } = await w.as(owner).post(url, { name: mark, downloads: 'Formats', ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: body.id as string, datasetId, path: sharePath(body.url) };
}

/** The path of a link that its owner has ended. */
async function ended(scene: Scene) {
  const { id, path } = await newShare(scene);
  await scene.w.as(scene.owner).delete(`/api/metadata/share/${id}`);
  return path;
}

export default {
  'POST /api/metadata/dataset/:id/share': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/dataset/${(await newDataset(scene)).id}/share`,
      payload: { name: scene.mark },
    }),
    ...owners(201),
  },
  'GET /api/metadata/dataset/:id/share': {
    request: async (scene) => ({ url: `/api/metadata/dataset/${(await newShare(scene)).datasetId}/share` }),
    ...owners(200),
  },
  'GET /api/iam/share': {
    request: async (scene) => {
      await newShare(scene);
      return { url: '/api/iam/share' };
    },
    allowed: { owner: 200, administrator: 200, stranger: 200 },
    refused: { member: 403, reader: 403 },
  },
  'DELETE /api/metadata/share/:shareId': {
    request: async (scene) => ({ method: 'DELETE', url: `/api/metadata/share/${(await newShare(scene)).id}` }),
    ...owners(204),
  },
  // what anybody gets who has an open link, test/api/shares.test.ts says
  'GET /api/share/:token': {
    request: async (scene) => ({ url: await ended(scene) }),
    anybody: 404,
  },
  'GET /api/share/:token/download': {
    request: async (scene) => ({ url: `${await ended(scene)}/download` }),
    anybody: 404,
  },
  'GET /api/share/:token/thumbnail': {
    request: async (scene) => ({ url: `${await ended(scene)}/thumbnail` }),
    anybody: 404,
  },
  'POST /api/share/:token/convert': {
    request: async (scene) => ({
      method: 'POST',
      url: `${await ended(scene)}/convert`,
      payload: { writerName: 'GeoTiffWriter' },
    }),
    anybody: 404,
  },
  'GET /api/share/:token/convert/:id': {
    request: async (scene) => ({ url: `${await ended(scene)}/convert/${randomUUID()}` }),
    anybody: 404,
  },
  'GET /api/share/:token/convert/:id/download': {
    request: async (scene) => ({ url: `${await ended(scene)}/convert/${randomUUID()}/download` }),
    anybody: 404,
  },
} satisfies Rows;
