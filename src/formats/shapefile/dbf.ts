import { isUtf8 } from 'node:buffer';
import type { ByteSource } from '../../data/bytes.ts';
import type { Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { DbfColumn } from './columns.ts';
import { columnReader } from './columns.ts';
import type { Decode } from './encoding.ts';
import { decoderOf, decoderOfLanguage } from './encoding.ts';

/** An open dBase table. */
export interface Dbf {
  readonly fields: readonly Field[];
  readonly count: number;
  /** Reads up to `count` rows, fewer at the end of the table; undefined for a row that is marked as deleted. */
  rows(first: number, count: number): Promise<(unknown[] | undefined)[]>;
}

/**
 * Opens a table of dBase III to 5 or FoxPro (field descriptors of 32 bytes) or dBase 7 (48 bytes).
 * @param declared decoder of the encoding in the .cpg file; absent: the language byte decides, else UTF-8 or Windows-1252 is detected
 */
export async function openDbf(source: ByteSource, declared: Decode | undefined, context: Context): Promise<Dbf> {
  const head = Buffer.from(await source.read(0, 32));
  if (head.length < 32)
    throw new FormatError(`The .dbf file has ${source.size} bytes. Its header takes at least 32.`, 0);
  const dbase7 = (head[0]! & 7) === 4;
  const headerLength = head.readUInt16LE(8);
  const rowLength = head.readUInt16LE(10);
  if (headerLength < 32 || headerLength > source.size)
    throw new FormatError(`The .dbf file declares a header of ${headerLength} bytes. The file has ${source.size}.`, 8);
  if (rowLength < 1) throw new FormatError('The .dbf file declares rows of 0 bytes.', 10);
  const count = head.readUInt32LE(4);
  const present = Math.floor((source.size - headerLength) / rowLength);
  if (present < count) throw new FormatError(`The .dbf file declares ${count} rows. It has only ${present}.`, 4);
  const columns = columnsOf(Buffer.from(await source.read(0, headerLength)), dbase7, rowLength);
  const table = { source, start: headerLength, rowLength, count };
  const decode =
    declared ??
    decoderOfLanguage(head[29]!) ??
    decoderOf((await looksLikeUtf8(table, columns)) ? 'utf-8' : 'windows-1252')!;
  const read: { at: number; value: (bytes: Buffer, at: number) => unknown }[] = [];
  const fields: Field[] = [];
  const names = new Set<string>();
  for (const column of columns) {
    const name = unique(decode(column.name).trim() || `FIELD_${fields.length + 1}`, names);
    const reader = columnReader(
      { ...column, name },
      decode,
      { bigEndian: dbase7, foxPro: isFoxPro(head[0]!) },
      context,
    );
    if (reader === undefined) continue;
    names.add(name);
    fields.push({ ...reader.field, name });
    read.push({ at: column.offset, value: reader.value });
  }
  return {
    fields,
    count,
    async rows(first, wanted) {
      const rowCount = Math.max(0, Math.min(wanted, count - first));
      const bytes = await source.read(headerLength + first * rowLength, rowCount * rowLength);
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const rows: (unknown[] | undefined)[] = new Array(rowCount);
      for (let row = 0; row < rowCount; row++) {
        const start = row * rowLength;
        if (buffer[start] === 0x2a) continue;
        const values: unknown[] = new Array(read.length);
        for (let n = 0; n < read.length; n++) values[n] = read[n]!.value(buffer, start + read[n]!.at);
        rows[row] = values;
      }
      return rows;
    },
  };
}

const isFoxPro = (version: number) => version === 0x30 || version === 0x31 || version === 0x32;

function columnsOf(header: Buffer, dbase7: boolean, rowLength: number): DbfColumn[] {
  const [first, length, nameLength] = dbase7 ? [68, 48, 32] : [32, 32, 11];
  const columns: DbfColumn[] = [];
  let offset = 1;
  for (let at = first; at + length <= header.length && header[at] !== 0x0d; at += length) {
    const type = String.fromCharCode(header[at + nameLength]!);
    const size = header[at + (dbase7 ? 33 : 16)]!;
    const decimals = header[at + (dbase7 ? 34 : 17)]!;
    let end = at;
    while (end < at + nameLength && header[end] !== 0) end++;
    if (offset + size > rowLength)
      throw new FormatError(
        `Field ${columns.length + 1} of the .dbf file ends at byte ${offset + size} of a row. Rows have ${rowLength} bytes.`,
        at,
      );
    columns.push({ name: header.subarray(at, end), type, length: size, decimals, offset, place: at });
    offset += size;
  }
  return columns;
}

interface Table {
  source: ByteSource;
  start: number;
  rowLength: number;
  count: number;
}

async function looksLikeUtf8({ source, start, rowLength, count }: Table, columns: DbfColumn[]): Promise<boolean> {
  if (!columns.every(({ name }) => isUtf8(name))) return false;
  // Test whole rows: a character that the end of its field cuts off is followed by the next field and is invalid UTF-8.
  const binary = columns.some(({ type }) => 'IO@+BYT'.includes(type));
  const step = Math.max(1, Math.floor((1 << 20) / rowLength));
  for (let row = 0; row < count; row += step) {
    const bytes = await source.read(start + row * rowLength, Math.min(step, count - row) * rowLength);
    if (!binary) {
      if (!isUtf8(bytes)) return false;
      continue;
    }
    for (let at = 0; at + rowLength <= bytes.length; at += rowLength)
      for (const column of columns)
        if (column.type === 'C' && !isUtf8(bytes.subarray(at + column.offset, at + column.offset + column.length)))
          return false;
  }
  return true;
}

function unique(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let n = 1; taken.has(free); n++) free = `${name}_${n}`;
  return free;
}
