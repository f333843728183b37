import { defineReader } from '../define.ts';
import { readParameters } from '../io/dfs/parameters.ts';

export const selafinReader = defineReader({
  name: 'SelafinReader',
  description: 'SELAFIN file (SERAFIN) of TELEMAC: a mesh, flat or in planes, with values at its nodes over time.',
  format: 'selafin',
  produces: 'mesh',
  has: ['place', 'items', 'times', 'layers'],
  parameters: readParameters,
  load: () => import('./reader.ts'),
});
