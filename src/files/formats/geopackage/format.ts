import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const geoPackageReader = defineReader({
  name: 'GeoPackageReader',
  description: 'GeoPackage (.gpkg): a layer of features or of rows without geometry.',
  format: 'geopackage',
  produces: 'features',
  has: ['place', 'items'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
