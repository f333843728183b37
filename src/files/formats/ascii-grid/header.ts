import type { ByteSource } from '../../data/bytes.ts';
import type { Affine } from '../../data/grid.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from '../io/buffers.ts';
import { parseNumber } from '../io/number-word.ts';

export interface AsciiHeader {
  width: number;
  height: number;
  affine: Affine;
  nodata?: number;
  /** A word in place of the nodata value, in small letters: cells with it have no data. */
  nodataWord?: string;
  /** Offset of the first value. */
  end: number;
}

/** Maximum length of a header in bytes. It has a handful of short lines, perhaps after blanks and a byte order mark. */
const maxHeader = 4096;
/** As in GDAL. A row is held in memory. */
const maxColumns = 10_000_000;

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

function keyOf(word: string): string {
  const lower = word.toLowerCase().replace(/[:=]$/, '');
  return spellings[lower] ?? lower;
}

const isOtherKey = (word: string): boolean => keys.has(keyOf(word)) && keyOf(word) !== 'nodata';

/**
 * Reads keys in any letter case and order, each followed by its number, or by a word for the nodata value. The header
 * ends at the first number where a key is expected.
 */
export async function readHeader(source: ByteSource): Promise<AsciiHeader> {
  const text = (await readBuffer(source, 0, maxHeader)).toString('latin1');
  const found = new Map<string, { value: number; offset: number }>();
  const words = /[^\s\0]+/g;
  words.lastIndex = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  let end = text.length;
  let nodataWord: string | undefined;
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    if (parseNumber(word[0]) !== undefined) {
      end = word.index;
      break;
    }
    const key = keyOf(word[0]);
    if (!keys.has(key)) {
      const shown = word[0].slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
      throw new FormatError(`'${shown}' is not a header key of an ASCII grid.`, word.index);
    }
    if (found.has(key)) throw new FormatError(`The header has '${word[0]}' twice.`, word.index);
    const next = words.exec(text);
    const value = next === null ? undefined : parseNumber(next[0]);
    if (key === 'nodata' && value === undefined && next !== null && !isOtherKey(next[0])) {
      nodataWord = next[0].toLowerCase();
      found.set(key, { value: Number.NaN, offset: next.index });
      continue;
    }
    if (next === null || value === undefined)
      throw new FormatError(`The header key '${word[0]}' is not followed by a number.`, word.index);
    found.set(key, { value, offset: next.index });
  }
  return { ...interpret(found, end, source.size), ...(nodataWord === undefined ? {} : { nodataWord }) };
}

function interpret(found: Map<string, { value: number; offset: number }>, end: number, size: number): AsciiHeader {
  const width = readCount(found, 'ncols');
  const height = readCount(found, 'nrows');
  if (width > maxColumns) throw new FormatError(`ncols is ${width}. The maximum is ${maxColumns}.`, 0);
  // Each value takes at least a digit and, except for the last, a blank.
  const least = width * height * 2 - 1;
  if (least > size - end)
    throw new FormatError(
      `The header declares ${width} × ${height} values, which take at least ${least} bytes. Only ${size - end} bytes follow.`,
      end,
    );
  const dx = readCellSize(found, 'dx', 'cellsize');
  const dy = readCellSize(found, 'dy', 'cellsize');
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

function readCount(found: Map<string, { value: number; offset: number }>, key: string): number {
  const entry = found.get(key);
  if (entry === undefined) throw new FormatError(`The header has no ${key}.`, 0);
  if (!Number.isSafeInteger(entry.value) || entry.value < 1)
    throw new FormatError(`${key} is ${entry.value}. It must be an integer above 0.`, entry.offset);
  return entry.value;
}

function readCellSize(found: Map<string, { value: number; offset: number }>, key: string, otherwise: string): number {
  const entry = found.get(key) ?? found.get(otherwise);
  if (entry === undefined) throw new FormatError(`The header has neither ${key} nor ${otherwise}.`, 0);
  if (!(entry.value > 0 && Number.isFinite(entry.value)))
    throw new FormatError(`The cell size is ${entry.value}. It must be above 0.`, entry.offset);
  return entry.value;
}

/** The lower or left edge of the grid, from the key for the corner or for the centre of its first cell. */
function edgeOf(found: Map<string, { value: number; offset: number }>, axis: string, cell: number): number {
  const corner = found.get(`${axis}corner`);
  const center = found.get(`${axis}center`);
  const entry = corner ?? center;
  if (entry === undefined) throw new FormatError(`The header has neither ${axis}corner nor ${axis}center.`, 0);
  if (corner !== undefined && center !== undefined)
    throw new FormatError(`The header has both ${axis}corner and ${axis}center. Only one is allowed.`, center.offset);
  if (!Number.isFinite(entry.value))
    throw new FormatError(`The origin of the grid is ${entry.value}. It must be a finite number.`, entry.offset);
  return corner === undefined ? entry.value - 0.5 * cell : entry.value;
}
