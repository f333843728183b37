import type { Grid } from '../../../data/grid.ts';
import type { Mesh } from '../../../data/mesh.ts';
import type { MultiArray } from '../../../data/multi-array.ts';
import type { StoredValues } from '../../../data/stored-values.ts';
import type { Context } from '../../define.ts';
import type { ValueArray } from '../value-array.ts';

/** An array of a store. */
export interface StoreArray extends ValueArray {
  /**
   * All values, of an array that is held in memory.
   * @throws FormatError for another shape than the given one, and for more values than the store can hold
   */
  all(shape?: readonly number[]): Promise<StoredValues>;
}

/** The arrays that a description names: a group of Zarr, or of another file that stores the same. */
export interface ArrayStore {
  readonly arrays: ReadonlyMap<string, StoreArray>;
  /** @throws FormatError if it is missing or cannot be read */
  array(name: string): StoreArray;
}

/** Data of a store, and the array of each of its items: time first if the item has it, then its own dimensions. */
export interface OpenedStore<D = Grid | Mesh | MultiArray> {
  readonly data: D;
  readonly arrays: readonly ValueArray[];
  /** Reads values that may not be valid, and reports how many are not. Absent: none may. */
  readonly reportInvalid?: (signal: AbortSignal) => Promise<void>;
}

/** Members of a conversion that opening a store needs. */
export type StoreContext = Pick<Context, 'log' | 'reportLoss' | 'remark'>;
