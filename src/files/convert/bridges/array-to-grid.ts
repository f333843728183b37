import type { Grid } from '../../data/grid.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { ConversionError } from '../../errors.ts';
import { gridOfArray, isPlaced } from '../../formats/io/grid-of-array.ts';
import type { BridgeWork } from './bridge.ts';

/** Converts the items of an array that have values in evenly spaced cells to a grid. */
export function arrayToGrid(array: MultiArray, { writer, context }: Pick<BridgeWork, 'writer' | 'context'>): Grid {
  if (isPlaced(array)) return gridOfArray(array, false, context);
  throw new ConversionError(
    `The dataset holds a multidimensional array; ${writer.name} takes grids, and none of its items has values in evenly spaced cells.`,
  );
}
