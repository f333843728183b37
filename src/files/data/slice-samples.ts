import type { Grid, RowRange, Slice } from './grid.ts';
import type { Samples } from './item.ts';
import { restoreNodata, sampleArrays } from './samples.ts';

/** All samples of some rows of a slice, row by row. A band whose type is not known yet gives Float64. */
export async function sliceSamples(
  grid: Grid,
  slice: Slice,
  { first, end }: RowRange = { first: 0, end: grid.height },
): Promise<Samples> {
  const { type = 'Float64', nodata } = grid.bands[slice.band]!;
  const samples = new sampleArrays[type]((end - first) * grid.width);
  for await (const block of grid.rows(slice, { first, end })) {
    const from = Math.max(first, block.firstRow);
    const to = Math.min(end, block.firstRow + block.rowCount);
    if (from >= to) continue;
    const part = block.samples.subarray((from - block.firstRow) * grid.width, (to - block.firstRow) * grid.width);
    const at = (from - first) * grid.width;
    samples.set(part, at);
    restoreNodata(samples.subarray(at, at + part.length), part, nodata);
  }
  return samples;
}
