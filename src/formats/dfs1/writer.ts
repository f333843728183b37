import { defineWriter } from '../define.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { gridWriterParameters } from '../io/dfs/parameters.ts';

export const dfs1Writer = defineWriter({
  name: 'Dfs1Writer',
  description: 'DFS1 file: values along a line.',
  format: 'dfs1',
  accepts: ['grid'],
  extension: '.dfs1',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: gridWriterParameters,
  write: (grid, parameters, sink, context) => writeGrid(grid, 'dfs1', parameters, sink, context),
});
