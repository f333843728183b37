import { type Grid, slicesOfBand, type TypedGrid } from '../../data/grid.ts';
import { isFloat } from '../../data/samples.ts';
import type { Context } from '../../formats/define.ts';

/**
 * Whether one pass over the rows is enough: sample types are known, and each band has a nodata value or can use NaN.
 */
export const canStream = (grid: Grid): grid is TypedGrid =>
  grid.bands.every(
    ({ type, nodata, integer64 }) =>
      type !== undefined && (nodata !== undefined || (isFloat(type) && integer64 === undefined)),
  );

/** Counts and reports source cells with the nodata value that the target got because the source declares none. */
export async function reportNodataClashes(
  source: TypedGrid,
  target: Grid,
  { reportLoss, signal }: Context,
): Promise<void> {
  for (const [band, { nodata: declared }] of source.bands.entries()) {
    const nodata = target.bands[band]?.nodata;
    if (declared !== undefined || nodata === undefined || Number.isNaN(nodata)) continue;
    let cells = 0;
    for (const slice of slicesOfBand(source, band))
      for await (const { samples } of source.rows(slice)) {
        signal.throwIfAborted();
        for (let i = 0; i < samples.length; i++) if (samples[i] === nodata) cells++;
      }
    if (cells > 0)
      reportLoss(
        `Band ${band + 1} had no nodata value and got ${nodata}. ${cells} of its cells have this value and became nodata.`,
      );
  }
}
