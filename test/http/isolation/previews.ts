import { GRID_TILE, newGrid } from '../../world/previews.ts';
import { sharePath } from '../../world/transfers.ts';
import { newProject, owners, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

const newAddress = async (scene: Scene) => {
  const id = await newGrid(scene.w, await newProject(scene), scene.owner, scene.mark);
  return `/api/preview/dataset/${id}`;
};

const row = (path: string) => ({
  request: async (scene: Scene) => ({ url: `${await newAddress(scene)}${path}` }),
  ...readers,
});

/** What is below the address of a link that its owner has ended. */
const ended = (path: string) => ({
  request: async (scene: Scene) => {
    const { w, owner } = scene;
    const id = await newGrid(w, await newProject(scene), owner, scene.mark);
    const { body } = await w.as(owner).post(`/api/metadata/dataset/${id}/share`, {});
    await w.as(owner).delete(`/api/metadata/share/${body.id}`);
    return { url: `${sharePath(body.url)}/preview${path}` };
  },
  anybody: 404,
});

const scheme = { item: '0', colors: ['#000000', '#FFFFFF'], min: 0, max: 10 };

export default {
  'GET /api/preview/dataset/:id': row(''),
  'GET /api/preview/dataset/:id/:zoom/:column/:file': row(`/${GRID_TILE}.png`),
  'GET /api/preview/dataset/:id/values': row('/values?point=9.03,54.15'),
  'GET /api/preview/dataset/:id/profile': row('/profile?line=9.01,54.15;9.03,54.16'),
  // of data that are no series
  'GET /api/preview/dataset/:id/series': { ...row('/series'), allowed: { owner: 422, reader: 422 } },
  'GET /api/preview/dataset/:id/statistics': row('/statistics'),
  'GET /api/preview/dataset/:id/table': row('/table'),
  'PUT /api/preview/dataset/:id/scheme': {
    request: async (scene: Scene) => ({
      method: 'PUT' as const,
      url: `${await newAddress(scene)}/scheme`,
      payload: scheme,
    }),
    ...owners(200),
  },
  'POST /api/preview/dataset/:id/retry': {
    // of a preview that has not failed
    request: async (scene: Scene) => ({ method: 'POST' as const, url: `${await newAddress(scene)}/retry` }),
    ...owners(409),
  },
  'GET /api/share/:token/preview': ended(''),
  'GET /api/share/:token/preview/basemap': ended('/basemap'),
  'GET /api/share/:token/preview/basemap/:layer/:zoom/:column/:row': ended('/basemap/0/0/0/0'),
  'GET /api/share/:token/preview/:zoom/:column/:file': ended(`/${GRID_TILE}.png`),
  'GET /api/share/:token/preview/values': ended('/values?point=9.03,54.15'),
  'GET /api/share/:token/preview/profile': ended('/profile?line=9.01,54.15;9.03,54.16'),
  'GET /api/share/:token/preview/series': ended('/series'),
  'GET /api/share/:token/preview/statistics': ended('/statistics'),
  'GET /api/share/:token/preview/table': ended('/table'),
} satisfies Rows;
