import type { Grid, RowRange, Slice } from './grid.ts';
import type { Samples } from './item.ts';
import { sampleArrays } from './samples.ts';

/** All samples of some rows of a slice, row by row. A band whose type is not known yet gives Float64. */
export async function sliceSamples(
  grid: Grid,
  slice: Slice,
  { first, end }: RowRange = { first: 0, end: grid.height },
): Promise<Samples> {
  const samples = new sampleArrays[grid.bands[slice.band]!.type ?? 'Float64']((end - first) * grid.width);
  for await (const block of grid.rows(slice, { first, end })) {
    const from = Math.max(first, block.firstRow);
    const to = Math.min(end, block.firstRow + block.rowCount);
    if (from >= to) continue;
    samples.set(
      block.samples.subarray((from - block.firstRow) * grid.width, (to - block.firstRow) * grid.width),
      (from - first) * grid.width,
    );
  }
  return samples;
}
