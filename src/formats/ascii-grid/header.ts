import type { ByteSource } from '../../data/bytes.ts';
import type { Affine } from '../../data/grid.ts';
import { FormatError } from '../../errors.ts';
import { parseNumber } from '../io/number-word.ts';

export interface AsciiHeader {
  width: number;
  height: number;
  affine: Affine;
  nodata?: number;
  /** Byte where the values begin. */
  end: number;
}

/** A header has a handful of short lines; blanks and a byte order mark in front are allowed for. */
const longestHeader = 4096;
/** As in GDAL; a row is held in memory. */
const mostColumns = 10_000_000;

const spellings: Readonly<Record<string, string>> = {
  xllcentre: 'xllcenter',
  yllcentre: 'yllcenter',
  nodata_value: 'nodata',
  nodatavalue: 'nodata',
};
const keys = new Set([
  'ncols',
  'nrows',
  'xllcorner',
  'yllcorner',
  'xllcenter',
  'yllcenter',
  'cellsize',
  'dx',
  'dy',
  'nodata',
]);

/** Keys in any case and order, each followed by its number. The values begin at the first word that is a number in a key's place. */
export async function readHeader(source: ByteSource): Promise<AsciiHeader> {
  const bytes = await source.read(0, longestHeader);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const found = new Map<string, { value: number; offset: number }>();
  const words = /[^\s\0]+/g;
  words.lastIndex = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  let end = text.length;
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    if (parseNumber(word[0]) !== undefined) {
      end = word.index;
      break;
    }
    const lower = word[0].toLowerCase().replace(/[:=]$/, '');
    const key = spellings[lower] ?? lower;
    if (!keys.has(key)) {
      const shown = word[0].slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
      throw new FormatError(`'${shown}' is not a key of an ASCII grid's header.`, word.index);
    }
    if (found.has(key)) throw new FormatError(`The header has '${word[0]}' twice.`, word.index);
    const next = words.exec(text);
    const value = next === null ? undefined : parseNumber(next[0]);
    if (next === null || value === undefined)
      throw new FormatError(`The header's '${word[0]}' is not followed by a number.`, word.index);
    found.set(key, { value, offset: next.index });
  }
  return interpret(found, end, source.size);
}

function interpret(found: Map<string, { value: number; offset: number }>, end: number, size: number): AsciiHeader {
  const width = countOf(found, 'ncols');
  const height = countOf(found, 'nrows');
  if (width > mostColumns) throw new FormatError(`ncols is ${width}; at most ${mostColumns} are read.`, 0);
  // Each value takes a digit and, but for the last, a blank.
  const least = width * height * 2 - 1;
  if (least > size - end)
    throw new FormatError(
      `The header promises ${width} × ${height} values, which take at least ${least} bytes; ${size - end} follow.`,
      end,
    );
  const dx = sizeOf(found, 'dx', 'cellsize');
  const dy = sizeOf(found, 'dy', 'cellsize');
  const left = edgeOf(found, 'xll', dx);
  const bottom = edgeOf(found, 'yll', dy);
  const nodata = found.get('nodata')?.value;
  return {
    width,
    height,
    affine: [left, dx, 0, bottom + height * dy, 0, -dy],
    ...(nodata === undefined ? {} : { nodata }),
    end,
  };
}

function countOf(found: Map<string, { value: number; offset: number }>, key: string): number {
  const entry = found.get(key);
  if (entry === undefined) throw new FormatError(`The header has no ${key}.`, 0);
  if (!Number.isSafeInteger(entry.value) || entry.value < 1)
    throw new FormatError(`${key} is ${entry.value}; it must be a whole number above 0.`, entry.offset);
  return entry.value;
}

function sizeOf(found: Map<string, { value: number; offset: number }>, key: string, otherwise: string): number {
  const entry = found.get(key) ?? found.get(otherwise);
  if (entry === undefined) throw new FormatError(`The header has neither ${key} nor ${otherwise}.`, 0);
  if (!(entry.value > 0 && Number.isFinite(entry.value)))
    throw new FormatError(`The size of a cell is ${entry.value}; it must be above 0.`, entry.offset);
  return entry.value;
}

/** The lower or left edge of the grid, from the corner or the centre of its first cell. */
function edgeOf(found: Map<string, { value: number; offset: number }>, axis: string, cell: number): number {
  const corner = found.get(`${axis}corner`);
  const center = found.get(`${axis}center`);
  const entry = corner ?? center;
  if (entry === undefined) throw new FormatError(`The header has neither ${axis}corner nor ${axis}center.`, 0);
  if (corner !== undefined && center !== undefined)
    throw new FormatError(`The header has both ${axis}corner and ${axis}center.`, center.offset);
  if (!Number.isFinite(entry.value)) throw new FormatError(`The grid's place is ${entry.value}.`, entry.offset);
  return corner === undefined ? entry.value - 0.5 * cell : entry.value;
}
