import { writerOf } from '../io/dfs/array-writer.ts';

export const write = writerOf('dfs2');
