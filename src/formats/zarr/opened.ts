import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import type { Context } from '../define.ts';
import type { ZarrArray } from './store.ts';

/** Data of a store, and the array of each of its items: time first if the item has it, then its own dimensions. */
export interface OpenedStore<D = Grid | Mesh | MultiArray> {
  readonly data: D;
  readonly arrays: readonly ZarrArray[];
}

/** What opening a store needs of a conversion. */
export type StoreContext = Pick<Context, 'log' | 'reportLoss'>;
