import { defineReader } from '../define.ts';
import { readParameters } from '../io/dfs/parameters.ts';

export const hecRasReader = defineReader({
  name: 'HecRasReader',
  description: 'HDF5 file of HEC-RAS: the cells of its 2D flow areas with water surface, depth and velocity over time.',
  format: 'hecras',
  produces: 'mesh',
  has: ['place', 'items', 'times'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
