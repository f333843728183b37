import type { ByteSink } from '../../../data/bytes.ts';
import { type Grid, layersOf, slicesOfBand } from '../../../data/grid.ts';
import { stepsOf } from '../../../data/time-axis.ts';
import type { Context } from '../../define.ts';
import { flipRows, isSouthUp } from '../flip-rows.ts';
import { copyDfs } from './copy.ts';
import type { DfsFile } from './dfs-file.ts';
import { DfsWriter } from './dfs-writer.ts';
import type { ValueEncoder } from './encode.ts';
import { EncodingKeys } from './encoding-keys.ts';
import { type GridFormat, layoutOfGrid } from './grid-layout.ts';
import { type DfsHeader, storedCount } from './header.ts';
import { newItems } from './items.ts';
import { newDeleteValues, newHeader } from './new-header.ts';
import { contentOf, factsOf, hasNaNAsValue, unchangedFile } from './origin.ts';
import type { WriterOptions } from './parameters.ts';
import { newTime } from './time.ts';
import { checkCount } from './write-header.ts';

/** Writes a grid as a DFS1, DFS2 or DFS3 file: a copy of its source file if nothing was changed, else a new file. */
export async function writeGrid(
  grid: Grid,
  format: GridFormat,
  options: WriterOptions,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const same = unchangedFile(grid, format, options);
  if (same !== undefined) return copyGrid(grid, same, sink, context);
  if (isSouthUp(grid)) return writeNew(grid, format, options, sink, context);
  // Before rows are flipped, which for such a grid takes long and much of the disk.
  checkCount(grid.width * grid.height * layersOf(grid), 'The grid');
  await using flipped = await flipRows(grid, context);
  await writeNew(flipped.grid, format, options, sink, context);
}

async function copyGrid(grid: Grid, file: DfsFile, sink: ByteSink, context: Context): Promise<void> {
  // Rows are read also for an unchanged copy, because the receipt's statistics count what is read.
  for (const band of grid.bands.keys())
    for (const slice of slicesOfBand(grid, band))
      for await (const _ of grid.rows(slice)) context.signal.throwIfAborted();
  return copyDfs(file, sink, context.signal);
}

async function writeNew(
  grid: Grid,
  format: GridFormat,
  options: WriterOptions,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const from = contentOf(grid);
  const { axis, ...layout } = await layoutOfGrid(grid, format, from, context);
  const { time, offsets } = newTime(grid.time);
  const deleteValues = newDeleteValues(grid.bands, from?.file.header);
  const { items, encoders } = newItems(
    grid.bands,
    {
      WriteAsFloat: layout.compressed || options.WriteAsFloat,
      deleteValues,
      keepNaN: hasNaNAsValue(grid),
      axisOf: () => axis,
      noun: 'Band',
    },
    context,
  );
  const header = newHeader({ ...factsOf(grid), items, time, deleteValues, ...layout }, from?.file.header);
  const writer = await DfsWriter.begin(layout.compressed ? { ...header, statisticsType: 1 } : header, sink);
  const keys = layout.compressed ? await EncodingKeys.read(from!.file, axis.counts) : undefined;
  for (let step = 0; step < stepsOf(grid); step++) {
    writer.beginStep(time.equidistant ? 0 : offsets[step]!);
    for (const band of grid.bands.keys())
      await writeBand(grid, { band, step }, writer, encoders[band]!, keys, header, context);
  }
  await writer.end();
  for (const encoder of encoders) encoder.report(context);
}

async function writeBand(
  grid: Grid,
  { band, step }: { band: number; step: number },
  writer: DfsWriter,
  encoder: ValueEncoder,
  keys: EncodingKeys | undefined,
  header: DfsHeader,
  { signal }: Context,
): Promise<void> {
  const record = keys === undefined ? undefined : new Float32Array(storedCount(header, header.items[band]!));
  for (let layer = 0; layer < layersOf(grid); layer++)
    for await (const { firstRow, samples } of grid.rows({ band, step, layer })) {
      signal.throwIfAborted();
      const values = encoder.encode(samples);
      if (record === undefined) await writer.add(values);
      else keys!.collect(values, (layer * grid.height + firstRow) * grid.width, record);
    }
  if (record !== undefined) await writer.add(record);
}
