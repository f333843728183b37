import { z } from 'zod';
import { defineWriter } from '../define.ts';
import { writeArray } from '../io/dfs/array-writer.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import { writerParameters } from '../io/dfs/parameters.ts';

export const dfs3Writer = defineWriter({
  name: 'Dfs3Writer',
  description: 'DFS3 file: a grid in space over time, also compressed.',
  format: 'dfs3',
  accepts: ['grid', 'array'],
  extension: '.dfs3',
  mediaType: 'application/octet-stream',
  appends: { declared: true },
  parameters: z.object(writerParameters),
  write: (data, parameters, sink, context) =>
    data.kind === 'grid'
      ? writeGrid(data, 'dfs3', parameters, sink, context)
      : writeArray(data, 'dfs3', parameters, sink, context),
});
