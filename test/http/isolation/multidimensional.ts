import { newStore } from '../../world/stores.ts';
import { newProject, owners, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

const url = async (scene: Scene) =>
  `/api/md/dataset/${await newStore(scene.w, await newProject(scene), scene.owner, scene.mark)}`;

export default {
  'GET /api/md/dataset/:id': { request: async (scene) => ({ url: await url(scene) }), ...readers },
  'GET /api/md/dataset/:id/values': {
    request: async (scene) => ({ url: `${await url(scene)}/values?format=covjson` }),
    ...readers,
  },
  'GET /api/md/dataset/:id/references': {
    request: async (scene) => ({ url: `${await url(scene)}/references?format=zarr` }),
    ...readers,
  },
  'GET /api/md/dataset/:id/zarr/:signature/*': {
    request: async (scene) => ({ url: `${await url(scene)}/zarr/c2lnPXg.0/zarr.json` }),
    anybody: 403,
  },
  'PATCH /api/md/dataset/:id/item/:index': {
    request: async (scene) => ({
      method: 'PATCH',
      url: `${await url(scene)}/item/0`,
      payload: { name: 'Depth' },
      headers: { prefer: 'wait=0' },
    }),
    ...owners(202),
  },
  'DELETE /api/md/dataset/:id/timestep': {
    request: async (scene) => ({ method: 'DELETE', url: `${await url(scene)}/timestep?timestepIndex=0` }),
    ...owners(202),
  },
  ...Object.fromEntries(
    ['query-timesteps', 'query-timeseries', 'binary-query-timesteps', 'binary-query-timeseries'].map((name) => [
      `POST /api/md/dataset/:id/${name}`,
      {
        request: async (scene: Scene) => ({ method: 'POST' as const, url: `${await url(scene)}/${name}`, payload: {} }),
        ...readers,
      },
    ]),
  ),
} satisfies Rows;
