import { pooledSamples, releaseBuffer } from '../../data/buffer-pool.ts';
import type { ByteSource } from '../../data/bytes.ts';
import type { RowBlock } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { FormatError } from '../../errors.ts';
import type { Context, Read } from '../define.ts';
import { type AsciiHeader, readHeader } from './header.ts';
import { usualNodata } from './nodata.ts';
import { longestWord, NumberScanner } from './numbers.ts';
import type { readParameters } from './parameters.ts';

const shownWord = (word: string) => word.slice(0, 40).replace(/[^\x20-\x7e]/g, '?');

const chunk = 1 << 20;
const cellsPerBlock = 1 << 16;

export const read: Read<typeof readParameters> = async (source, _parameters, context) => {
  const header = await readHeader(source);
  if (header.nodataWord !== undefined)
    context.remark(`NODATA_value is the word '${shownWord(header.nodataWord)}': cells with this word have no data.`);
  const { width, height, affine, nodata } =
    context.onBadRecord === 'skip' ? await reportBadCells(source, header, context) : header;
  const numbers = await sampleNumbers(source, { ...header, ...(nodata === undefined ? {} : { nodata }) });
  const replacement = context.onBadRecord === 'skip' && nodata !== undefined ? () => nodata : undefined;
  return {
    kind: 'grid',
    width,
    height,
    affine,
    bands: [nodata === undefined ? {} : { nodata }],
    rows: () => rows(source, header, { numbers, replacement, context }),
  };
};

/**
 * Scans all values and reports words that are not numbers as bad records. This needs a pass of its own: rows may be
 * pulled twice, but bad records are reported once, and a file without a nodata value gets one only if it has such
 * words. Returns the header with that value.
 */
async function reportBadCells(source: ByteSource, header: AsciiHeader, context: Context): Promise<AsciiHeader> {
  const {
    width,
    height,
    affine: [left, dx, , top, , dy],
    nodata = usualNodata,
  } = header;
  let cell = 0;
  let bad = 0;
  const scanner = new NumberScanner(
    cellsPerBlock,
    (reason, index) => {
      const at = cell + index;
      // Surplus values are refused when rows are read.
      if (at >= width * height) return nodata;
      bad++;
      const [column, row] = [at % width, Math.floor(at / width)];
      context.reportBadRecord({ number: at + 1, reason, x: left + (column + 0.5) * dx, y: top + (row + 0.5) * dy });
      return nodata;
    },
    header.nodataWord,
  );
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
  context.reportLoss(`${bad} cells contain words that are not numbers. They became cells without data (${nodata}).`);
  return { ...header, nodata };
}

/** Properties of all numbers so far: integers, and exact in Float32. Once false they stay false. */
interface Numbers {
  whole: boolean;
  single: boolean;
}

/**
 * Scans samples from all over the file, so that the sample type is nearly always known before the first row is pulled.
 */
async function sampleNumbers(source: ByteSource, { end, nodata, nodataWord }: AsciiHeader): Promise<Numbers> {
  const pieces = 16;
  const length = 1 << 15;
  const scanner = new NumberScanner(length, undefined, nodataWord);
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
      // Reading the rows will report this error, unless another one comes first.
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return { whole: scanner.whole, single: scanner.single };
}

async function* rows(
  source: ByteSource,
  header: AsciiHeader,
  { numbers, replacement, context }: { numbers: Numbers; replacement: (() => number) | undefined; context: Context },
): AsyncGenerator<RowBlock> {
  const { width, height } = header;
  const rowsPerBlock = Math.min(height, Math.max(1, Math.floor(cellsPerBlock / width)));
  const scanner = new NumberScanner(rowsPerBlock * width, replacement, header.nodataWord);
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
    if (firstRow === height) refuseSurplus(header, bytes, at, end, base);
  }
  if (scanner.rounded) context.reportLoss('Integers above 2^53 were rounded to 53 bits.');
  if (firstRow < height) {
    const values = firstRow * width + scanner.count;
    throw new FormatError(`The grid ends after ${values} of ${width * height} values.`, source.size);
  }
}

/** Takes the scanned values, in the narrowest type that fits all values so far. */
function take(scanner: NumberScanner, numbers: Numbers): Samples {
  const values = scanner.values.subarray(0, scanner.count);
  scanner.count = 0;
  numbers.whole &&= scanner.whole;
  numbers.single &&= scanner.single;
  const samples = pooledSamples(numbers.whole ? 'Int32' : numbers.single ? 'Float32' : 'Float64', values.length);
  samples.set(values);
  return samples;
}

function refuseSurplus(header: AsciiHeader, bytes: Uint8Array, from: number, end: number, base: number): void {
  let at = from;
  while (at < end && bytes[at]! <= 32) at++;
  if (at < end)
    throw new FormatError(
      `The header declares ${header.width} × ${header.height} values, but the file has more.`,
      base + at,
    );
}

/** Reads the file in chunks that end after a blank. A word at the end of a chunk is read again with the next chunk. */
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
      throw new FormatError(`A word of more than ${longestWord} bytes is not a number.`, base + end);
    next = source.read(base + end, chunk);
    // If parsing this chunk throws, nobody awaits the next read: do not report its failure as unhandled.
    next.catch(() => undefined);
    yield { bytes, end, base };
    releaseBuffer(bytes);
    base += end;
  }
}
