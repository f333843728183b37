import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const dxfReader = defineReader({
  name: 'DxfReader',
  description: 'ASCII DXF of AutoCAD: the entities as features, read by GDAL.',
  format: 'dxf',
  produces: 'features',
  has: ['place', 'items'],
  megabytesPerSecond: 15,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
