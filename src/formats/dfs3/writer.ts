import { defineWriter } from '../define.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { gridWriterParameters } from '../io/dfs/parameters.ts';

export const dfs3Writer = defineWriter({
  name: 'Dfs3Writer',
  description: 'DFS3 file: a grid in space over time, also compressed.',
  format: 'dfs3',
  accepts: ['grid'],
  extension: '.dfs3',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: gridWriterParameters,
  write: (grid, parameters, sink, context) => writeGrid(grid, 'dfs3', parameters, sink, context),
});
