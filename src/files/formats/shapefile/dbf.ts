import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteSource } from '../../data/bytes.ts';
import type { Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { readBuffer } from '../io/buffers.ts';
import { type Encoding, encodingLike, encodingOfLanguage, findEncoding } from '../io/encoding.ts';
import { ReadWindow } from '../io/read-window.ts';
import { shown } from '../io/zip.ts';
import { columnReader, type DbfColumn } from './columns.ts';

/** An open dBase table. */
export interface Dbf {
  readonly fields: readonly Field[];
  readonly count: number;
  /** Reads up to `count` rows, fewer at the end of the table; undefined for a row that is marked as deleted. */
  rows(first: number, count: number): Promise<(unknown[] | undefined)[]>;
}

interface DbfHeader {
  version: number;
  language: number;
  /** Size of the header, and of each row, in bytes. */
  headerLength: number;
  rowLength: number;
  /** Number of rows that the header declares. */
  declared: number;
  /** Number of whole rows in the file. */
  present: number;
}

async function readHeader(source: ByteSource): Promise<DbfHeader> {
  const head = Buffer.from(await source.read(0, 32));
  if (head.length < 32)
    throw new FormatError(`The .dbf file has ${source.size} bytes. Its header takes at least 32.`, 0);
  const headerLength = head.readUInt16LE(8);
  const rowLength = head.readUInt16LE(10);
  if (headerLength < 32 || headerLength > source.size)
    throw new FormatError(`The .dbf file declares a header of ${headerLength} bytes. The file has ${source.size}.`, 8);
  if (rowLength < 1) throw new FormatError('The .dbf file declares rows of 0 bytes.', 10);
  const present = Math.floor((source.size - headerLength) / rowLength);
  return { version: head[0]!, language: head[29]!, headerLength, rowLength, declared: head.readUInt32LE(4), present };
}

/** Number of rows as declared, or of those that are there if they are fewer. */
export async function rowsOf(source: ByteSource): Promise<number> {
  const { declared, present } = await readHeader(source);
  return Math.min(declared, present);
}

/**
 * Number of rows: as declared, but not more than there are. If there are more, and more shapes than the header declares
 * rows, it is the header that is out of date.
 */
async function countRows(source: ByteSource, header: DbfHeader, shapes: number, { remark }: Context): Promise<number> {
  const { declared, present, headerLength, rowLength } = header;
  if (declared > present) remark(`The .dbf file declares ${declared} rows; it has ${present}.`);
  if (declared >= present || shapes <= declared) return Math.min(declared, present);
  // rows begin with a blank, or with an asterisk if they are marked as deleted
  const window = new ReadWindow(source);
  for (let row = declared; row < present; row++) {
    const at = headerLength + row * rowLength;
    if (!window.has(at, 1)) await window.move(at, 1);
    const mark = window.bytes[at - window.start];
    if (mark !== 0x20 && mark !== 0x2a) return declared;
  }
  remark(`The .dbf file declares ${declared} rows; it has ${present}, which were read.`);
  return present;
}

/**
 * Opens a table of dBase III to 5 or FoxPro (field descriptors of 32 bytes) or dBase 7 (48 bytes).
 * @param wanted label of the encoding that the request names
 * @param cpg content of the .cpg file
 * @param shapes number of shapes, if it is known
 */
export async function openDbf(
  source: ByteSource,
  {
    encodingName,
    cpg,
    shapes = 0,
  }: { encodingName?: string | undefined; cpg?: string | undefined; shapes?: number | undefined },
  context: Context,
): Promise<Dbf> {
  const header = await readHeader(source);
  const { version, language, headerLength, rowLength } = header;
  const dbase7 = (version & 7) === 4;
  const count = await countRows(source, header, shapes, context);
  const columns = readColumns(Buffer.from(await source.read(0, headerLength)), dbase7, rowLength);
  const table = { source, start: headerLength, rowLength, count };
  const { decode } =
    (encodingName === undefined ? undefined : findEncoding(encodingName)) ??
    (await declaredEncoding({ cpg, language }, () => contentEncoding(table, columns), context));
  const read: { at: number; value: (bytes: Buffer, at: number) => unknown }[] = [];
  const fields: Field[] = [];
  const names = new Set<string>();
  for (const column of columns) {
    const name = unique(decode(column.name).trim() || `FIELD_${fields.length + 1}`, names);
    const reader = columnReader({ ...column, name }, decode, { bigEndian: dbase7, foxPro: isFoxPro(version) }, context);
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
      const buffer = await readBuffer(source, headerLength + first * rowLength, rowCount * rowLength);
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

function readColumns(header: Buffer, dbase7: boolean, rowLength: number): DbfColumn[] {
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

/** The encoding of the .cpg file, else of the language byte, else that of the content, with remarks about guesses. */
async function declaredEncoding(
  { cpg, language }: { cpg: string | undefined; language: number },
  content: () => Promise<Content>,
  { remark }: Context,
): Promise<Encoding> {
  const word = cpg?.trim().split(/\r?\n/)[0]?.trim();
  const named = word === undefined ? undefined : findEncoding(word);
  if (named !== undefined) return named;
  const spoken = encodingOfLanguage(language);
  if (word === undefined && spoken !== undefined) return spoken;
  const found = await content();
  const like = word === undefined || found === 'utf-8' ? undefined : encodingLike(word);
  const encoding = like ?? spoken ?? findEncoding(found === 'windows-1252' ? found : 'utf-8')!;
  if (word !== undefined) {
    const problem =
      word === '' ? 'is empty' : `names '${shown(word.slice(0, 40))}', which is not the name of an encoding`;
    remark(`The .cpg file ${problem}; text was read as ${encoding.name}.`);
  } else if (found !== 'ascii')
    remark(`The shapefile does not name the encoding of its text; it was read as ${encoding.name}.`);
  return encoding;
}

/** Possible encodings of the text of a table. */
type Content = 'ascii' | 'utf-8' | 'windows-1252';

async function contentEncoding({ source, start, rowLength, count }: Table, columns: DbfColumn[]): Promise<Content> {
  let content: Content = 'ascii';
  const isValid = (bytes: Uint8Array): boolean => {
    if (isAscii(bytes)) return true;
    content = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
    return content === 'utf-8';
  };
  if (!columns.every(({ name }) => isValid(name))) return content;
  // Test whole rows: a character that the end of its field cuts off is followed by the next field and is invalid UTF-8.
  const binary = columns.some(({ type }) => 'IO@+BYT'.includes(type));
  const step = Math.max(1, Math.floor((1 << 20) / rowLength));
  for (let row = 0; row < count; row += step) {
    const bytes = await source.read(start + row * rowLength, Math.min(step, count - row) * rowLength);
    if (!binary) {
      if (!isValid(bytes)) return content;
      continue;
    }
    for (let at = 0; at + rowLength <= bytes.length; at += rowLength)
      for (const column of columns)
        if (column.type === 'C' && !isValid(bytes.subarray(at + column.offset, at + column.offset + column.length)))
          return content;
  }
  return content;
}

function unique(name: string, usedNames: ReadonlySet<string>): string {
  let free = name;
  for (let n = 1; usedNames.has(free); n++) free = `${name}_${n}`;
  return free;
}
