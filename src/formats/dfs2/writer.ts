import { cellSizeParameter } from '../bridge-parameters.ts';
import { defineWriter } from '../define.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { gridWriterParameters } from '../io/dfs/parameters.ts';

export const dfs2Writer = defineWriter({
  name: 'Dfs2Writer',
  description: 'DFS2 file: a plane grid over time. A mesh is interpolated.',
  format: 'dfs2',
  accepts: ['grid'],
  bridged: ['mesh'],
  extension: '.dfs2',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: gridWriterParameters.extend(cellSizeParameter),
  write: (grid, parameters, sink, context) => writeGrid(grid, 'dfs2', parameters, sink, context),
});
