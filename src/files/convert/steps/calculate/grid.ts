import type { Grid, RandomGrid, RowBlock, RowRange, Slice } from '../../../data/grid.ts';
import type { Item } from '../../../data/item.ts';
import { realValues } from '../../../data/real-values.ts';
import { sliceSamples } from '../../../data/slice-samples.ts';
import { spill } from '../../../formats/io/spill.ts';
import type { StepContext } from '../step-context.ts';
import type { Calculator } from './calculator.ts';

/** Values of operands that may be in memory; more rows at a time are read from a temporary file. */
const MOST_VALUES = 1 << 23;
/** Cells that are calculated at a time. */
const BLOCK = 1 << 16;

type Columns = Map<number, Float64Array>;

/** @param kept bands of the grid that stay, before the calculated ones */
export function calculatedGrid(
  grid: Grid,
  calculator: Calculator<Item>,
  kept: readonly number[],
  { context, resources }: StepContext,
): Grid {
  const { read: _, ...rest } = grid;
  const { width, height } = grid;
  let spilled: Promise<RandomGrid> | undefined;
  /** The bands that expressions name, with random access; read once. */
  const used = calculator.operands;
  const randomAccess = () => {
    const bands = used.map((n) => grid.bands[n]!);
    const rows: Grid['rows'] = (slice, range) => grid.rows({ ...slice, band: used[slice.band]! }, range);
    spilled ??= spill({ ...rest, bands, rows }, context.scratch).then((one) => resources.use(one).grid);
    return spilled;
  };

  async function* calculatedRows(n: number, slice: Slice, { first, end }: RowRange): AsyncGenerator<RowBlock> {
    const operands = calculator.operandsOf(n);
    const part = `${slice.step} ${slice.layer}`;
    const calculated = (columns: Columns, firstRow: number, rowCount: number): RowBlock => ({
      firstRow,
      rowCount,
      samples: calculator.values(n, columns, rowCount * width, `${part} ${firstRow}`),
    });
    if (operands.length === 1) {
      // one band is streamed
      const [band] = operands as [number];
      for await (const { firstRow, rowCount, exact, samples } of grid.rows({ ...slice, band }, { first, end }))
        yield calculated(new Map([[band, realValues(exact ?? samples, grid.bands[band]!)]]), firstRow, rowCount);
      return;
    }
    const held =
      operands.length * width * (end - first) <= MOST_VALUES
        ? await rowsOf(grid, operands, slice, { first, end })
        : await readOf(await randomAccess(), operands, used, slice);
    const rows = Math.max(1, Math.floor(BLOCK / width));
    for (let row = first; row < end; row += rows) {
      const rowCount = Math.min(rows, end - row);
      yield calculated(await held(row, rowCount), row, rowCount);
    }
  }

  return {
    ...rest,
    // isnull, coalesce and numbers give values to cells without data
    ...(grid.origin && { origin: { ...grid.origin, filled: true as const } }),
    bands: [...kept.map((n) => grid.bands[n]!), ...calculator.items],
    rows(slice, range = { first: 0, end: height }) {
      if (slice.band < kept.length) return grid.rows({ ...slice, band: kept[slice.band]! }, range);
      return calculatedRows(slice.band - kept.length, slice, range);
    },
  };
}

type HeldColumns = (firstRow: number, rowCount: number) => Promise<Columns>;

/** Reads one band after the other: rows of several cannot be pulled at the same time. */
async function rowsOf(grid: Grid, operands: readonly number[], slice: Slice, range: RowRange): Promise<HeldColumns> {
  const { width } = grid;
  const held = new Map<number, Float64Array>();
  for (const band of operands)
    held.set(band, realValues(await sliceSamples(grid, { ...slice, band }, range), grid.bands[band]!));
  return async (firstRow, rowCount) => {
    const [from, to] = [(firstRow - range.first) * width, (firstRow + rowCount - range.first) * width];
    return new Map([...held].map(([band, values]) => [band, values.subarray(from, to)]));
  };
}

/** @param used the band of the data of each band of `random` */
async function readOf(
  random: RandomGrid,
  operands: readonly number[],
  used: readonly number[],
  slice: Slice,
): Promise<HeldColumns> {
  return async (firstRow, rowCount) => {
    const columns = new Map<number, Float64Array>();
    for (const operand of operands) {
      const band = used.indexOf(operand);
      columns.set(operand, realValues(await random.read({ ...slice, band }, firstRow, rowCount), random.bands[band]!));
    }
    return columns;
  };
}
