import { releaseBuffer } from '../../data/buffer-pool.ts';
import type { ByteSink } from '../../data/bytes.ts';
import { type Grid, layersOf } from '../../data/grid.ts';
import type { SampleType } from '../../data/item.ts';
import { isFloat, sampleTypeOf } from '../../data/samples.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { crsName } from '../../geo/crs/crs.ts';
import type { Context, Write } from '../define.ts';
import { rowsInCommonType } from '../io/common-type.ts';
import { flipRows } from '../io/flip-rows.ts';
import { needsStep } from '../io/needs-step.ts';
import { reportUnstored } from '../io/unstored.ts';
import { fillNaN, freeNodata, lowestSingle, usualNodata } from './nodata.ts';
import type { writeParameters } from './parameters.ts';
import { doubleText, NumberWriter, singleText } from './text.ts';

const numbersPerPiece = 1 << 14;

export const write: Write<typeof writeParameters, 'grid'> = async (grid, _parameters, sink, context) => {
  needsStep(grid);
  const size = cellSize(grid);
  reportLosses(grid, context);
  const single = firstRaster(grid);
  if (grid.affine[5] < 0) return writeRows(single, size, sink, grid.affine[3] - grid.height * size, context);
  await using flipped = await flipRows(single, context);
  await writeRows(flipped.grid, size, sink, grid.affine[3], context);
};

/** The grid with only the first band, step and layer. */
function firstRaster({ time: _, layers: __, bands, ...rest }: Grid): Grid {
  return { ...rest, bands: [bands[0]!] };
}

/** @throws ConversionError if the grid is rotated or its cells are not square, which the format cannot store */
function cellSize({ affine: [, dx, xRotation, , yRotation, dy], width, height }: Grid): number {
  const remedy = 'Add a crsTransformation, which resamples to an upright grid with square cells.';
  if (xRotation !== 0 || yRotation !== 0 || dx < 0)
    throw new ConversionError(`The grid is rotated or mirrored, which an ASCII grid cannot store. ${remedy}`);
  // Cell sizes are often rounded: tolerate a difference of a thousandth of a cell over the whole grid.
  if (Math.abs(dx - Math.abs(dy)) * Math.max(width, height) > dx / 1000)
    throw new ConversionError(`The cells are ${dx} × ${Math.abs(dy)}. An ASCII grid needs square cells. ${remedy}`);
  return dx;
}

/** Reports what of the grid the format cannot store. */
function reportLosses(grid: Grid, context: Context): void {
  const { reportLoss } = context;
  if (grid.crs !== undefined)
    reportLoss(`An ASCII grid does not store its coordinate system, which is ${crsName(grid.crs)}.`, 'crs');
  const [first, ...others] = grid.bands;
  if (others.length > 0) {
    const names = others.slice(0, 10).map((band, n) => `'${band.name?.slice(0, 80) ?? `Band ${n + 2}`}'`);
    const more = others.length > names.length ? ', …' : '';
    context.reportLoss(
      `An ASCII grid holds one band; ${names.join(', ')}${more} ${others.length === 1 ? 'was' : 'were'} left out.`,
      'units',
      'quantities',
      'valueKinds',
    );
  }
  reportUnstored([first!], 'An ASCII grid', ['quantity', 'valueKind'], context);
  if (stepsOf(grid) > 1)
    reportLoss(`An ASCII grid holds no time; only the first of ${stepsOf(grid)} steps was kept.`, 'times');
  if (layersOf(grid) > 1)
    reportLoss(`An ASCII grid holds one layer; only the lowest of ${layersOf(grid)} was kept.`, 'layers');
  const { name, unit, scale = 1, offset = 0, role } = grid.bands[0]!;
  const item = [name === undefined ? [] : `'${name}'`, unit === undefined ? [] : `in ${unit}`].flat().join(' ');
  if (item !== '') reportLoss(`An ASCII grid does not store name and unit of its values, which are ${item}.`, 'units');
  if (scale !== 1 || offset !== 0)
    reportLoss(
      `Values were written as stored, without scale and offset. The real value is value · ${scale} + ${offset}.`,
    );
  if (role === 'palette') reportLoss('An ASCII grid does not store a colour table; it was left out.');
}

/**
 * Writes the cells as text. A grid with the nodata value NaN, or with NaN cells and no nodata value, gets −9999 or, if
 * cells have that value, the nearest free integer. Starts again when a pass shows that a nodata value is missing or is
 * the value of a cell with data.
 */
async function writeRows(grid: Grid, size: number, sink: ByteSink, bottom: number, context: Context): Promise<void> {
  const declared = grid.bands[0]!.nodata;
  // Few programs read the word nan, so write a number instead.
  let nodata = Number.isNaN(declared) ? usualNodata : declared;
  for (;;) {
    const clash = await tryRows(grid, { size, bottom, nodata, made: nodata !== declared }, sink, context);
    if (clash === undefined) return;
    if (nodata === lowestSingle)
      throw new ConversionError(
        'The grid has cells without data, and its other cells hold every possible nodata value. Write a GeoTIFF, which can store both.',
      );
    nodata = clash === 'undeclared' ? usualNodata : await freeNodata(grid, context.signal);
    await sink.restart();
  }
}

interface Layout {
  size: number;
  bottom: number;
  nodata: number | undefined;
  /** The grid does not declare this nodata value itself, so no cell with data may have it. */
  made: boolean;
}

/**
 * @returns why the text must be written again: NaN cells but no nodata value, or a cell with data that has the nodata
 * value
 */
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
    // 64-bit integers have more digits than doubles.
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
    releaseBuffer(block.samples);
  }
  if (wholeFloats)
    context.reportLoss(`All values are integers. An ASCII grid does not store that their type was ${type}.`);
  return undefined;
}

function header(grid: Grid, size: number, bottom: number, type: SampleType, nodata: number | undefined): Buffer {
  const { nodata: declared, exactNodata } = grid.bands[0]!;
  const lines = [`ncols ${grid.width}`, `nrows ${grid.height}`, `xllcorner ${grid.affine[0]}`, `yllcorner ${bottom}`];
  lines.push(`cellsize ${size}`);
  // Spelled as in the cells.
  if (nodata !== undefined) {
    const text = type === 'Float32' ? singleText(nodata) : doubleText(nodata);
    lines.push(`NODATA_value ${nodata === declared ? (exactNodata ?? text) : text}`);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}
