import { type Affine, cellSize, type Grid, type RowBlock, type RowRange, type Slice } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import type { Context } from '../define.ts';
import { roundedIntegers, spill } from './spill.ts';

/** Maximum size in bytes of a slice that is flipped in memory; a larger one is flipped on disk. */
const maxInMemory = 1 << 26;
const bytesPerCell = 8;

/** Whether the first row is the southern one; for a rotated grid, whether it would be without the rotation. */
export const isSouthUp = ({ affine: [, a, b, , c, d] }: Pick<Grid, 'affine'>): boolean => a * d - b * c > 0;

const flippedAffine = ([x, a, b, y, c, d]: Affine, height: number): Affine => [
  x + height * b,
  a,
  -b + 0,
  y + height * d,
  c,
  -d,
];

interface Flipped {
  readonly grid: Grid;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The same cells with the last row first. A slice is held in memory, or on disk when it is large, until disposed. Reads
 * all rows of the given grid, so that its tallies count them.
 */
export async function flipRows(grid: Grid, context: Context): Promise<Flipped> {
  const { read: _, ...rest } = grid;
  const affine = flippedAffine(grid.affine, grid.height);
  if (grid.width * grid.height * bytesPerCell <= maxInMemory)
    return {
      grid: { ...rest, affine, rows: (slice, range) => turnedOver(grid, slice, range) },
      [Symbol.asyncDispose]: async () => {},
    };
  const spilled = await spill(roundedIntegers(grid, context), context.scratch);
  const rows = (slice: Slice, range?: RowRange) => turnedOver(spilled.grid, slice, range);
  const blocks = async function* (slice: Slice, range: RowRange = { first: 0, end: grid.height }) {
    const most = Math.max(1, Math.floor((1 << 20) / (grid.width * bytesPerCell)));
    for (let first = range.first; first < range.end; first += most)
      for await (const block of rows(slice, { first, end: Math.min(range.end, first + most) })) yield block;
  };
  return {
    grid: { ...rest, bands: spilled.grid.bands, affine, rows: blocks },
    [Symbol.asyncDispose]: () => spilled[Symbol.asyncDispose](),
  };
}

/** The grid with its rows in the order of another one; until the end of the conversion. */
export async function inRowOrder(grid: Grid, like: Pick<Grid, 'affine'>, context: Context): Promise<Grid> {
  if (isSouthUp(like) === isSouthUp(grid)) return grid;
  const flipped = await flipRows(grid, context);
  context.onEnd(flipped[Symbol.asyncDispose]);
  return flipped.grid;
}

/** Maximum offset between two grids, as a share of a cell. */
const tolerance = 1e-3;

/** Whether all cells of two grids of this size lie at the same places. */
export function isNear({ affine, width, height }: Pick<Grid, 'affine' | 'width' | 'height'>, other: Affine): boolean {
  // A difference of the cell sizes adds up over the grid.
  const length = [1, width, height, 1, width, height];
  return affine.every((value, n) => Math.abs(value - other[n]!) * length[n]! <= tolerance * cellSize({ affine }));
}

/** Rows of a slice in reverse order, counted from the new first one. */
async function* turnedOver(
  grid: Grid,
  slice: Slice,
  { first, end }: RowRange = { first: 0, end: grid.height },
): AsyncGenerator<RowBlock> {
  const { width, height } = grid;
  const blocks: RowBlock[] = [];
  for await (const block of grid.rows(slice, { first: height - end, end: height - first })) blocks.push(block);
  for (const block of blocks.reverse()) {
    const turned = withRowsReversed(block, width);
    const firstRow = height - block.firstRow - block.rowCount;
    const from = Math.max(firstRow, first);
    const to = Math.min(firstRow + block.rowCount, end);
    if (to <= from) continue;
    const part = <A extends Samples | BigInt64Array | BigUint64Array>(all: A): A =>
      to - from === block.rowCount ? all : (all.slice((from - firstRow) * width, (to - firstRow) * width) as A);
    const exact = turned.exact === undefined ? {} : { exact: part(turned.exact) };
    yield { firstRow: from, rowCount: to - from, samples: part(turned.samples), ...exact };
  }
}

function withRowsReversed({ samples, exact, rowCount }: RowBlock, width: number) {
  for (const all of exact === undefined ? [samples] : [samples, exact]) {
    for (let top = 0, bottom = (rowCount - 1) * width; top < bottom; top += width, bottom -= width) {
      const row = all.slice(top, top + width);
      all.copyWithin(top, bottom, bottom + width);
      all.set(row as never, bottom);
    }
  }
  return { samples, ...(exact === undefined ? {} : { exact }) };
}
