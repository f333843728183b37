import { daysInMonth, isDate, isDateTime } from '../../../data/date-text.ts';
import type { FieldType } from '../../../data/feature-collection.ts';
import { isNanWord, type Numbers } from './numbers.ts';
import { cellForm, type Rows } from './rows.ts';

/** Digits that always fit into 32 bits, and into 64. */
const [shortInteger, longInteger] = [9, 18];
const order: readonly FieldType[] = ['boolean', 'integer', 'integer64', 'real'];

/** The narrowest type of a cell; undefined for an empty one. */
export function readCellType(rows: Rows, column: number, numbers: Numbers): FieldType | undefined {
  if (column >= rows.count) return undefined;
  const { bytes } = rows;
  let start = rows.starts[column]!;
  let end = rows.ends[column]!;
  if (rows.isText(column)) return 'string';
  while (start < end && bytes[start] === 32) start++;
  while (end > start && bytes[end - 1] === 32) end--;
  if (start === end) return undefined;
  const first = bytes[start]!;
  if (first <= 57) {
    const signed = first === 45 || first === 43 ? start + 1 : start;
    let at = signed;
    while (at < end && bytes[at]! >= 48 && bytes[at]! <= 57) at++;
    const digits = at - signed;
    if (at === end && digits > 0) return integerType(bytes, start, end, signed);
    // Codes such as 007 and 04.1 are no numbers.
    const isCode = digits > 1 && bytes[signed] === 48;
    if (!isCode && !Number.isNaN(numbers.parse(bytes, start, end))) return 'real';
    return digits === 4 ? timeType(bytes, start, end) : 'string';
  }
  if (isNanWord(bytes, start, end)) return 'real';
  return isBoolean(bytes, start, end) ? 'boolean' : 'string';
}

function integerType(bytes: Buffer, start: number, end: number, signed: number): FieldType {
  const digits = end - signed;
  if (digits > 1 && bytes[signed] === 48) return 'string';
  if (digits <= shortInteger) return 'integer';
  if (digits <= longInteger && digits > 10) return 'integer64';
  if (digits > longInteger + 1) return 'string';
  const value = BigInt(bytes.toString('latin1', bytes[start] === 43 ? signed : start, end));
  if (BigInt.asIntN(32, value) === value) return 'integer';
  return BigInt.asIntN(64, value) === value ? 'integer64' : 'string';
}

function timeType(bytes: Buffer, start: number, end: number): FieldType {
  const length = end - start;
  if (length < 10 || length > 40 || (bytes[start + 4] !== 45 && bytes[start + 4] !== 47)) return 'string';
  if (isUsualDateTime(bytes, start, end)) return 'dateTime';
  const text = bytes.toString('latin1', start, end);
  return isDate(text) ? 'date' : isDateTime(text) ? 'dateTime' : 'string';
}

/** Whether a cell is a time in the usual form `2020-01-31T23:59:59`. Makes no string, unlike `isDateTime`. */
function isUsualDateTime(bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== 19) return false;
  for (let n = 0; n < 19; n++) {
    const byte = bytes[start + n]!;
    const mark = usualDateTime[n]!;
    if (mark === 48 ? !isDigit(byte) : byte !== mark && !(n === 10 && byte === 32)) return false;
  }
  const pair = (at: number) => 10 * bytes[start + at]! + bytes[start + at + 1]! - 528;
  const month = pair(5);
  const date = pair(8);
  if (month < 1 || month > 12 || date < 1 || date > daysInMonth(100 * pair(0) + pair(2), month)) return false;
  return pair(11) <= 23 && pair(14) <= 59 && pair(17) <= 59;
}

/** 0 stands for a digit. */
const usualDateTime = Buffer.from('0000-00-00T00:00:00');

function isBoolean(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length !== 4 && length !== 5) return false;
  const word = bytes.toString('latin1', start, end).toLowerCase();
  return word === 'true' || word === 'false';
}

/** The type that holds values of both. */
export function commonFieldType(a: FieldType | undefined, b: FieldType | undefined): FieldType | undefined {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  const [i, j] = [order.indexOf(a), order.indexOf(b)];
  if (i > 0 && j > 0) return order[Math.max(i, j)];
  if ((a === 'date' && b === 'dateTime') || (a === 'dateTime' && b === 'date')) return 'dateTime';
  return 'string';
}

/** The value of a cell in the type of its field; null for an empty cell. */
export function readCell(rows: Rows, column: number, type: FieldType, numbers: Numbers): unknown {
  if (column >= rows.count) return null;
  if (type === 'string') {
    if (rows.starts[column] === rows.ends[column]) return rows.forms[column] === cellForm.plain ? null : '';
    return rows.text(column);
  }
  rows.trim(column);
  const { bytes } = rows;
  const start = rows.starts[column]!;
  const end = rows.ends[column]!;
  if (start === end) return null;
  switch (type) {
    case 'integer':
    case 'integer64':
    case 'real': {
      const value = numbers.parse(bytes, start, end);
      if (Number.isNaN(value)) return null;
      return end - start <= 15 || Number.isSafeInteger(value) ? value : exactInteger(bytes, start, end, value);
    }
    case 'boolean':
      return end - start === 4;
  }
  return bytes.toString('latin1', start, end);
}

/** An integer that a double may not hold, also beside reals; other numbers as they are. */
function exactInteger(bytes: Buffer, start: number, end: number, value: number): number | bigint {
  const signed = bytes[start] === 45 || bytes[start] === 43 ? start + 1 : start;
  for (let at = signed; at < end; at++) if (!isDigit(bytes[at]!)) return value;
  return BigInt(bytes.toString('latin1', bytes[start] === 43 ? signed : start, end));
}

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;
