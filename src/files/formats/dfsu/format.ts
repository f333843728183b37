import { defineReader, defineWriter } from '../define.ts';
import { readParameters } from '../io/dfs/parameters.ts';
import { writeParameters } from './parameters.ts';

export const dfsuReader = defineReader({
  name: 'DfsuReader',
  description:
    'DFSU file: a mesh of triangles and quadrilaterals, flat or in layers, a section of one, or wave spectra.',
  format: 'dfsu',
  produces: 'mesh',
  has: ['place', 'items', 'times', 'layers'],
  readsParts: async () => true,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const dfsuWriter = defineWriter({
  name: 'DfsuWriter',
  description:
    'DFSU file: a mesh, flat or in layers, with its items over time. Polygons and points become a mesh of triangles.',
  format: 'dfsu',
  accepts: ['mesh'],
  bridged: ['features'],
  extension: '.dfsu',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
