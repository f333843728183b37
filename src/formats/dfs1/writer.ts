import { z } from 'zod';
import { defineWriter } from '../define.ts';
import { writeArray } from '../io/dfs/array-writer.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { writerParameters } from '../io/dfs/parameters.ts';

export const dfs1Writer = defineWriter({
  name: 'Dfs1Writer',
  description: 'DFS1 file: values along a line.',
  format: 'dfs1',
  accepts: ['grid', 'array'],
  extension: '.dfs1',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: z.object(writerParameters),
  write: (data, parameters, sink, context) =>
    data.kind === 'grid'
      ? writeGrid(data, 'dfs1', parameters, sink, context)
      : writeArray(data, 'dfs1', parameters, sink, context),
});
