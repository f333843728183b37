import { defineReader, defineWriter } from '../define.ts';
import { readParameters } from '../io/dfs/parameters.ts';
import { writeParameters } from './parameters.ts';

export const dfs0Reader = defineReader({
  name: 'Dfs0Reader',
  description: 'DFS0 file: time series.',
  format: 'dfs0',
  produces: 'series',
  has: ['place', 'items', 'times'],
  readsParts: async () => true,
  parameters: readParameters,
  load: () => import('./reader.ts'),
});

export const dfs0Writer = defineWriter({
  name: 'Dfs0Writer',
  description: 'DFS0 file: time series over a common time axis.',
  format: 'dfs0',
  accepts: ['series'],
  bridged: ['grid', 'mesh'],
  extension: '.dfs0',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: writeParameters,
  load: () => import('./writer.ts'),
});
