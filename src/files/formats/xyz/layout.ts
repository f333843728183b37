import { isUtf8 } from 'node:buffer';
import type { ByteSource } from '../../data/bytes.ts';
import { distinctName } from '../../data/distinct-name.ts';
import type { Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { decimalNumber } from '../io/decimal.ts';
import { wholeLines } from '../io/line-words.ts';
import { parseNumber } from '../io/number-word.ts';
import { maxColumns } from './parameters.ts';
import { blanksOfLine, type Columns, cellsOfLine, PointLine, runsOfLine, type Separation } from './point-line.ts';

export const comment = 35;
const quote = 34;
/** Number of lines from which the types of columns are inferred. */
const SAMPLED = 1000;

/** Maximum length of a header in bytes. */
const longestHeader = 1 << 20;

/** Columns of a file of points. */
export interface Layout {
  readonly separation: Separation;
  readonly columns: number;
  readonly zColumn: number;
  /** Columns other than coordinates, as fields. */
  readonly fields: readonly Field[];
  readonly fieldColumns: readonly number[];
  /** Byte offset and line number of the first line of numbers. */
  readonly start: number;
  readonly line: number;
}

export const numberAt = (bytes: Buffer, start: number, end: number): number | undefined =>
  decimalNumber(bytes, start, end) ?? parseNumber(bytes.toString('latin1', start, end));

/**
 * Finds the first line with numbers in the columns of x, y and z; the cell of z may be empty. Lines before it are a
 * header, of which the last names the columns if it has as many. Types are those of the first values of the columns.
 */
export async function readLayout(source: ByteSource, zColumn: number): Promise<Layout> {
  const first = new FirstLine(zColumn);
  let line = 0;
  for await (const { bytes, end, base } of wholeLines(source, await afterMark(source))) {
    for (let at = 0; at < end; ) {
      line++;
      const start = at;
      at = first.read(bytes, at, line, base);
      if (first.separation === undefined) continue;
      const { separation, columns, names } = first.settle(bytes, start, end);
      const fieldColumns = Array.from({ length: columns }, (_, n) => n).slice(2);
      fieldColumns.splice(fieldColumns.indexOf(zColumn), 1);
      const types = chooseTypes(bytes, { start, end, separation, columns });
      const fields = fieldColumns.map(
        (column): Field => ({ name: names[column] || `Column ${column + 1}`, type: types[column] ?? 'real' }),
      );
      return { separation, columns, zColumn, fields: distinct(fields), fieldColumns, start: base + start, line };
    }
    if (base + end >= longestHeader) break;
  }
  const column = zColumn === 2 ? '' : ` (z in column ${zColumn + 1}, as ZColumnIndex ${zColumn} asks)`;
  throw new FormatError(`No line of the file begins with the numbers of a point: x, y, z${column}.`, 0);
}

/** Looks for the first line of numbers, in each way in which its columns can be separated. */
class FirstLine {
  /** Undefined before the line is found. */
  separation: Separation | undefined;
  readonly #cells = cellsOfLine();
  readonly #blanks = blanksOfLine();
  readonly #runs = runsOfLine();
  readonly #zColumn: number;
  /** Words of the last line of the header: as it is separated, and by runs of all separators. */
  #names: readonly (readonly string[])[] = [];

  constructor(zColumn: number) {
    this.#zColumn = zColumn;
  }

  /** Reads the line that begins at `from` and returns the beginning of the next one. */
  read(bytes: Buffer, from: number, line: number, base: number): number {
    const next = this.#cells.read(bytes, from);
    this.#runs.read(bytes, from);
    const hasCells = this.#cells.count > 1;
    if (!hasCells) this.#blanks.read(bytes, from);
    const own = hasCells ? this.#cells : this.#blanks;
    if (own.count === 0 || this.#runs.count === 0 || bytes[own.starts[0]!] === comment) return next;
    if (own.count > maxColumns)
      throw new FormatError(`Line ${line} has ${own.count} columns. The maximum is ${maxColumns}.`, base + from);
    const isPoint = this.#isPoint(bytes, own, hasCells);
    if (isPoint || this.#isPoint(bytes, this.#runs, false)) {
      const columns = isPoint ? own : this.#runs;
      const words = Array.from({ length: columns.count }, (_, n) => n).findIndex((n) => !isNumber(bytes, columns, n));
      checkSeparators(gaps(bytes, columns, words < 0 ? columns.count : words), line, base + from);
      this.separation = isPoint ? (hasCells ? 'cells' : 'blanks') : 'runs';
    } else
      this.#names = [own, this.#runs].map((columns) =>
        Array.from({ length: columns.count }, (_, n) => textAt(bytes, columns, n)),
      );
    return next;
  }

  #isPoint(bytes: Buffer, columns: Columns, mayLackZ: boolean): boolean {
    if (columns.count <= this.#zColumn || ![0, 1].every((n) => isNumber(bytes, columns, n))) return false;
    return isNumber(bytes, columns, this.#zColumn) || (mayLackZ && isEmpty(columns, this.#zColumn));
  }

  /**
   * Separation, number and names of the columns. Columns at the end that have neither a name nor a value in the next
   * lines are left out: lines may end with a separator.
   */
  settle(bytes: Buffer, start: number, end: number) {
    const separation = this.separation!;
    const { count } = { cells: this.#cells, blanks: this.#blanks, runs: this.#runs }[separation];
    const named = this.#names.map((names) => names.slice(0, names.findLastIndex((name) => name !== '') + 1));
    let columns = count;
    if (separation === 'cells') {
      const most = Math.max(0, ...named.map(({ length }) => (length <= count ? length : 0)));
      columns = Math.max(this.#zColumn + 1, most);
      for (let at = start, n = 0; at < end && n < SAMPLED; n++) {
        at = this.#cells.read(bytes, at);
        if (this.#cells.count === count) columns = Math.max(columns, this.#cells.filled);
      }
    }
    return { separation, columns, names: named.find(({ length }) => length === columns) ?? [] };
  }
}

/** The types of the columns that have values in the next lines. */
function chooseTypes(
  bytes: Buffer,
  { start, end, separation, columns }: { start: number; end: number; separation: Separation; columns: number },
): (Field['type'] | undefined)[] {
  const line = new PointLine(separation, columns);
  const types = new Array<Field['type'] | undefined>(columns);
  for (let at = start, n = 0; at < end && n < SAMPLED && types.includes(undefined); n++) {
    at = line.read(bytes, at);
    if (line.count !== columns || bytes[line.starts[0]!] === comment) continue;
    for (let column = 0; column < columns; column++)
      if (!isEmpty(line, column)) types[column] ??= isNumber(bytes, line, column) ? 'real' : 'string';
  }
  return types;
}

export const isEmpty = ({ starts, ends }: Columns, column: number): boolean => starts[column] === ends[column];

const isNumber = (bytes: Buffer, { starts, ends }: Columns, column: number): boolean =>
  numberAt(bytes, starts[column]!, ends[column]!) !== undefined;

const cp1252 = new TextDecoder('windows-1252');

/** UTF-8, or Windows-1252 where it is not valid. */
export function textAt(bytes: Buffer, { starts, ends }: Columns, column: number): string {
  const start = starts[column]!;
  const slice = bytes.subarray(start, ends[column]!);
  const text = isUtf8(slice) ? slice.toString('utf8') : cp1252.decode(slice);
  return bytes[start - 1] === quote ? text.replaceAll('""', '"') : text;
}

/** The texts between the first words of a line. */
const gaps = (bytes: Buffer, { starts, ends }: Columns, count: number): string[] =>
  Array.from({ length: count - 1 }, (_, n) => bytes.toString('latin1', ends[n]!, starts[n + 1]!));

/** @throws FormatError for a line of numbers that has other columns than a person sees in it */
function checkSeparators(between: readonly string[], line: number, offset: number): void {
  if (between.some((gap) => gap.includes('\r')))
    throw new FormatError(`Line ${line} ends with a carriage return only. End lines with a line feed.`, offset);
  if (between.includes(',') && between.some((gap) => !gap.includes(',')))
    throw new FormatError(
      `Line ${line} separates some numbers by a comma alone and others without one. Write decimal points, or separate all columns alike.`,
      offset,
    );
}

/** Offset after a byte order mark. */
async function afterMark(source: ByteSource): Promise<number> {
  const [a, b, c] = await source.read(0, 3);
  return a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
}

/** Gives fields of the same name the endings `_2`, `_3` … */
function distinct(fields: readonly Field[]): Field[] {
  const usedNames = new Set<string>();
  return fields.map((field) => ({ ...field, name: distinctName(field.name, usedNames) }));
}
