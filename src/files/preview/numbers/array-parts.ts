import { indicesOf } from '../../data/hyperslab.ts';

/** Values that are read at once. */
const blockValues = 1 << 18;

/**
 * Blocks of an array in its order, of about 250,000 values: some indices of one dimension, all of those after it.
 */
export function* partsOf(shape: readonly number[]): Generator<[start: number[], size: number[]]> {
  let inner = 1;
  let divided = shape.length - 1;
  while (divided > 0 && inner * shape[divided]! <= blockValues) inner *= shape[divided--]!;
  if (divided < 0) return void (yield [[], []]);
  const most = Math.max(1, Math.floor(blockValues / inner));
  for (const outer of indicesOf(shape.slice(0, divided)))
    for (let first = 0; first < shape[divided]!; first += most)
      yield [
        [...outer, first, ...shape.slice(divided + 1).map(() => 0)],
        [...outer.map(() => 1), Math.min(most, shape[divided]! - first), ...shape.slice(divided + 1)],
      ];
}
