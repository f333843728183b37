import { defineReader, defineWriter } from '../define.ts';
import { readParameters, writeParameters } from './parameters.ts';

export const dfs2Reader = defineReader({
  name: 'Dfs2Reader',
  description: 'DFS2 file: a plane grid over time.',
  format: 'dfs2',
  produces: 'grid',
  has: ['place', 'items', 'times'],
  readsParts: async () => true,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const dfs2Writer = defineWriter({
  name: 'Dfs2Writer',
  description: 'DFS2 file: a plane grid over time. A mesh is interpolated.',
  format: 'dfs2',
  accepts: ['grid', 'array'],
  bridged: ['mesh'],
  extension: '.dfs2',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
