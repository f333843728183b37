import type { Crs } from '../../data/crs-reference.ts';
import { defined } from '../../data/defined.ts';
import type { Band, Grid, RowBlock, RowRange, Slice } from '../../data/grid.ts';
import type { ExactIntegers, Samples } from '../../data/item.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import { bytesPerValue, isBig } from '../../data/stored-values.ts';
import { stepCount } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import { DfsPlace } from '../io/dfs/origin.ts';
import { shown } from '../io/zip.ts';
import type { GridDescription } from './description.ts';
import { itemOfDescription } from './items.ts';
import type { OpenedStore } from './opened.ts';
import type { ZarrArray, ZarrStore } from './store.ts';
import { TIME, timeOfDescription } from './time.ts';

/** Bytes of the rows of a block, unless a row is longer. */
const blockBytes = 1 << 22;

/** A grid that the writer has described. */
export async function readDescribedGrid(description: GridDescription, store: ZarrStore): Promise<OpenedStore<Grid>> {
  const { width, height, affine, located, crs, layers, items } = description;
  const time = description.time && (await timeOfDescription(description.time, () => store.array(TIME)));
  const shape = [
    ...(time === undefined ? [] : [stepCount(time)]),
    ...(layers === undefined ? [] : [layers.count]),
    height,
    width,
  ];
  const arrays = items.map(({ array }) => store.array(array));
  for (const array of arrays) checkShape(array, shape);
  const bands = items.map(
    ({ role, palette, ...item }, n) =>
      defined({ ...itemOfDescription(item, arrays[n]!.metadata.type), role, palette }) as Band,
  );
  const place = { affine, width, height, ...(layers && { layers: layers.count, firstLayer: layers.first }) };
  const origin = description.dfs && { format: 'md', content: new DfsPlace(crs as Crs, description.dfs, place) };
  const head = defined({ width, height, affine, located, crs, time, layers, origin }) as Omit<
    Grid,
    'kind' | 'bands' | 'rows'
  >;
  return { data: gridOf(head, bands, arrays), arrays };
}

/** @throws FormatError for another shape than the description says */
export function checkShape({ metadata: { name, shape: own } }: ZarrArray, shape: readonly number[]): void {
  if (own.length === shape.length && own.every((length, d) => length === shape[d])) return;
  throw new FormatError(`The array '${shown(name)}' has the shape ${own.join(' × ')} instead of ${shape.join(' × ')}.`);
}

/** A grid over arrays `[time, (layer,) y, x]`, one for each band. */
export function gridOf(
  head: Omit<Grid, 'kind' | 'bands' | 'rows'>,
  bands: readonly Band[],
  arrays: readonly ZarrArray[],
): Grid {
  const { width, height, time, layers } = head;
  const stored = ({ band, step, layer }: Slice, firstRow: number, rowCount: number): Promise<StoredValues> => {
    const before = [...(time === undefined ? [] : [step]), ...(layers === undefined ? [] : [layer])];
    return arrays[band]!.read([...before, firstRow, 0], [...before.map(() => 1), rowCount, width]);
  };
  async function* rows(slice: Slice, wanted: RowRange = { first: 0, end: height }): AsyncGenerator<RowBlock> {
    const { chunks, type } = arrays[slice.band]!.metadata;
    const tall = chunks.at(-2)!;
    const most = Math.max(1, Math.floor(blockBytes / (width * bytesPerValue(type))));
    for (let firstRow = wanted.first, rowCount = 0; firstRow < wanted.end; firstRow += rowCount) {
      // Whole rows of chunks, so that each is decoded once.
      rowCount = Math.min(most, tall - (firstRow % tall), wanted.end - firstRow);
      const values = await stored(slice, firstRow, rowCount);
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
