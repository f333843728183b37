import type { FileFormat } from '../../file-format.ts';

/** The kinds of DFS files. All begin alike; the header tells them apart (`kind.ts`). */
export const dfsFormats: readonly FileFormat[] = ['dfs0', 'dfs1', 'dfs2', 'dfs3', 'dfsu'].map((format) => ({
  format,
  extensions: [`.${format}`],
}));
