import { gdalIndexed } from '../../formats/flatgeobuf/gdal-files.ts';
import { newDataset } from '../../world/content.ts';
import { newProject, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

/** The path of a dataset of features in a new project. */
async function newFeatures(scene: Scene): Promise<string> {
  const id = await newDataset(scene.w, await newProject(scene), scene.owner, {
    name: scene.mark,
    datasetType: 'gisvectordata',
    datasetFormat: 'gis',
    content: gdalIndexed,
  });
  return `/api/gis/dataset/${id}`;
}

/** A row for a path below that of the dataset. */
const below = (path: string) => ({
  request: async (scene: Scene) => ({ url: `${await newFeatures(scene)}${path}` }),
  ...readers,
});

export default {
  'GET /api/gis/dataset/:id': below(''),
  'GET /api/gis/dataset/:id/feature': below('/feature'),
  'GET /api/gis/dataset/:id/feature/:featureId': below('/feature/1'),
  'GET /api/gis/dataset/:id/ogc': below('/ogc'),
  'GET /api/gis/dataset/:id/ogc/conformance': below('/ogc/conformance'),
  'GET /api/gis/dataset/:id/ogc/api': below('/ogc/api'),
  'GET /api/gis/dataset/:id/ogc/collections': below('/ogc/collections'),
  'GET /api/gis/dataset/:id/ogc/collections/:collectionId': below('/ogc/collections/features'),
  'GET /api/gis/dataset/:id/ogc/collections/:collectionId/schema': below('/ogc/collections/features/schema'),
  'GET /api/gis/dataset/:id/ogc/collections/:collectionId/queryables': below('/ogc/collections/features/queryables'),
  'GET /api/gis/dataset/:id/ogc/collections/:collectionId/feature-schema': below(
    '/ogc/collections/features/feature-schema',
  ),
  'GET /api/gis/dataset/:id/ogc/collections/:collectionId/items': below('/ogc/collections/features/items'),
  'GET /api/gis/dataset/:id/ogc/collections/:collectionId/items/:featureId': below('/ogc/collections/features/items/1'),
} satisfies Rows;
