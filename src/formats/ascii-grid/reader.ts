import { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import type { RowBlock } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { giveBack, spareSamples } from '../../data/spare-memory.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { defineReader } from '../define.ts';
import { withDetectedFormat } from '../detect.ts';
import { Srid } from '../srid.ts';
import type { AsciiHeader } from './header.ts';
import { readHeader } from './header.ts';
import { usualNodata } from './nodata.ts';
import { longestWord, NumberScanner } from './numbers.ts';

const chunk = 1 << 20;
const cellsPerBlock = 1 << 16;

export const asciiGridReader = defineReader({
  name: 'AsciiGridReader',
  description: 'A grid in ESRI ASCII form (.asc): square cells, one band, without a coordinate system of its own.',
  format: 'asciigrid',
  produces: 'grid',
  has: ['place', 'items'],
  parameters: z.object({
    SRID: Srid.describe('Number of the coordinate system, such as 25832; the file itself names none.').optional(),
  }),
  async read(source, _parameters, context) {
    const header = await headerOf(source);
    const { width, height, affine, nodata } =
      context.onBadRecord === 'skip' ? await forgive(source, header, context) : header;
    const numbers = await survey(source, { ...header, ...(nodata === undefined ? {} : { nodata }) });
    const instead = context.onBadRecord === 'skip' && nodata !== undefined ? () => nodata : undefined;
    return {
      kind: 'grid',
      width,
      height,
      affine,
      bands: [nodata === undefined ? {} : { nodata }],
      rows: () => rows(source, header, { numbers, instead, context }),
    };
  },
});

async function headerOf(source: ByteSource): Promise<AsciiHeader> {
  try {
    return await readHeader(source);
  } catch (error) {
    throw await withDetectedFormat(error, source, 'asciigrid');
  }
}

/**
 * Looks for words that are no numbers before any row is handed over: rows may be asked for twice, and a file without a value for cells
 * without data gets one only when it has such words.
 */
async function forgive(source: ByteSource, header: AsciiHeader, context: Context): Promise<AsciiHeader> {
  const {
    width,
    height,
    affine: [left, dx, , top, , dy],
    nodata = usualNodata,
  } = header;
  let cell = 0;
  let bad = 0;
  const scanner = new NumberScanner(cellsPerBlock, (reason, index) => {
    const at = cell + index;
    // What comes too late to be a cell ends the reading later.
    if (at >= width * height) return nodata;
    bad++;
    const [column, row] = [at % width, Math.floor(at / width)];
    context.badRecord({ number: at + 1, reason, x: left + (column + 0.5) * dx, y: top + (row + 0.5) * dy });
    return nodata;
  });
  for await (const { bytes, end, base } of words(source, header.end)) {
    context.signal.throwIfAborted();
    for (let at = 0; ; ) {
      at = scanner.scan(bytes, at, end, base);
      const full = scanner.count === cellsPerBlock;
      cell += scanner.count;
      scanner.count = 0;
      if (!full) break;
    }
  }
  if (bad === 0) return header;
  context.lost(`Words that are no numbers stand for cells without data: ${bad} cells hold ${nodata} in their place.`);
  return { ...header, nodata };
}

/** What all numbers seen so far have in common; once false it stays false. */
interface Numbers {
  whole: boolean;
  single: boolean;
}

/** Looks at pieces from all over the file, so that the type of the numbers is nearly always known before the first row is asked for. */
async function survey(source: ByteSource, { end, nodata }: AsciiHeader): Promise<Numbers> {
  const pieces = 16;
  const length = 1 << 15;
  const scanner = new NumberScanner(length);
  if (nodata !== undefined) {
    const text = Buffer.from(`${nodata} `);
    scanner.scan(text, 0, text.length, 0);
  }
  for (let piece = 0; piece < pieces; piece++) {
    const offset = end + Math.floor(((source.size - end) * piece) / pieces);
    const bytes = await source.read(offset, length);
    let from = 0;
    if (piece > 0) while (from < bytes.length && bytes[from]! > 32) from++;
    let to = bytes.length;
    while (to > from && bytes[to - 1]! > 32) to--;
    scanner.count = 0;
    try {
      scanner.scan(bytes, from, to, offset);
    } catch (error) {
      // The pass over all values will say it, unless the file is refused for something that comes first.
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return { whole: scanner.whole, single: scanner.single };
}

async function* rows(
  source: ByteSource,
  header: AsciiHeader,
  { numbers, instead, context }: { numbers: Numbers; instead: (() => number) | undefined; context: Context },
): AsyncGenerator<RowBlock> {
  const { width, height } = header;
  const rowsPerBlock = Math.min(height, Math.max(1, Math.floor(cellsPerBlock / width)));
  const scanner = new NumberScanner(rowsPerBlock * width, instead);
  let firstRow = 0;
  for await (const { bytes, end, base } of words(source, header.end)) {
    let at = 0;
    while (firstRow < height) {
      const rowCount = Math.min(rowsPerBlock, height - firstRow);
      at = scanner.scan(bytes, at, end, base, rowCount * width);
      if (scanner.count < rowCount * width) break;
      yield { firstRow, rowCount, samples: take(scanner, numbers) };
      firstRow += rowCount;
    }
    if (firstRow === height) refuseMore(header, bytes, at, end, base);
  }
  if (scanner.rounded) context.lost('Whole numbers beyond 2^53 were rounded to 53 bits.');
  if (firstRow < height) {
    const values = firstRow * width + scanner.count;
    throw new FormatError(`The grid ends after ${values} of ${width * height} values.`, source.size);
  }
}

/** The values of a full block in the narrowest type for all so far. */
function take(scanner: NumberScanner, numbers: Numbers): Samples {
  const values = scanner.values.subarray(0, scanner.count);
  scanner.count = 0;
  numbers.whole &&= scanner.whole;
  numbers.single &&= scanner.single;
  const samples = spareSamples(numbers.whole ? 'Int32' : numbers.single ? 'Float32' : 'Float64', values.length);
  samples.set(values);
  return samples;
}

function refuseMore(header: AsciiHeader, bytes: Uint8Array, from: number, end: number, base: number): void {
  let at = from;
  while (at < end && bytes[at]! <= 32) at++;
  if (at < end)
    throw new FormatError(
      `The header promises ${header.width} × ${header.height} values, but there are more.`,
      base + at,
    );
}

/** Pieces of the file that end behind a blank; a word that a piece cuts is read again with the next one. */
async function* words(source: ByteSource, from: number) {
  let base = from;
  let next = source.read(base, chunk);
  while (base < source.size) {
    let bytes = await next;
    let end = bytes.length;
    if (base + end >= source.size) {
      if (bytes[end - 1]! > 32) bytes = Buffer.concat([bytes, Buffer.from(' ')]);
      yield { bytes, end: bytes.length, base };
      return;
    }
    if (end < chunk) throw new Error(`The input ended at byte ${base + end} of ${source.size}.`);
    while (end > 0 && bytes[end - 1]! > 32) end--;
    if (bytes.length - end > longestWord)
      throw new FormatError(`A word of more than ${longestWord} bytes is no number.`, base + end);
    next = source.read(base + end, chunk);
    // An error while the piece is parsed must not leave this one unheard.
    next.catch(() => undefined);
    yield { bytes, end, base };
    giveBack(bytes);
    base += end;
  }
}
