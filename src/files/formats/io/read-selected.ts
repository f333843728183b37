import { copyBlock, product } from '../../data/hyperslab.ts';
import type { Indices } from '../../data/indices.ts';
import { newValues, type StoredValues } from '../../data/stored-values.ts';
import type { ValueArray } from './value-array.ts';

/** Consecutive indices, and where the first of them goes. */
interface Run {
  readonly first: number;
  readonly length: number;
  readonly to: number;
}

/** The values at all combinations of chosen indices, read in blocks of consecutive ones. */
export async function selectByReading(
  array: Pick<ValueArray, 'metadata' | 'read'>,
  indices: readonly Indices[],
  signal?: AbortSignal,
): Promise<StoredValues> {
  const shape = indices.map(({ length }) => length);
  const values = newValues(array.metadata.type, product(shape));
  const runs = indices.map(runsOf);
  const add = async (chosen: readonly Run[]): Promise<void> => {
    const next = runs[chosen.length];
    if (next !== undefined) {
      for (const run of next) await add([...chosen, run]);
      return;
    }
    signal?.throwIfAborted();
    const extent = chosen.map(({ length }) => length);
    const block = await array.read(
      chosen.map(({ first }) => first),
      extent,
    );
    copyBlock(
      { values: block, shape: extent, start: extent.map(() => 0) },
      { values, shape, start: chosen.map(({ to }) => to) },
      extent,
    );
  };
  await add([]);
  return values;
}

function runsOf(indices: Indices): Run[] {
  if (!(indices instanceof Uint32Array)) return [{ ...indices, to: 0 }];
  const runs: Run[] = [];
  for (let to = 0, end = 0; to < indices.length; to = end) {
    for (end = to + 1; end < indices.length && indices[end] === indices[end - 1]! + 1; ) end++;
    runs.push({ first: indices[to]!, length: end - to, to });
  }
  return runs;
}

/** Usual size of a block of an array that is stored without chunks. */
const blockBytes = 1 << 20;

/**
 * The shape of blocks in which an array that is stored without chunks is read well: the last dimensions whole, up to a
 * megabyte.
 * @param single number of first dimensions of which a block has one index
 */
export function blockOf(shape: readonly number[], bytes: number, single = 0): number[] {
  let left = Math.max(1, Math.floor(blockBytes / bytes));
  return shape
    .map((_, n) => shape.length - 1 - n)
    .map((d) => {
      const length = d < single ? 1 : Math.max(1, Math.min(shape[d]!, left));
      left = length < shape[d]! ? 1 : Math.max(1, Math.floor(left / Math.max(1, length)));
      return length;
    })
    .toReversed();
}
