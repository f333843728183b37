import { defineWriter } from '../define.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { gridWriterParameters } from '../io/dfs/parameters.ts';

export const dfs2Writer = defineWriter({
  name: 'Dfs2Writer',
  description: 'DFS2 file: a plane grid over time.',
  format: 'dfs2',
  accepts: ['grid'],
  extension: '.dfs2',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: gridWriterParameters,
  write: (grid, parameters, sink, context) => writeGrid(grid, 'dfs2', parameters, sink, context),
});
