import type { Grid, Slice } from '../../data/grid.ts';
import { realValues } from '../../data/real-values.ts';

/** Averages of blocks of `factor` × `factor` cells; NaN where there are no data. */
export interface Averages {
  readonly width: number;
  readonly height: number;
  readonly factor: number;
  readonly values: Float64Array;
}

/** Reads a slice once. Memory holds the averages, not the grid. */
export async function averagesOf(grid: Grid, slice: Slice, side: number, { nearest = false } = {}): Promise<Averages> {
  const factor = Math.max(1, Math.ceil(Math.max(grid.width, grid.height) / side));
  const [width, height] = [Math.ceil(grid.width / factor), Math.ceil(grid.height / factor)];
  const sums = new Float64Array(width * height);
  const counts = new Uint32Array(width * height);
  for await (const { firstRow, rowCount, samples } of grid.rows(slice)) {
    const values = realValues(samples, grid.bands[slice.band]!);
    for (let row = 0; row < rowCount; row++) {
      const line = Math.floor((firstRow + row) / factor) * width;
      for (let column = 0; column < grid.width; column++) {
        const value = values[row * grid.width + column]!;
        const cell = line + Math.floor(column / factor);
        // Categories, such as land use, have no mean: the block gets the value of one of its cells.
        if (Number.isNaN(value) || (nearest && counts[cell] === 1)) continue;
        sums[cell]! += value;
        counts[cell]! += 1;
      }
    }
  }
  return { width, height, factor, values: sums.map((sum, n) => (counts[n] === 0 ? Number.NaN : sum / counts[n]!)) };
}
