import type { ByteSource } from '../../data/bytes.ts';
import type { Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { decimalNumber } from '../io/decimal.ts';
import { LineWords, wholeLines } from '../io/line-words.ts';
import { parseNumber } from '../io/number-word.ts';
import { maxColumns } from './parameters.ts';

/** Blanks, tabs, commas and semicolons, in any number; the carriage return of Windows lines. */
export const separators = ' \t,;\r';
export const comment = 35;

/** Maximum length of a header in bytes. */
const longestHeader = 1 << 20;

/** Columns of a file of points. */
export interface Layout {
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
 * Finds the first line with numbers in the columns of x, y and z. Lines before it are a header, of which the last names the columns if it
 * has as many words.
 */
export async function readLayout(source: ByteSource, zColumn: number): Promise<Layout> {
  const words = new LineWords(separators, maxColumns);
  let names: string[] = [];
  let line = 0;
  for await (const { bytes, end, base } of wholeLines(source, await afterMark(source))) {
    for (let at = 0; at < end; ) {
      const start = at;
      at = words.read(bytes, at);
      line++;
      if (words.count === 0 || bytes[words.starts[0]!] === comment) continue;
      const wordsOf = (n: number) => [words.starts[n]!, words.ends[n]!] as const;
      const isNumber = (n: number) => numberAt(bytes, ...wordsOf(n)) !== undefined;
      if (words.count > maxColumns)
        throw new FormatError(`Line ${line} has ${words.count} columns. The maximum is ${maxColumns}.`, base + start);
      if (words.count > zColumn && [0, 1, zColumn].every(isNumber)) {
        const numbers = Array.from({ length: words.count }, (_, n) => n).findIndex((n) => !isNumber(n));
        checkSeparators(gaps(bytes, words, numbers < 0 ? words.count : numbers), line, base + start);
        const fieldColumns = Array.from({ length: words.count }, (_, n) => n).slice(2);
        fieldColumns.splice(fieldColumns.indexOf(zColumn), 1);
        const named = names.length === words.count ? names : [];
        const fields = fieldColumns.map(
          (column): Field => ({
            name: named[column] ?? `Column ${column + 1}`,
            type: isNumber(column) ? 'real' : 'string',
          }),
        );
        return { columns: words.count, zColumn, fields: distinct(fields), fieldColumns, start: base + start, line };
      }
      names = Array.from({ length: words.count }, (_, n) => bytes.toString('utf8', ...wordsOf(n)));
    }
    if (base + end >= longestHeader) break;
  }
  const column = zColumn === 2 ? '' : ` (z in column ${zColumn + 1}, as ZColumnIndex ${zColumn} asks)`;
  throw new FormatError(`No line of the file begins with the numbers of a point: x, y, z${column}.`, 0);
}

/** The texts between the first words of a line. */
const gaps = (bytes: Buffer, { starts, ends }: LineWords, count: number): string[] =>
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
  const taken = new Set<string>();
  return fields.map((field) => {
    let { name } = field;
    for (let n = 2; taken.has(name); n++) name = `${field.name}_${n}`;
    taken.add(name);
    return { ...field, name };
  });
}
