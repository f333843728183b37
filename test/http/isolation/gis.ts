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
} satisfies Rows;
