import { cellAt, type PackedBlock, type PackedColumn } from 'hydrofiles/series';
import { jsonOfCell, type SeriesColumn } from './cells.ts';
import { dayText } from './clock.ts';

/** Bytes of the time and the brackets of a row, at most, and of a number or time with its comma. */
const timeBytes = 64;
const cellBytes = 48;
/** Bytes of the time and the brackets in most rows. */
const usualTimeBytes = 34;
const usualCellBytes = 10;
/** Parts of a day of 8192 microseconds. */
const dayParts = 86_400e6 / 2 ** 13;
/** Whole numbers below have at most six digits, which single precision keeps. */
const sixDigits = 1_000_000;
const [QUOTE, COMMA, MINUS, DOT, ZERO, COLON, OPEN, CLOSE] = Buffer.from('",-.0:[]') as unknown as readonly number[] &
  [number, number, number, number, number, number, number, number];

/**
 * Writes the rows of blocks as JSON, without brackets around them: `["2026-01-24T08:00:00.0000000",1.5],…`. Byte by
 * byte: strings and bigints for each of them take several times as long.
 */
export class RowText {
  readonly #columns: readonly SeriesColumn[];
  readonly #rowBytes: number;
  #bytes = Buffer.alloc(0);
  #at = 0;
  #day = Number.NaN;
  #dayText: Uint8Array = Buffer.alloc(0);

  constructor(columns: readonly SeriesColumn[]) {
    this.#columns = columns;
    this.#rowBytes = timeBytes + columns.length * cellBytes;
  }

  /** Rows of a block between two times, both included; empty if there are none. */
  of({ times, columns }: PackedBlock, from: bigint, to: bigint): Buffer {
    const first = times.findIndex((time) => time >= from);
    const end = times.findLastIndex((time) => time <= to) + 1;
    if (first < 0 || end <= first) return Buffer.alloc(0);
    this.#bytes = Buffer.allocUnsafe(
      this.#rowBytes + (end - first) * (usualTimeBytes + columns.length * usualCellBytes),
    );
    this.#at = 0;
    const halves = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
    const values = columns.map((column, c) => new ValuesInOrder(column, this.#columns[c]!, first));
    for (let row = first; row < end; row++) {
      this.#reserve(this.#rowBytes);
      if (row > first) this.#put(COMMA);
      this.#put(OPEN);
      this.#put(QUOTE);
      this.#time(halves[2 * row]!, halves[2 * row + 1]!);
      this.#put(QUOTE);
      for (const one of values) {
        this.#put(COMMA);
        this.#cell(one, row);
      }
      this.#put(CLOSE);
    }
    return this.#bytes.subarray(0, this.#at);
  }

  #put(byte: number): void {
    this.#bytes[this.#at++] = byte;
  }

  /** Makes room. */
  #reserve(bytes: number): void {
    if (this.#bytes.length - this.#at >= bytes) return;
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + bytes);
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  #text(text: string): void {
    // A character of a text has at most three bytes.
    if (text.length > cellBytes / 3) this.#reserve(3 * text.length + this.#rowBytes);
    if (text.length > cellBytes) this.#at += this.#bytes.write(text, this.#at);
    else this.#short(text);
  }

  #short(text: string): void {
    for (let n = 0; n < text.length; n++) {
      const code = text.charCodeAt(n);
      if (code > 0x7f) {
        this.#at += this.#bytes.write(text.slice(n), this.#at);
        return;
      }
      this.#put(code);
    }
  }

  /** @param low half of the microseconds */
  #time(low: number, high: number): void {
    // A double does not hold all microseconds, but the 8192 of them of which a day has a whole number.
    const parts = high * 2 ** 19 + (low >>> 13);
    const day = Math.floor(parts / dayParts);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = Buffer.from(dayText(day));
    }
    const [bytes, text] = [this.#bytes, this.#dayText];
    let at = this.#at;
    for (let n = 0; n < text.length; n++) bytes[at++] = text[n]!;
    const rest = (parts - day * dayParts) * 2 ** 13 + (low & (2 ** 13 - 1));
    const seconds = Math.floor(rest / 1e6);
    const minutes = (seconds / 60) | 0;
    const hours = (minutes / 60) | 0;
    putDigits(bytes, at, hours, 2);
    bytes[at + 2] = COLON;
    putDigits(bytes, at + 3, minutes - 60 * hours, 2);
    bytes[at + 5] = COLON;
    putDigits(bytes, at + 6, seconds - 60 * minutes, 2);
    bytes[at + 8] = DOT;
    putDigits(bytes, at + 9, rest - 1e6 * seconds, 6);
    bytes[at + 15] = ZERO;
    this.#at = at + 16;
  }

  #cell(values: ValuesInOrder, row: number): void {
    const position = values.next(row);
    const { column, of } = values;
    if (position < 0) this.#short('null');
    else if (column.decimals === undefined || !this.#decimal(column.numbers[position]!, column.decimals, of))
      this.#text(jsonOfCell(cellAt(column, position), of));
  }

  /** Writes a number of few decimals, as `String` does. False: it has another text in single precision. */
  #decimal(wholes: number, decimals: number, { dataType }: SeriesColumn): boolean {
    let [whole, count] = [Math.abs(wholes), decimals];
    for (; count > 0 && whole % 10 === 0; count--) whole /= 10;
    if (dataType === 'Single' && whole >= sixDigits) return false;
    if (wholes < 0) this.#put(MINUS);
    const power = 10 ** count;
    const front = Math.floor(whole / power);
    const length = countDigits(front);
    putDigits(this.#bytes, this.#at, front, length);
    this.#at += length;
    if (count === 0) return true;
    this.#put(DOT);
    putDigits(this.#bytes, this.#at, whole - front * power, count);
    this.#at += count;
    return true;
  }
}

/** Writes a whole number below 2³¹ with `count` digits. */
function putDigits(bytes: Uint8Array, at: number, number: number, count: number): void {
  let left = number | 0;
  for (let place = at + count - 1; place >= at; place--) {
    const tenth = (left / 10) | 0;
    bytes[place] = ZERO + left - 10 * tenth;
    left = tenth;
  }
}

function countDigits(whole: number): number {
  let length = 1;
  for (let limit = 10; whole >= limit; limit *= 10) length++;
  return length;
}

/** Finds the values of rising rows: rows without one have none in the block. */
class ValuesInOrder {
  readonly column: PackedColumn;
  readonly of: SeriesColumn;
  #next = 0;

  constructor(column: PackedColumn, of: SeriesColumn, first: number) {
    this.column = column;
    this.of = of;
    for (let row = 0; row < first; row++) this.next(row);
  }

  /** Position of the value of the next row; -1 if it has none. */
  next(row: number): number {
    return (this.column.present[row >> 3]! & (1 << (row & 7))) === 0 ? -1 : this.#next++;
  }
}
