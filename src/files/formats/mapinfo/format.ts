import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const mapInfoReader = defineReader({
  name: 'MapInfoReader',
  description: 'MapInfo tables (.tab) or interchange files (.mif) in a zip, read by GDAL.',
  format: 'mapinfo',
  produces: 'features',
  has: ['place', 'items'],
  megabytesPerSecond: 15,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
