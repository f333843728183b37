import { randomUUID } from 'node:crypto';
import { newFeatures, newTiles } from '../../world/tiles.ts';
import { newProject, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

const newAddress = async (scene: Scene) => {
  const projectId = await newProject(scene);
  return `/api/tiles/dataset/${await newTiles(scene.w, projectId, scene.owner, scene.mark)}`;
};

const row = (path: string) => ({
  request: async (scene: Scene) => ({ url: `${await newAddress(scene)}${path}` }),
  ...readers,
});

const vector = (path: string, status: 200 | 204) => ({
  request: async (scene: Scene) => {
    const features = JSON.stringify({ type: 'FeatureCollection', features: [] });
    const id = await newFeatures(scene.w, await newProject(scene), scene.owner, features, scene.mark);
    return { url: `/api/vectortiles/dataset/${id}${path}` };
  },
  ...readers,
  allowed: { owner: status, reader: status },
});

export default {
  // a page without data, the same for everybody
  'GET /map/dataset/:id': { request: () => ({ url: `/map/dataset/${randomUUID()}` }), anybody: 200 },
  'GET /map/assets/:version/:file': { request: () => ({ url: '/map/assets/any/page.css' }), anybody: 200 },
  // the world, which lies below every map
  'GET /assets/basemap/:zoom/:column/:row.pbf': { request: () => ({ url: '/assets/basemap/0/0/0.pbf' }), anybody: 200 },
  'GET /api/tiles/dataset/:id/metadata': row('/metadata'),
  'GET /api/tiles/dataset/:id/basemap': row('/basemap'),
  // a world without such datasets; those of an operator: basemap-datasets.test.ts
  'GET /api/tiles/dataset/:id/basemap/:layer/:zoom/:column/:row': {
    ...row('/basemap/0/0/0/0'),
    allowed: { owner: 404, reader: 404 },
  },
  'GET /api/tiles/dataset/:id/status': row('/status'),
  'GET /api/tiles/dataset/:id/check': row('/check?tiles=3'),
  'GET /api/tiles/dataset/:id/wmts': row('/wmts'),
  'GET /api/tiles/dataset/:id/wmts/1.0.0/WMTSCapabilities.xml': row('/wmts/1.0.0/WMTSCapabilities.xml'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/:tileMatrix/:tileRow/:tileCol': row('/scheme/depth/0/0/0'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/emptyTile': row('/scheme/depth/emptyTile'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/empty-tile': row('/scheme/depth/empty-tile'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/availability': row('/scheme/depth/availability'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/legend': row('/scheme/depth/legend'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/net/:zoom/:column/:row': row('/scheme/depth/net/0/0/0'),
  'GET /api/tiles/dataset/:id/scheme/:schemeId/tilejson.json': row('/scheme/raw/tilejson.json'),
  'GET /api/vectortiles/dataset/:id/:zoom/:tileCol/:tileRow.vector.pbf': vector('/0/0/0.vector.pbf', 204),
  'GET /api/vectortiles/dataset/:id/tilejson.json': vector('/tilejson.json', 200),
  'GET /api/vectortiles/dataset/:id/status': vector('/status', 200),
  'GET /api/vectortiles/dataset/:id/check': vector('/check?tiles=3', 200),
} satisfies Rows;
