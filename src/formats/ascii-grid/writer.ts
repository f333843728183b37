import { z } from 'zod';
import type { ByteSink } from '../../data/bytes.ts';
import type { Grid, RowBlock } from '../../data/grid.ts';
import { firstSlice, layersOf } from '../../data/grid.ts';
import type { SampleType } from '../../data/item.ts';
import { isFloat, sampleTypeOf } from '../../data/samples.ts';
import { giveBack } from '../../data/spare-memory.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { AppError } from '../../errors.ts';
import { crsName } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { defineWriter } from '../define.ts';
import { rowsInCommonType } from '../io/common-type.ts';
import { roundedIntegers, spill } from '../io/spill.ts';
import { fillNaN, freeNodata, lowestSingle, usualNodata } from './nodata.ts';
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
  async write(grid, _parameters, sink, context) {
    const size = cellSize(grid);
    tellLosses(grid, context);
    const single = firstRaster(grid);
    if (grid.affine[5] < 0) return writeRows(single, size, sink, grid.affine[3] - grid.height * size, context);
    // The first row lies in the south: all rows are kept aside and written from the last to the first.
    const { grid: kept, close } = await spill(roundedIntegers(single, context), context.scratch);
    try {
      const rows = () => upwards(kept);
      await writeRows({ ...kept, rows }, size, sink, grid.affine[3], context);
    } finally {
      await close();
    }
  },
});

/** The grid with its first band, step and layer alone. */
function firstRaster({ time: _, layers: __, bands, ...rest }: Grid): Grid {
  return { ...rest, bands: [bands[0]!] };
}

async function* upwards(grid: Awaited<ReturnType<typeof spill>>['grid']): AsyncGenerator<RowBlock> {
  for (let firstRow = 0; firstRow < grid.height; firstRow++)
    yield { firstRow, rowCount: 1, samples: await grid.read(firstSlice, grid.height - 1 - firstRow, 1) };
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
function tellLosses(grid: Grid, { lost }: Context): void {
  if (grid.crs !== undefined)
    lost(`An ASCII grid names no coordinate system; that of this one is ${crsName(grid.crs)}.`);
  if (grid.bands.length > 1) lost(`An ASCII grid holds one band; bands 2 to ${grid.bands.length} were left out.`);
  if (stepsOf(grid) > 1) lost(`An ASCII grid holds no time; only the first of ${stepsOf(grid)} steps was kept.`);
  if (layersOf(grid) > 1) lost(`An ASCII grid holds one layer; only the lowest of ${layersOf(grid)} was kept.`);
  const { name, unit, scale = 1, offset = 0, role } = grid.bands[0]!;
  const called = [name === undefined ? [] : `'${name}'`, unit === undefined ? [] : `in ${unit}`].flat().join(' ');
  if (called !== '') lost(`An ASCII grid does not say what its numbers are; these were ${called}.`);
  if (scale !== 1 || offset !== 0)
    lost(`The numbers are those that were stored; what they stand for is number · ${scale} + ${offset}.`);
  if (role === 'palette') lost('An ASCII grid holds no table of colours; that of this one was left out.');
}

/** Writes the cells as text, in a second pass where the value for cells without data turns out too late. */
async function writeRows(grid: Grid, size: number, sink: ByteSink, bottom: number, context: Context): Promise<void> {
  const declared = grid.bands[0]!.nodata;
  // Few programs read the word nan, so cells hold a number instead.
  let nodata = Number.isNaN(declared) ? usualNodata : declared;
  for (;;) {
    const clash = await tryRows(grid, { size, bottom, nodata, made: nodata !== declared }, sink, context);
    if (clash === undefined) return;
    if (nodata === lowestSingle)
      throw new AppError(
        'unprocessable',
        'The grid has cells without data, and its other cells have every value that could mark them in an ASCII grid. A GeoTIFF holds both.',
      );
    nodata = clash === 'undeclared' ? usualNodata : await freeNodata(grid, context.signal);
    await sink.restart();
  }
}

interface Layout {
  size: number;
  bottom: number;
  /** Value of cells without data. */
  nodata: number | undefined;
  /** The grid does not declare this value, so no cell with data may have it. */
  made: boolean;
}

/** @returns why the text is of no use: a cell without data and no value for it, or a cell with data that has that value */
async function tryRows(
  grid: Grid,
  { size, bottom, nodata, made }: Layout,
  sink: ByteSink,
  context: Context,
): Promise<'undeclared' | 'taken' | undefined> {
  const text = new NumberWriter(numbersPerPiece);
  const { integer64 } = grid.bands[0]!;
  let type: SampleType | undefined;
  let wholeFloats = integer64 === undefined;
  const restart = async () => {
    await sink.restart();
    type = undefined;
    wholeFloats = integer64 === undefined;
  };
  for await (const block of rowsInCommonType(grid, 0, restart)) {
    context.signal.throwIfAborted();
    if (made && nodata !== undefined && block.samples.includes(nodata)) return 'taken';
    if (isFloat(sampleTypeOf(block.samples)) && !fillNaN(block.samples, nodata)) return 'undeclared';
    // Integers of 64 bits have more digits than doubles.
    const samples = block.exact ?? block.samples;
    if (type === undefined) {
      type = sampleTypeOf(block.samples);
      await sink.append(header(grid, size, bottom, type, nodata));
    }
    for (let at = 0; at < samples.length; ) {
      const rowEnd = at - (at % grid.width) + grid.width;
      const end = Math.min(rowEnd, at + text.room);
      text.add(samples, at, end);
      if (end === rowEnd) text.endLine();
      if (text.room === 0 || end === samples.length) await sink.append(text.take());
      at = end;
    }
    wholeFloats &&= isFloat(type) && block.samples.every((value) => Number.isInteger(value));
    giveBack(block.samples);
  }
  if (wholeFloats)
    context.lost(`All values are whole numbers; an ASCII grid does not tell that their type was ${type}.`);
  return undefined;
}

function header(grid: Grid, size: number, bottom: number, type: SampleType, nodata: number | undefined): Buffer {
  const { nodata: declared, exactNodata } = grid.bands[0]!;
  const lines = [`ncols ${grid.width}`, `nrows ${grid.height}`, `xllcorner ${grid.affine[0]}`, `yllcorner ${bottom}`];
  lines.push(`cellsize ${size}`);
  // The same word as in the cells.
  if (nodata !== undefined) {
    const text = type === 'Float32' ? singleText(nodata) : doubleText(nodata);
    lines.push(`NODATA_value ${nodata === declared ? (exactNodata ?? text) : text}`);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}
