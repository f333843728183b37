import { newDataset as makeDataset } from '../../world/content.ts';
import { copyRequest, start, upload } from '../../world/transfers.ts';
import { newDataset } from './datasets.ts';
import { newProject, owners, readers } from './projects.ts';
import type { Row, Rows, Scene } from './row.ts';

/** A request of the owner on their project. */
async function importRequest(scene: Scene) {
  const { w, owner, mark } = scene;
  const projectId = await newProject(scene);
  const url = await upload(w, w.as(owner), mark);
  return copyRequest(projectId, url, { originalFileName: mark, outputDatasetData: { name: mark } });
}

/** A transfer of the owner's. No worker runs, so it waits. */
export async function newTransfer(scene: Scene): Promise<string> {
  const { status, body } = await start(scene.w.as(scene.owner), await importRequest(scene));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

const starts = (url: string): Row => ({
  request: async (scene) => ({ method: 'POST', url, payload: await importRequest(scene) }),
  ...owners(200),
});
const own = (url: string): Row => ({
  request: async (scene) => {
    await newTransfer(scene);
    return { url };
  },
  allowed: { owner: 200, reader: 200, member: 200, stranger: 200, administrator: 200 },
  refused: {},
});
/** While a transfer has no dataset, its log is for those who may change content. */
const logged = owners(200);
/** Ids of two datasets of the owner. */
async function newPair(scene: Scene): Promise<[string, string]> {
  const [one, other] = [await newDataset(scene), await newDataset(scene)];
  return [one.id, other.id];
}

/** From one project of the owner's to another. */
const carries = (verb: 'move' | 'copy'): Row => ({
  request: async (scene) => ({
    method: 'POST',
    url: `/api/metadata/dataset/${(await newDataset(scene)).id}/${verb}`,
    headers: { 'api-version': '4' },
    payload: { targetProjectId: await newProject(scene), targetTenantId: scene.tenantId },
  }),
  ...owners(200),
});

const open = (url: string): Row => ({ request: () => ({ url }), allowed: { owner: 200, stranger: 200 }, refused: {} });

export default {
  'POST /api/conversion/upload-convert': starts('/api/conversion/upload-convert'),
  'POST /api/transfer/upload-convert': starts('/api/transfer/upload-convert'),
  'POST /api/conversion/inspect': {
    request: async (scene) => ({
      method: 'POST',
      url: '/api/conversion/inspect',
      payload: { datasetId: (await newDataset(scene)).id },
    }),
    ...readers,
  },
  'POST /api/conversion/upload': {
    request: async (scene) => {
      const { projectId, uploadUrl } = await importRequest(scene);
      const payload = { projectId, uploadUrl, fileName: scene.mark, format: 'file' };
      return { method: 'POST', url: '/api/conversion/upload', payload };
    },
    ...owners(200),
  },
  'POST /api/metadata/dataset/:id/download': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/dataset/${(await newDataset(scene)).id}/download`,
      payload: { format: 'file' },
    }),
    ...readers,
  },
  'POST /api/metadata/dataset/:id/download-convert': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/dataset/${(await newDataset(scene)).id}/download-convert`,
      payload: { writerName: 'FileWriter' },
    }),
    ...readers,
  },
  'POST /api/metadata/dataset/:id/convert': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/dataset/${(await newDataset(scene)).id}/convert`,
      payload: { writerName: 'FileWriter', outputDatasetData: { name: scene.mark } },
    }),
    ...owners(200),
  },
  'POST /api/metadata/dataset/:id/update': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/dataset/${(await newDataset(scene)).id}/update`,
      payload: {
        originalFileName: scene.mark,
        uploadUrl: await upload(scene.w, scene.w.as(scene.owner), scene.mark),
        readerName: 'FileReader',
      },
    }),
    ...owners(200),
  },
  'POST /api/metadata/dataset/:id/append': {
    request: async (scene) => {
      const projectId = await newProject(scene);
      const content = JSON.stringify({ type: 'FeatureCollection', features: [] });
      const described = { name: scene.mark, datasetFormat: 'geojson', content };
      return {
        method: 'POST',
        url: `/api/metadata/dataset/${await makeDataset(scene.w, projectId, scene.owner, described)}/append`,
        payload: {
          originalFileName: scene.mark,
          uploadUrl: await upload(scene.w, scene.w.as(scene.owner), content),
          readerName: 'GeoJsonReader',
        },
      };
    },
    ...owners(200),
  },
  'POST /api/metadata/dataset/:sourceId/update/:targetId': {
    request: async (scene) => {
      const [source, target] = await newPair(scene);
      return { method: 'POST', url: `/api/metadata/dataset/${source}/update/${target}` };
    },
    ...owners(200),
  },
  'POST /api/metadata/dataset/:id/move': carries('move'),
  'POST /api/metadata/dataset/:id/copy': carries('copy'),
  'POST /api/conversion/transfer/:id/retry': {
    request: async (scene) => {
      const id = await newTransfer(scene);
      await scene.w.as(scene.owner).post(`/api/conversion/transfer/${id}/cancel`);
      return { method: 'POST', url: `/api/conversion/transfer/${id}/retry` };
    },
    ...owners(202),
  },
  'GET /api/conversion/transfer/:id/why': {
    request: async (scene) => ({ url: `/api/conversion/transfer/${await newTransfer(scene)}/why` }),
    ...readers,
  },
  'GET /api/transfer/:id/why': {
    request: async (scene) => ({ url: `/api/transfer/${await newTransfer(scene)}/why` }),
    ...readers,
  },
  'GET /api/conversion/transfer/:id': {
    request: async (scene) => ({ url: `/api/conversion/transfer/${await newTransfer(scene)}` }),
    ...readers,
  },
  'GET /api/transfer/:id': {
    request: async (scene) => ({ url: `/api/transfer/${await newTransfer(scene)}` }),
    ...readers,
  },
  'GET /api/conversion/transfer/:id/log': {
    request: async (scene) => ({ url: `/api/conversion/transfer/${await newTransfer(scene)}/log` }),
    ...logged,
  },
  'POST /api/conversion/transfer/:id/cancel': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/conversion/transfer/${await newTransfer(scene)}/cancel`,
    }),
    ...owners(202),
  },
  'GET /api/conversion/transfer/list-summaries': own('/api/conversion/transfer/list-summaries'),
  'GET /api/transfer/list-summaries': own('/api/transfer/list-summaries'),
  'GET /api/conversion/transfer/list': own('/api/conversion/transfer/list'),
  'GET /api/conversion/reader/list': open('/api/conversion/reader/list'),
  'GET /api/conversion/writer/list': open('/api/conversion/writer/list'),
  'GET /api/conversion/reader/:name': open('/api/conversion/reader/FileReader'),
  'GET /api/conversion/writer/:name': open('/api/conversion/writer/FileWriter'),
} satisfies Rows;
