import type { Crs } from '../../../data/crs-reference.ts';
import type { Axis } from '../../../data/item.ts';
import type { Origin } from '../../../data/origin.ts';
import { type ReadPlace, StoredDfs } from '../dfs/origin.ts';
import type { GridDescription } from './description.ts';

/** Metadata of the source DFS file in the store. */
export const originOf = (
  { dfs, source }: Pick<GridDescription, 'dfs' | 'source'>,
  crs: Crs | undefined,
  where?: ReadPlace | readonly Axis[],
): Origin | undefined =>
  dfs === undefined && source === undefined
    ? undefined
    : { format: 'md', content: new StoredDfs({ facts: source as never, text: dfs }, crs, where) };
