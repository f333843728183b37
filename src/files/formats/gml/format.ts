import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const gmlReader = defineReader({
  name: 'GmlReader',
  description: 'GML 2 or 3: the features of a type, read by GDAL.',
  format: 'gml',
  produces: 'features',
  has: ['place', 'items'],
  megabytesPerSecond: 15,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
