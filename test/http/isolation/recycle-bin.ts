import { newDataset } from './datasets.ts';
import { newProject } from './projects.ts';
import type { Row, Rows, Scene } from './row.ts';

async function deleted(scene: Scene, url: string) {
  const { status, body } = await scene.w.as(scene.owner).delete(url);
  if (status !== 204) throw new Error(JSON.stringify(body));
}
async function binnedProject(scene: Scene): Promise<string> {
  const id = await newProject(scene);
  await deleted(scene, `/api/project/${id}`);
  return id;
}
async function binnedDataset(scene: Scene): Promise<{ projectId: string; id: string }> {
  const made = await newDataset(scene);
  await deleted(scene, `/api/metadata/dataset/${made.id}`);
  return made;
}

/** In the bin is what one may delete: for others, Readers too, it is not there. */
const deleters = (status: number) => ({
  allowed: { owner: status },
  refused: { reader: 404, member: 404, stranger: 404, administrator: 404 },
});
const listed = { allowed: { owner: 200, reader: 200, member: 200, stranger: 200, administrator: 200 }, refused: {} };
const readers = {
  allowed: { owner: 200, reader: 200 },
  refused: { member: 404, stranger: 404, administrator: 404 },
};

const list = (url: string): Row => ({
  request: async (scene) => {
    await binnedProject(scene);
    await binnedDataset(scene);
    return { url: `${url}?limit=1000` };
  },
  ...listed,
});

const places: Record<string, (made: { projectId: string; id: string }) => string> = {
  '/api/recycle-bin/dataset/:id': ({ id }) => `/api/recycle-bin/dataset/${id}`,
  '/api/recycle-bin/project/:projectId/dataset/:id': ({ projectId, id }) =>
    `/api/recycle-bin/project/${projectId}/dataset/${id}`,
};
const datasets = Object.entries(places).flatMap(([route, url]): [string, Row][] => [
  [
    `GET ${route}`,
    { request: async (scene) => ({ method: 'GET', url: url(await binnedDataset(scene)) }), ...deleters(200) },
  ],
  [
    `DELETE ${route}`,
    { request: async (scene) => ({ method: 'DELETE', url: url(await binnedDataset(scene)) }), ...deleters(204) },
  ],
  [
    `GET ${route}/restore/preview`,
    { request: async (scene) => ({ url: `${url(await binnedDataset(scene))}/restore/preview` }), ...deleters(200) },
  ],
  [
    `PUT ${route}/restore`,
    {
      request: async (scene) => ({ method: 'PUT', url: `${url(await binnedDataset(scene))}/restore` }),
      ...deleters(204),
    },
  ],
  [
    `POST ${route}/restore`,
    {
      request: async (scene) => ({
        method: 'POST',
        url: `${url(await binnedDataset(scene))}/restore`,
        payload: { targetProjectId: await newProject(scene) },
      }),
      ...deleters(204),
    },
  ],
]);

const project = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', rest: string, status: number): Row => ({
  request: async (scene) => ({ method, url: `/api/recycle-bin/project/${await binnedProject(scene)}${rest}` }),
  ...deleters(status),
});

export default {
  'GET /api/recycle-bin/my-deleted-items': list('/api/recycle-bin/my-deleted-items'),
  'GET /api/recycle-bin/all-deleted-items': list('/api/recycle-bin/all-deleted-items'),
  'GET /api/recycle-bin/project/list': list('/api/recycle-bin/project/list'),
  'GET /api/recycle-bin/dataset/list': list('/api/recycle-bin/dataset/list'),
  'GET /api/recycle-bin/project/:id/dataset/list': {
    request: async (scene) => ({
      url: `/api/recycle-bin/project/${(await binnedDataset(scene)).projectId}/dataset/list`,
    }),
    ...readers,
  },
  'GET /api/recycle-bin/project/:id/subprojects': {
    request: async (scene) => ({ url: `/api/recycle-bin/project/${await newProject(scene)}/subprojects` }),
    ...readers,
  },
  'GET /api/recycle-bin/project/:id': project('GET', '', 200),
  'GET /api/recycle-bin/project/:id/restore/preview': project('GET', '/restore/preview', 200),
  'PUT /api/recycle-bin/project/:id/restore': project('PUT', '/restore', 204),
  'POST /api/recycle-bin/project/:id/restore': project('POST', '/restore', 204),
  'DELETE /api/recycle-bin/project/:id': project('DELETE', '', 204),
  ...Object.fromEntries(datasets),
} satisfies Rows;
