import type { ByteSink } from '../../data/bytes.ts';
import { type Grid, layersOf, slicesPerBand } from '../../data/grid.ts';
import { stepsOf } from '../../data/time-axis.ts';
import type { Context } from '../define.ts';
import { ScratchFile } from '../io/scratch-file.ts';
import { ZipWriter } from '../io/zip-writer.ts';

const pieceSize = 1 << 18;

/**
 * Writes a zip with an image for each step of a grid: `step_0000.tif` and so on.
 * @param bands a band for each slice of the grid, in the order of items, steps and layers
 */
export async function writeStepFiles(
  grid: Grid,
  bands: Grid,
  write: (one: Grid, sink: ByteSink) => Promise<void>,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const zip = new ZipWriter(sink);
  const steps = stepsOf(grid);
  const digits = Math.max(4, String(steps - 1).length);
  for (let step = 0; step < steps; step++) {
    context.signal.throwIfAborted();
    await using image = await ScratchFile.create(context.scratch);
    await write(bandsOfStep(grid, bands, step), image.sink);
    const name = `step_${String(step).padStart(digits, '0')}.tif`;
    await zip.add(name, image.sink.position, image.pieces(pieceSize));
  }
  await zip.finish();
}

function bandsOfStep(grid: Grid, bands: Grid, step: number): Grid {
  const chosen = [...bands.bands.keys()].filter(
    (band) => Math.floor((band % slicesPerBand(grid)) / layersOf(grid)) === step,
  );
  const { read: _, ...rest } = bands;
  return {
    ...rest,
    bands: chosen.map((band) => bands.bands[band]!),
    rows: (slice, range) => bands.rows({ ...slice, band: chosen[slice.band]! }, range),
  };
}
