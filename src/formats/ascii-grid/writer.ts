import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Crs } from '../../geo/crs.ts';
import { sridOf } from '../../geo/crs.ts';
import type { Context } from '../define.ts';
import { defineWriter } from '../define.ts';
import { isFloat, sampleTypeOf } from '../samples.ts';
import { settledRows } from '../settle.ts';
import { spill } from '../spill.ts';
import type { ByteSink, Grid, RowBlock, SampleType } from '../types.ts';
import { doubleText, NumberWriter, singleText } from './text.ts';

const numbersPerPiece = 1 << 14;

export const asciiGridWriter = defineWriter({
  name: 'AsciiGridWriter',
  description: 'A grid in ESRI ASCII form (.asc): square cells, one band.',
  format: 'asciigrid',
  accepts: ['grid'],
  parameters: z.object({}),
  extension: '.asc',
  mediaType: 'text/plain',
  canAppend: false,
  async write(grid, _parameters, sink, context) {
    const size = cellSize(grid);
    tellLosses(grid, context);
    if (grid.affine[5] < 0) return writeRows(grid, size, sink, grid.affine[3] - grid.height * size, context);
    // The first row lies in the south: all rows are kept aside and written from the last to the first.
    const { grid: kept, close } = await spill({ ...grid, bands: [grid.bands[0]!] }, context.scratch);
    try {
      const rows = () => upwards(kept);
      await writeRows({ ...kept, rows }, size, sink, grid.affine[3], context);
    } finally {
      await close();
    }
  },
});

async function* upwards(grid: Awaited<ReturnType<typeof spill>>['grid']): AsyncGenerator<RowBlock> {
  for (let firstRow = 0; firstRow < grid.height; firstRow++)
    yield { firstRow, rowCount: 1, samples: await grid.read(0, grid.height - 1 - firstRow, 1) };
}

/** @throws AppError when the cells are not square or not upright; the form knows nothing else */
function cellSize({ affine: [, dx, xRotation, , yRotation, dy], width, height }: Grid): number {
  const way = 'A crsTransformation lays the grid out anew, upright and with square cells.';
  if (xRotation !== 0 || yRotation !== 0 || dx < 0)
    throw new AppError(
      'unprocessable',
      `An ASCII grid holds only upright grids, and this one is rotated or mirrored. ${way}`,
    );
  // Scales are stored rounded: what adds up to a thousandth of a cell over the whole grid is no difference.
  if (Math.abs(dx - Math.abs(dy)) * Math.max(width, height) > dx / 1000)
    throw new AppError(
      'unprocessable',
      `An ASCII grid holds only square cells, and these are ${dx} × ${Math.abs(dy)}. ${way}`,
    );
  return dx;
}

/** Its code, or what its text calls it. */
const nameOf = (crs: Crs): string => sridOf(crs) ?? /"([^"]*)"/.exec(crs.wkt ?? '')?.[1] ?? 'unknown';

function tellLosses(grid: Grid, { lost }: Context): void {
  if (grid.crs !== undefined)
    lost(`An ASCII grid names no coordinate system; that of this one is ${nameOf(grid.crs)}.`);
  if (grid.bands.length > 1) lost(`An ASCII grid holds one band; bands 2 to ${grid.bands.length} were left out.`);
}

async function writeRows(grid: Grid, size: number, sink: ByteSink, bottom: number, context: Context): Promise<void> {
  const text = new NumberWriter(numbersPerPiece);
  let type: SampleType | undefined;
  let wholeFloats = true;
  const restart = async () => {
    await sink.restart();
    type = undefined;
    wholeFloats = true;
  };
  for await (const { samples } of settledRows(grid, 0, restart)) {
    context.signal.throwIfAborted();
    if (type === undefined) {
      type = sampleTypeOf(samples);
      await sink.append(header(grid, size, bottom, type));
    }
    for (let at = 0; at < samples.length; ) {
      const rowEnd = at - (at % grid.width) + grid.width;
      const end = Math.min(rowEnd, at + text.room);
      text.add(samples, at, end);
      if (end === rowEnd) text.endLine();
      if (text.room === 0 || end === samples.length) await sink.append(text.take());
      at = end;
    }
    wholeFloats &&= isFloat(type) && samples.every((value) => Number.isInteger(value));
  }
  if (wholeFloats)
    context.lost(`All values are whole numbers; an ASCII grid does not tell that their type was ${type}.`);
}

function header(grid: Grid, size: number, bottom: number, type: SampleType): Buffer {
  const { nodata } = grid.bands[0]!;
  const lines = [`ncols ${grid.width}`, `nrows ${grid.height}`, `xllcorner ${grid.affine[0]}`, `yllcorner ${bottom}`];
  lines.push(`cellsize ${size}`);
  // The same word as in the cells.
  if (nodata !== undefined) lines.push(`NODATA_value ${type === 'Float32' ? singleText(nodata) : doubleText(nodata)}`);
  return Buffer.from(`${lines.join('\n')}\n`);
}
