import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from '../io/dfs/parameters.ts';

export const dfs3Reader = defineReader({
  name: 'Dfs3Reader',
  description: 'DFS3 file: a grid in space over time, also compressed.',
  format: 'dfs3',
  produces: 'grid',
  has: ['place', 'items', 'times', 'layers'],
  readsParts: async () => true,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const dfs3Writer = defineWriter({
  name: 'Dfs3Writer',
  description: 'DFS3 file: a grid in space over time, also compressed.',
  format: 'dfs3',
  accepts: ['grid', 'array'],
  extension: '.dfs3',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
