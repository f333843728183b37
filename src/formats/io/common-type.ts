import type { Grid, RowBlock } from '../../data/grid.ts';
import { slicesOfBand } from '../../data/grid.ts';
import { convertSamples, sampleArrays, sampleTypeOf } from '../../data/samples.ts';

const MOST_PASSES = Object.keys(sampleArrays).length;

/**
 * The rows of a band, slice after slice, all in one type. A text format may find out late that its numbers need a wider type than it thought:
 * then `restart` is called and the rows come again, from the first, in the wider one.
 */
export async function* rowsInCommonType(
  grid: Grid,
  band: number,
  restart: () => Promise<void>,
): AsyncGenerator<RowBlock> {
  const declared = grid.bands[band]!.type;
  for (let passes = 0, settled = false; !settled; passes++) {
    // each pass but the last ends at a wider type
    if (passes > MOST_PASSES) throw new Error('The type of a band changed in every pass over its rows.');
    let type = declared;
    settled = true;
    all: for (const slice of slicesOfBand(grid, band))
      for await (const block of grid.rows(slice)) {
        type ??= sampleTypeOf(block.samples);
        if (declared === undefined && sampleTypeOf(block.samples) !== type) {
          await restart();
          settled = false;
          break all;
        }
        yield { ...block, samples: convertSamples(block.samples, type) };
      }
  }
}
