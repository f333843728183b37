import type { Band, Grid, RowBlock, RowRange, Slice } from '../../data/grid.ts';
import type { Indices } from '../../data/indices.ts';
import type { ExactIntegers, Samples } from '../../data/item.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import {
  asSamples,
  bytesPerValue,
  isBig,
  newValues,
  type StoredType,
  type StoredValues,
} from '../../data/stored-values.ts';

export interface ValueArrayMetadata {
  readonly name: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  /** Lengths of the blocks in which the file stores the values. */
  readonly chunks: readonly number[];
  readonly dimensions: readonly (string | undefined)[];
}

/** An array of values in a file, of which any block can be read. */
export interface ValueArray {
  readonly metadata: ValueArrayMetadata;
  /** Bytes of a decoded chunk. */
  readonly chunkBytes: number;
  /** A block: first index and length per dimension, within the array. The last dimension varies fastest. */
  read(start: readonly number[], extent: readonly number[]): Promise<StoredValues>;
  /** The values at all combinations of the chosen indices of each dimension, which rise. */
  select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues>;
  /** Bytes of the chunks that `select` would decode. */
  bytesFor(indices: readonly Indices[]): number;
}

/** Bytes of the rows of a block, unless a row is longer. */
const blockBytes = 1 << 22;

/** A grid over arrays `[time, (layer,) y, x]`, one for each band. */
export function gridOf(
  head: Omit<Grid, 'kind' | 'bands' | 'rows'>,
  bands: readonly Band[],
  arrays: readonly ValueArray[],
): Grid {
  const { width, height, time, layers } = head;
  const cells = (
    { band, step, layer }: Slice,
    [firstRow, rowCount]: readonly [number, number],
    [first, count]: readonly [number, number],
  ): Promise<StoredValues> => {
    const before = [...(time === undefined ? [] : [step]), ...(layers === undefined ? [] : [layer])];
    return arrays[band]!.read([...before, firstRow, first], [...before.map(() => 1), rowCount, count]);
  };
  const stored = async (slice: Slice, firstRow: number, rowCount: number, columns?: RowRange['columns']) => {
    if (columns === undefined) return cells(slice, [firstRow, rowCount], [0, width]);
    const count = columns.end - columns.first;
    const part = await cells(slice, [firstRow, rowCount], [columns.first, count]);
    const values = newValues(arrays[slice.band]!.metadata.type, rowCount * width);
    for (let row = 0; row < rowCount; row++)
      values.set(part.subarray(row * count, (row + 1) * count) as never, row * width + columns.first);
    return values;
  };
  async function* rows(slice: Slice, range: RowRange = { first: 0, end: height }): AsyncGenerator<RowBlock> {
    const { chunks, type } = arrays[slice.band]!.metadata;
    const tall = chunks.at(-2)!;
    const most = Math.max(1, Math.floor(blockBytes / (width * bytesPerValue(type))));
    for (let firstRow = range.first, rowCount = 0; firstRow < range.end; firstRow += rowCount) {
      // Whole rows of chunks, so that each is decoded once.
      rowCount = Math.min(most, tall - (firstRow % tall), range.end - firstRow);
      const values = await stored(slice, firstRow, rowCount, range.columns);
      if (!isBig(type)) yield { firstRow, rowCount, samples: values as Samples };
      else yield { firstRow, rowCount, samples: Float64Array.from(values, Number), exact: values as ExactIntegers };
    }
  }
  const grid: Grid = { kind: 'grid', ...head, bands, rows };
  if (arrays.some(({ metadata }) => isBig(metadata.type))) return grid;
  return {
    ...grid,
    read: async (slice, firstRow, rowCount) => (await stored(slice, firstRow, rowCount)) as Samples,
  };
}

/** An array over arrays of a file, one for each item; those over time have it as their first dimension. */
export function arrayOf(head: Omit<MultiArray, 'kind' | 'read'>, arrays: readonly ValueArray[]): MultiArray {
  const { time, items } = head;
  return {
    kind: 'array',
    ...head,
    async read(item, step, start, shape): Promise<Samples> {
      const timed = time !== undefined && items[item]!.overTime;
      const values = await arrays[item]!.read(timed ? [step, ...start] : start, timed ? [1, ...shape] : shape);
      return asSamples(values);
    },
  };
}
