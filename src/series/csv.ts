import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate as turn } from 'node:timers/promises';
import type { Cell } from 'hydrofiles/series';
import { AppError, invalid } from '../errors.ts';
import { cellOfText, type SeriesColumn } from './cells.ts';
import { parseTime } from './clock.ts';
import { type CsvForm, PlainLine } from './plain-line.ts';

/** A row that was read: its time and a cell for each column; missing cells at the end are null. */
export interface Row {
  time: bigint;
  cells: Cell[];
}

const MAX_LINE = 2 ** 20;
const NEWLINE = 10;
const QUOTE = '"';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin1 = new TextDecoder('latin1');

/**
 * Reads lines of CSV (RFC 4180) without a header; gives the rows of each piece of the body. Throws `invalid` with the
 * number of the first line that cannot be read. A line is UTF-8, or Latin-1 if it is not valid UTF-8.
 */
export async function* readCsv(
  body: AsyncIterable<Uint8Array>,
  columns: readonly SeriesColumn[],
  form: CsvForm,
): AsyncGenerator<Iterable<Row>> {
  checkForm(form);
  const flags = columns.findIndex(({ dataType }, at) => at > 0 && dataType === 'Flag');
  if (form.flagIndex !== undefined && flags < 0)
    throw invalid('flagIndex is given, but the series has no data field of type Flag. Leave it out.');
  const records = new Records();
  const plain = PlainLine.for(form, columns[0] as SeriesColumn);
  // rows of a piece come without a promise each, which would cost more than all else
  for await (const text of decodeTexts(body, records))
    yield parseRows(text, records, plain, (line) => parseRow(line, columns, form, flags));
  records.end();
}

function* parseRows(
  text: string,
  records: Records,
  plain: PlainLine | undefined,
  read: (line: Line) => Row,
): Generator<Row> {
  const isPlain = plain !== undefined && !records.isOpen && !text.includes(QUOTE);
  for (let start = 0; ; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    if (isPlain && end - start <= MAX_LINE && plain.read(text, start, end)) {
      records.skip();
      yield { time: plain.time, cells: [plain.cell] };
    } else {
      const line = records.add(text.slice(start, end));
      if (line) yield read(line);
    }
    if (found < 0) return;
    start = found + 1;
  }
}

function parseRow({ number, text }: Line, columns: readonly SeriesColumn[], form: CsvForm, flags: number): Row {
  const { datetimeIndex, valueIndex, flagIndex, delimiter } = form;
  const parts = splitCells(text, delimiter, number);
  const time = parseTime(part(parts, datetimeIndex, 'datetimeIndex', number));
  if (time === undefined)
    throw wrongLine(number, `'${shown(parts[datetimeIndex])}' is not a time such as 2026-01-24T08:17:02.`);
  const cells = new Array<Cell>(columns.length).fill(null);
  cells[0] = parseCell(part(parts, valueIndex, 'valueIndex', number), columns[0] as SeriesColumn, form, number);
  if (flagIndex !== undefined)
    cells[flags] = parseCell(part(parts, flagIndex, 'flagIndex', number), columns[flags] as SeriesColumn, form, number);
  return { time, cells };
}

function checkForm({ delimiter, decimalSeparator }: CsvForm) {
  if (['\n', '\r', QUOTE].includes(delimiter))
    throw invalid('delimiter must not be a quote or the end of a line. Send one such as ; or a tab.');
  if (delimiter === decimalSeparator)
    throw invalid(`delimiter and decimalSeparator are both '${delimiter}'. Send two different characters.`);
}

const wrongLine = (number: number, why: string) => invalid(`Line ${number}: ${why}`, { code: 'InvalidLine' });
const shown = (text = '') => text.slice(0, 60);

function part(cells: readonly string[], index: number, member: string, number: number): string {
  const cell = cells[index];
  if (cell !== undefined) return cell;
  throw wrongLine(number, `it has ${cells.length} columns, but ${member} is ${index} (the first column is 0).`);
}

function parseCell(text: string, column: SeriesColumn, { decimalSeparator }: CsvForm, number: number): Cell {
  if (text.trim() === '') return null;
  const real = decimalSeparator !== '.' && (column.kind === 'f32' || column.kind === 'f64');
  // a point is no decimal separator here
  const plain = real ? text.replaceAll('.', '?').replace(decimalSeparator, '.') : text;
  const read = cellOfText(plain, column);
  if ('cell' in read) return read.cell;
  throw wrongLine(number, `${real ? `'${shown(text)}' is not a number` : read.wrong}.`);
}

interface Line {
  /** Number of the line, from 1. */
  number: number;
  text: string;
}

/** Joins lines whose quotes are open, and leaves out blank ones. */
class Records {
  #number = 0;
  /** Lines of a record whose quotes are open. */
  #open: { number: number; lines: string[]; length: number } | undefined;

  /** Lines so far. */
  get lines(): number {
    return this.#number;
  }

  /** A quote is open. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Counts a line that is a record. */
  skip() {
    this.#number += 1;
  }

  /** The record that ends with this line. */
  add(text: string): Line | undefined {
    this.#number += 1;
    const record = this.#open ?? { number: this.#number, lines: [], length: -1 };
    record.lines.push(text);
    record.length += text.length + 1;
    if (record.length > MAX_LINE) throw wrongLine(record.number, `it is longer than ${MAX_LINE} characters.`);
    // an odd number of quotes opens or closes
    this.#open = hasOddQuotes(text) === this.isOpen ? undefined : record;
    if (this.#open !== undefined) return undefined;
    const whole = record.lines.join('\n');
    return whole.trim() === '' ? undefined : { number: record.number, text: whole };
  }

  end() {
    if (this.#open) throw wrongLine(this.#open.number, 'a quote is not closed.');
  }
}

function hasOddQuotes(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf(QUOTE); at >= 0; at = text.indexOf(QUOTE, at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

function splitCells(text: string, delimiter: string, number: number): string[] {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (!line.includes(QUOTE)) return line.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ; ) {
    if (line[at] !== QUOTE) {
      const end = line.indexOf(delimiter, at);
      const cell = end < 0 ? line.slice(at) : line.slice(at, end);
      if (cell.includes(QUOTE)) throw wrongLine(number, 'a cell without quotes around it contains a quote.');
      cells.push(cell);
      if (end < 0) return cells;
      at = end + delimiter.length;
      continue;
    }
    let cell = '';
    let end = at + 1;
    for (;;) {
      const quote = line.indexOf(QUOTE, end);
      if (quote < 0) throw wrongLine(number, 'a quote is not closed.');
      cell += line.slice(end, quote);
      end = quote + 1;
      if (line[end] !== QUOTE) break;
      cell += QUOTE;
      end += 1;
    }
    cells.push(cell);
    if (end === line.length) return cells;
    if (!line.startsWith(delimiter, end)) throw wrongLine(number, 'text follows the end of a quoted cell.');
    at = end + delimiter.length;
  }
}

/** Whole lines of a body, without the end of the last one, as pieces of it come. */
async function* decodeTexts(body: AsyncIterable<Uint8Array>, records: Records): AsyncGenerator<string> {
  const decode = decoder();
  let rest: Uint8Array[] = [];
  let length = 0;
  const decodePieces = (pieces: readonly Uint8Array[]) => decode(Buffer.concat(pieces));
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      rest.push(chunk);
      length += chunk.length;
      // each character has at most four bytes
      if (length > 4 * MAX_LINE) throw wrongLine(records.lines + 1, `it is longer than ${MAX_LINE} characters.`);
      continue;
    }
    const text = decodePieces([...rest, chunk.subarray(0, end)]);
    rest = [chunk.subarray(end + 1)];
    length = chunk.length - end - 1;
    yield text;
  }
  const last = decodePieces(rest);
  if (last !== '') yield last;
}

/** Decodes whole lines, without the byte order mark at the start of the first ones. */
function decoder(): (bytes: Buffer) => string {
  let atStart = true;
  return (bytes) => {
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      text = textOfLines(bytes);
    }
    if (atStart) text = text.replace(/^(?:\ufeff|ï»¿)/, '');
    atStart = false;
    return text;
  };
}

/** Reads line by line, so that the pieces in which a body arrives do not change the result. */
function textOfLines(bytes: Buffer): string {
  let text = '';
  // lines of one encoding are decoded together
  let start = 0;
  let present = utf8;
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.subarray(at, end);
    const own = isUtf8(line) ? utf8 : latin1;
    // ASCII is the same in both
    if (own !== present && !isAscii(line)) {
      text += present.decode(bytes.subarray(start, at));
      start = at;
      present = own;
    }
    at = end;
  }
  return text + present.decode(bytes.subarray(start));
}

/** Bytes that are read in one turn of the event loop: it is for others, too, while a long body is read. */
const PIECE = 65_536;

/** The bytes of a body in pieces. Throws `tooLarge` beyond the maximum. */
export async function* bounded(body: AsyncIterable<Uint8Array>, maximum: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maximum)
      throw new AppError('tooLarge', `The body has more than ${maximum} bytes. Send it in several parts.`);
    for (let at = 0; at < chunk.length; at += PIECE) {
      yield chunk.subarray(at, at + PIECE);
      await turn();
    }
  }
}
