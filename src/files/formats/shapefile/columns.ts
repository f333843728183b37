import { isDate } from '../../data/date-text.ts';
import type { Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { decimalNumber } from '../io/decimal.ts';
import type { Decode } from '../io/encoding.ts';
import { shown } from '../io/zip.ts';

/**
 * Field descriptor of a .dbf file. `offset`: of the values, in bytes from the start of a row; `place`: file offset of
 * the descriptor.
 */
export interface DbfColumn {
  name: Buffer;
  type: string;
  length: number;
  decimals: number;
  offset: number;
  place: number;
}

interface Table {
  /** dBase 7 stores binary numbers big-endian, with an inverted sign bit. */
  bigEndian: boolean;
  /** In Visual FoxPro, type `B` is a double; elsewhere it is the number of a memo. */
  foxPro: boolean;
}

interface ColumnReader {
  field: Omit<Field, 'name'>;
  value(bytes: Buffer, at: number): unknown;
}

type NamedColumn = Omit<DbfColumn, 'name'> & { name: string };

/** Undefined, with a reported loss, for a field whose values are in another file (memos, pictures). */
export function columnReader(
  column: NamedColumn,
  decode: Decode,
  table: Table,
  context: Context,
): ColumnReader | undefined {
  let reported = false;
  /** Returns null for an invalid value; reports the first one. */
  const invalid = (bytes: Buffer, at: number): null => {
    if (!reported) {
      reported = true;
      const text = shown(bytes.toString('latin1', at, at + column.length).trim());
      context.reportLoss(
        `Values of the field '${shown(column.name)}' that do not match its type, such as '${text}', became null.`,
      );
    }
    return null;
  };
  switch (column.type) {
    case 'C':
      return { field: { type: 'string', width: column.length }, value: textReader(column, decode, context) };
    case 'N':
    case 'F':
      return numberReader(column, invalid);
    case 'L':
      return { field: { type: 'boolean' }, value: logical };
    case 'D':
      return { field: { type: 'date' }, value: dateReader(column.length, invalid) };
    case 'I':
    case '+':
      checkLength(column, 4);
      return {
        field: { type: 'integer' },
        value: table.bigEndian
          ? (bytes, at) => (bytes.readUInt32BE(at) ^ 0x80000000) | 0
          : (bytes, at) => bytes.readInt32LE(at),
      };
    case 'O':
      checkLength(column, 8);
      return {
        field: { type: 'real' },
        value: table.bigEndian ? invertedDouble : (bytes, at) => bytes.readDoubleLE(at),
      };
    case 'B':
      if (!table.foxPro && column.length !== 8) break;
      checkLength(column, 8);
      return { field: { type: 'real' }, value: (bytes, at) => bytes.readDoubleLE(at) };
    case 'Y':
      checkLength(column, 8);
      return { field: { type: 'real' }, value: (bytes, at) => Number(bytes.readBigInt64LE(at)) / 10_000 };
    case '@':
    case 'T':
      checkLength(column, 8);
      return {
        field: { type: 'dateTime' },
        value: (bytes, at) => julianTime(bytes, at) ?? (bytes.readInt32LE(at) === 0 ? null : invalid(bytes, at)),
      };
  }
  context.reportLoss(
    `The field '${shown(column.name)}' of type '${shown(column.type)}' was left out, because its values are not in the .dbf file.`,
  );
  return undefined;
}

function checkLength({ name, type, length, place }: NamedColumn, wanted: number): void {
  if (length !== wanted)
    throw new FormatError(
      `The field '${shown(name)}' of type ${type} has ${length} bytes; it must have ${wanted}.`,
      place,
    );
}

function textReader({ length, name }: NamedColumn, decode: Decode, { reportLoss }: Context): ColumnReader['value'] {
  const decoded = (bytes: Buffer): string => {
    const text = decode(bytes);
    if (text.includes('\ufffd'))
      reportLoss(
        `Bytes of the field '${shown(name)}' that are no text in its encoding became '\ufffd'. The parameter Encoding names another.`,
      );
    return text;
  };
  return (bytes, at) => {
    let end = at + length;
    while (end > at && (bytes[end - 1] === 32 || bytes[end - 1] === 0)) end--;
    if (end === at) return null;
    let high = 0;
    for (let i = at; i < end; i++) {
      const byte = bytes[i]!;
      high |= byte;
      if (byte === 0) end = i;
    }
    if (end === at) return null;
    return high < 128 ? bytes.toString('latin1', at, end) : decoded(bytes.subarray(at, end));
  };
}

/** As in GDAL, a width below ten without decimals is an integer, up to 20 a 64-bit integer. */
function numberReader({ length, decimals }: NamedColumn, invalid: (bytes: Buffer, at: number) => null): ColumnReader {
  const type = decimals > 0 || length > 20 ? 'real' : length < 10 ? 'integer' : 'integer64';
  const value = (bytes: Buffer, at: number): number | bigint | null => {
    let start = at;
    let end = at + length;
    while (start < end && bytes[start]! <= 32) start++;
    while (end > start && bytes[end - 1]! <= 32) end--;
    // asterisks: a missing value, or a number that was too wide for the field
    if (start === end || bytes[start] === 42) return null;
    const number = decimalNumber(bytes, start, end);
    if (number === undefined || !Number.isFinite(number)) return invalid(bytes, at);
    if (type !== 'integer64' || Number.isSafeInteger(number)) return number;
    const text = bytes.toString('latin1', start, end);
    return /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : number;
  };
  return { field: { type, width: length, ...(type === 'real' ? { decimals } : {}) }, value };
}

const logical = (bytes: Buffer, at: number): boolean | null => {
  const letter = String.fromCharCode(bytes[at]!);
  return 'TtYy'.includes(letter) ? true : 'FfNn'.includes(letter) ? false : null;
};

function dateReader(length: number, invalid: (bytes: Buffer, at: number) => null): ColumnReader['value'] {
  return (bytes, at) => {
    const text = bytes.toString('latin1', at, at + length).replace(/[\s\0]/g, '');
    if (/^0*$/.test(text)) return null;
    const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? [];
    const date = `${year}-${month}-${day}`;
    return year !== undefined && isDate(date) ? date : invalid(bytes, at);
  };
}

function invertedDouble(bytes: Buffer, at: number): number {
  const inverted = Buffer.alloc(8);
  bytes.copy(inverted, 0, at, at + 8);
  // positive numbers have an inverted sign bit, negative ones all bits inverted, so that they sort as bytes
  if ((inverted[0]! & 0x80) !== 0) inverted[0]! ^= 0x80;
  else for (let i = 0; i < 8; i++) inverted[i]! ^= 0xff;
  return inverted.readDoubleBE(0);
}

const dayMs = 86_400_000;
/** Julian day number of 1970-01-01. */
const epochDay = 2_440_588;

/** Two 32-bit integers: Julian day and milliseconds. */
function julianTime(bytes: Buffer, at: number): string | null {
  const day = bytes.readInt32LE(at);
  return day === 0 ? null : isoTime((day - epochDay) * dayMs + bytes.readInt32LE(at + 4));
}

function isoTime(ms: number): string | null {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? null : time.toISOString().replace('Z', '');
}
