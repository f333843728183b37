import type { Write } from '../define.ts';
import { writeArray } from '../io/dfs/array-writer.ts';
import { writeGrid } from '../io/dfs/grid-writer.ts';
import type { writeParameters } from './parameters.ts';

export const write: Write<typeof writeParameters, 'grid' | 'array'> = (data, parameters, sink, context) =>
  data.kind === 'grid'
    ? writeGrid(data, 'dfs1', parameters, sink, context)
    : writeArray(data, 'dfs1', parameters, sink, context);
