import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSink } from '../../data/bytes.ts';
import { type Grid, layersOf, slicesPerBand } from '../../data/grid.ts';
import { stepsOf } from '../../data/time-axis.ts';
import type { Context } from '../define.ts';
import { FileSink, FileSource } from '../io/bytes.ts';
import { ZipWriter } from '../io/zip-writer.ts';

const chunk = 1 << 18;

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
    const path = join(context.scratch, `${randomUUID()}.tif`);
    const image = await FileSink.create(path, { checksum: false });
    try {
      await write(bandsOfStep(grid, bands, step), image);
      await image.flush();
    } finally {
      await image.close();
    }
    const file = await FileSource.open(path, { checksum: false });
    try {
      await zip.add(`step_${String(step).padStart(digits, '0')}.tif`, file.size, readPieces(file));
    } finally {
      await file.close();
      await rm(path);
    }
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
    rows: (slice, wanted) => bands.rows({ ...slice, band: chosen[slice.band]! }, wanted),
  };
}

async function* readPieces(file: FileSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += chunk) yield await file.read(at, chunk);
}
