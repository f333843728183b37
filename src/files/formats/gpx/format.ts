import { defineReader } from '../define.ts';
import { readParameters } from './parameters.ts';

export const gpxReader = defineReader({
  name: 'GpxReader',
  description: 'GPX 1.0 or 1.1: waypoints, routes or tracks, read by GDAL.',
  format: 'gpx',
  produces: 'features',
  has: ['place', 'items'],
  megabytesPerSecond: 15,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
