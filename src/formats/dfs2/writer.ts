import { z } from 'zod';
import { cellSizeParameter } from '../bridge-parameters.ts';
import { defineWriter } from '../define.ts';
import { writeArray } from '../io/dfs/array-writer.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { writerParameters } from '../io/dfs/parameters.ts';

export const dfs2Writer = defineWriter({
  name: 'Dfs2Writer',
  description: 'DFS2 file: a plane grid over time. A mesh is interpolated.',
  format: 'dfs2',
  accepts: ['grid', 'array'],
  bridged: ['mesh'],
  extension: '.dfs2',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: z.object({ ...writerParameters, ...cellSizeParameter }),
  write: (data, parameters, sink, context) =>
    data.kind === 'grid'
      ? writeGrid(data, 'dfs2', parameters, sink, context)
      : writeArray(data, 'dfs2', parameters, sink, context),
});
