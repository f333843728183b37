import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Grid, type RandomGrid, type RowBlock, type RowRange, type Slice, sliceNumber } from '../../data/grid.ts';
import type { Samples, SampleType } from '../../data/item.ts';
import { bytesOf, sampleArrays, sampleTypeOf } from '../../data/samples.ts';
import type { Context } from '../define.ts';
import { FileSink, FileSource } from './bytes.ts';
import { rowsInCommonType } from './common-type.ts';

/** Rows per block of a spilled grid: about a megabyte. */
const rowsPerBlock = (width: number, bytesPerSample: number) =>
  Math.max(1, Math.floor((1 << 20) / (width * bytesPerSample)));

interface SpilledBand {
  type: SampleType;
  path: string;
  file: FileSource;
}

export interface Spilled {
  readonly grid: RandomGrid;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Writes all rows to temporary files, one per band with its slices in order. The returned grid has random access and
 * known sample types. Disposing deletes the files.
 */
export async function spill(grid: Grid, scratch: string): Promise<Spilled> {
  const spilled: SpilledBand[] = [];
  const close = async () => {
    for (const { file, path } of spilled) {
      await file.close();
      await rm(path, { force: true });
    }
  };
  try {
    for (let band = 0; band < grid.bands.length; band++) spilled.push(await spillBand(grid, band, scratch));
  } catch (error) {
    await close();
    throw error;
  }
  const read = async (slice: Slice, firstRow: number, rowCount: number): Promise<Samples> => {
    const { type, file } = spilled[slice.band]!;
    const array = sampleArrays[type];
    const rowBytes = grid.width * array.BYTES_PER_ELEMENT;
    const row = sliceNumber(grid, slice) * grid.height + firstRow;
    const bytes = await file.read(row * rowBytes, rowCount * rowBytes);
    return new array(bytes.buffer, bytes.byteOffset, bytes.length / array.BYTES_PER_ELEMENT);
  };
  const bands = grid.bands.map((band, n) => ({ ...band, type: spilled[n]!.type }));
  async function* rows(slice: Slice, range?: RowRange): AsyncGenerator<RowBlock> {
    const most = rowsPerBlock(grid.width, sampleArrays[bands[slice.band]!.type].BYTES_PER_ELEMENT);
    const end = range?.end ?? grid.height;
    for (let firstRow = range?.first ?? 0; firstRow < end; firstRow += most) {
      const rowCount = Math.min(most, end - firstRow);
      yield { firstRow, rowCount, samples: await read(slice, firstRow, rowCount) };
    }
  }
  return { grid: { ...grid, bands, rows, read }, [Symbol.asyncDispose]: close };
}

/** The grid without exact 64-bit integers, which a spilled grid does not keep. Reports a loss if one was rounded. */
export function roundedIntegers(grid: Grid, context: Context): Grid {
  if (grid.bands.every((band) => band.integer64 === undefined)) return grid;
  return {
    ...grid,
    async *rows(slice, range) {
      for await (const { exact, ...block } of grid.rows(slice, range)) {
        if (exact !== undefined && block.samples.some((value) => !Number.isSafeInteger(value)))
          context.reportLoss('Integers above 2^53 were rounded to 53 bits.');
        yield block;
      }
    },
  };
}

async function spillBand(grid: Grid, band: number, scratch: string): Promise<SpilledBand> {
  const path = join(scratch, `${randomUUID()}.raw`);
  await using sink = await FileSink.create(path, { checksum: false });
  let type: SampleType | undefined;
  for await (const block of rowsInCommonType(grid, band, () => sink.restart())) {
    type = sampleTypeOf(block.samples);
    await sink.append(bytesOf(block.samples));
  }
  await sink.flush();
  return { type: type!, path, file: await FileSource.open(path, { checksum: false }) };
}
