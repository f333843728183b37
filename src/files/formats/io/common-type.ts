import { type Grid, type RowBlock, slicesOfBand } from '../../data/grid.ts';
import { convertSamples, sampleArrays, sampleTypeOf } from '../../data/samples.ts';

const MAX_PASSES = Object.keys(sampleArrays).length;

/**
 * Yields the rows of a band, slice by slice, in one sample type. A text format may find out late that its numbers need
 * a wider type. Then this calls `restart` and yields all rows again in the wider type.
 */
export async function* rowsInCommonType(
  grid: Grid,
  band: number,
  restart: () => Promise<void>,
): AsyncGenerator<RowBlock> {
  const declared = grid.bands[band]!.type;
  for (let passes = 0, complete = false; !complete; passes++) {
    // Each pass except the last ends at a wider type.
    if (passes > MAX_PASSES) throw new Error('The type of a band changed in every pass over its rows.');
    let type = declared;
    complete = true;
    all: for (const slice of slicesOfBand(grid, band))
      for await (const block of grid.rows(slice)) {
        type ??= sampleTypeOf(block.samples);
        if (declared === undefined && sampleTypeOf(block.samples) !== type) {
          await restart();
          complete = false;
          break all;
        }
        yield { ...block, samples: convertSamples(block.samples, type) };
      }
  }
}
