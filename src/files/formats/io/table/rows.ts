import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { type TextForm, utf8 } from './text.ts';

/** Maximum number of columns of a row, and of its bytes, which are held in memory. */
export const maxColumns = 1 << 14;
const maxRow = 64 << 20;
const [lineFeed, carriageReturn, blank, quote, zero] = [10, 13, 32, 34, 0];

/**
 * A text of unknown cells, or rows of a sheet: their cells in quotes are texts and others are not, and each has a line,
 * also if a text of it has several.
 */
export type TableOrigin = 'text' | 'sheet';

/** How the text of a cell stands in its bytes. */
export const cellForm = { plain: 0, quoted: 1, escaped: 2 } as const;

/**
 * Finds the cells of rows (RFC 4180) without making strings. A row ends at a line feed, a carriage return or both; a
 * cell in quotes may hold separators, line ends, and quotes as `""`. Positions are those of the text between the
 * quotes; where more stands in the cell (`escaped`), of all its bytes.
 */
export class Rows {
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  readonly starts = new Uint32Array(maxColumns);
  readonly ends = new Uint32Array(maxColumns);
  readonly forms = new Uint8Array(maxColumns);
  /** Number of the line, from 1, in which the row begins. */
  line = 0;
  #at = 0;
  #isLast = false;
  #nextLine = 1;
  #rowStart = 0;
  /** Where the next zero byte is. */
  #zero = Infinity;
  readonly #separator: number;
  readonly #origin: TableOrigin;

  constructor(separator: string, origin: TableOrigin = 'text') {
    this.#separator = separator.charCodeAt(0);
    this.#origin = origin;
  }

  /** Where the row is, for the beginning of a sentence. */
  get where(): string {
    return `${this.#origin === 'sheet' ? 'Row' : 'Line'} ${this.line}`;
  }

  /** Whether a cell is a text whatever it looks like. */
  isText(column: number): boolean {
    const form = this.forms[column];
    return form === cellForm.escaped || (form === cellForm.quoted && this.#origin === 'sheet');
  }

  /** Goes on with these bytes, which begin with those that are left. */
  load(bytes: Buffer, isLast: boolean): void {
    this.bytes = bytes;
    this.#at = 0;
    this.#isLast = isLast;
    this.#zero = this.#zeroFrom(0);
  }

  #zeroFrom(at: number): number {
    const found = this.bytes.indexOf(zero, at);
    return found < 0 ? Infinity : found;
  }

  /** The bytes of the row that is not whole. */
  left(): Buffer {
    return this.bytes.subarray(this.#at);
  }

  /**
   * Reads the next row that is not blank. False if the bytes end before it does.
   * @throws FormatError for a row of too many columns, and for a quote that is not closed
   */
  next(): boolean {
    for (;;) {
      const { bytes, starts, ends, forms } = this;
      const end = bytes.length;
      const separator = this.#separator;
      let at = this.#at;
      if (at >= end) return false;
      const line = this.#nextLine;
      let lines = 0;
      let count = 0;
      for (;;) {
        let start = at;
        let form: number = cellForm.plain;
        let close = -1;
        while (bytes[at] === blank && at < end) at++;
        if (bytes[at] === quote) {
          form = cellForm.quoted;
          const first = ++at;
          for (; ; at++) {
            if (at >= end) break;
            const c = bytes[at]!;
            if (c === lineFeed || (c === carriageReturn && bytes[at + 1] !== lineFeed)) lines++;
            if (c !== quote) continue;
            if (bytes[at + 1] !== quote) break;
            form = cellForm.escaped;
            at++;
          }
          if (at >= end) {
            if (!this.#isLast) return false;
            throw new FormatError(`The quote of a cell in line ${line} is not closed.`);
          }
          close = at++;
          // The character behind the quote may be in the next piece: a quote, which is one of the text.
          if (at >= end && !this.#isLast) return false;
          const behind = at;
          while (at < end && bytes[at] === blank) at++;
          const c = bytes[at];
          if (at < end && c !== separator && c !== lineFeed && c !== carriageReturn) {
            form = cellForm.escaped;
            at = behind;
          }
          if (form === cellForm.quoted) start = first;
        }
        while (at < end) {
          const c = bytes[at]!;
          if (c === separator || c === lineFeed || c === carriageReturn) break;
          at++;
        }
        if (at >= end && !this.#isLast) return false;
        if (count < maxColumns) {
          starts[count] = start;
          ends[count] = form === cellForm.quoted ? close : at;
          forms[count] = form;
        }
        count++;
        if (at < end && bytes[at] === separator) {
          at++;
          continue;
        }
        break;
      }
      if (at < end) {
        if (bytes[at] === carriageReturn) {
          if (at + 1 >= end && !this.#isLast) return false;
          if (bytes[at + 1] === lineFeed) at++;
        }
        at++;
      }
      this.#rowStart = this.#at;
      this.#at = at;
      this.line = line;
      this.#nextLine = line + (this.#origin === 'sheet' ? 0 : lines) + 1;
      this.count = count;
      if (count > maxColumns) throw new FormatError(`Line ${line} has ${count} columns. The maximum is ${maxColumns}.`);
      if (count > 1 || forms[0] !== cellForm.plain || !this.isEmpty(0)) return true;
    }
  }

  /** The bytes of the first `count` cells of the row, with their quotes and separators. */
  raw(count: number): Buffer {
    if (count === 0) return this.bytes.subarray(0, 0);
    const quotes = this.forms[count - 1] === cellForm.quoted ? 1 : 0;
    return this.bytes.subarray(this.#rowStart, this.ends[count - 1]! + quotes);
  }

  isEmpty(column: number): boolean {
    const { bytes, ends } = this;
    if (column >= this.count) return true;
    for (let at = this.starts[column]!; at < ends[column]!; at++) if (bytes[at] !== blank) return false;
    return true;
  }

  /** Sets positions without the blanks around the text. */
  trim(column: number): void {
    const { bytes, starts, ends } = this;
    let start = starts[column]!;
    let end = ends[column]!;
    while (start < end && bytes[start] === blank) start++;
    while (end > start && bytes[end - 1] === blank) end--;
    starts[column] = start;
    ends[column] = end;
  }

  text(column: number): string {
    if (column >= this.count) return '';
    const { bytes, starts, ends } = this;
    const text = bytes.toString('utf8', starts[column]!, ends[column]!);
    return this.forms[column] === cellForm.escaped ? unescaped(text) : text;
  }

  /** @throws FormatError for a row with a zero byte */
  check(): void {
    if (this.#zero >= this.#at) return;
    if (this.#zero < this.#rowStart) this.#zero = this.#zeroFrom(this.#rowStart);
    if (this.#zero < this.#at) throw new FormatError(`${this.where} has a zero byte.`);
  }
}

/** The text of a cell, parts of which are in quotes. */
function unescaped(cell: string): string {
  const at = cell.indexOf('"');
  let text = '';
  let isQuoted = false;
  // Blanks behind the last quote are not part of the text.
  let end = 0;
  for (let i = at; i < cell.length; i++) {
    const letter = cell[i]!;
    if (letter !== '"') text += letter;
    else if (isQuoted && cell[i + 1] === '"') {
      text += '"';
      i++;
    } else {
      isQuoted = !isQuoted;
      end = text.length;
    }
  }
  return text.slice(0, end) + text.slice(end).trimEnd();
}

/** Loads the pieces of a text into `rows`; between them the caller reads the rows that are whole. */
export async function* pieces(source: ByteSource, form: TextForm, rows: Rows): AsyncGenerator<void> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of utf8(source, form)) {
    rows.load(left.length === 0 ? piece : Buffer.concat([left, piece]), false);
    yield;
    left = rows.left();
    if (left.length > maxRow) throw new FormatError(`The row in line ${rows.line + 1} has more than ${maxRow} bytes.`);
  }
  rows.load(left, true);
  yield;
}
