import { defineReader } from '../define.ts';
import { readParameters } from '../io/dfs/parameters.ts';

export const gribReader = defineReader({
  name: 'GribReader',
  description: 'GRIB 1 and 2 of weather services: the fields of each parameter over time and levels.',
  format: 'grib',
  produces: ['grid', 'array'],
  has: ['place', 'items', 'times', 'layers'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
