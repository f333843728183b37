import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from '../io/dfs/parameters.ts';

export const dfs1Reader = defineReader({
  name: 'Dfs1Reader',
  description: 'DFS1 file: values along a line over time.',
  format: 'dfs1',
  produces: 'grid',
  has: ['place', 'items', 'times'],
  readsParts: async () => true,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const dfs1Writer = defineWriter({
  name: 'Dfs1Writer',
  description: 'DFS1 file: values along a line.',
  format: 'dfs1',
  accepts: ['grid', 'array'],
  extension: '.dfs1',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
