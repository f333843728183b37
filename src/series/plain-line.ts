import type { Cell } from 'hydrofiles/series';
import type { SeriesColumn } from './cells.ts';
import { microsOfMs, parseDay } from './clock.ts';

/** Positions and notation of the parts of a row in its line. */
export interface CsvForm {
  datetimeIndex: number;
  valueIndex: number;
  /** Column of the first data field of type Flag. */
  flagIndex?: number | undefined;
  delimiter: string;
  decimalSeparator: string;
}

const ZERO = 48;
const MINUS = 45;
const COLON = 58;
const RETURN = 13;
const BLANK = 32;
const LETTER_T = 84;
const DASH = MINUS;
/** Length of a time such as 2026-01-24T08:17:02. */
const TIME_LENGTH = 19;
/**
 * Digits that a double holds exactly, and powers of ten that are doubles: then the quotient of both is the double next
 * to the number.
 */
const MAX_DIGITS = 15;
const POWERS = Array.from({ length: MAX_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * Reads lines as loggers write them, without quotes, in one pass and without a text for each cell: a time such as
 * 2026-01-24T08:17:02 and a number of up to 15 digits. Other lines are left to the general reader.
 */
export class PlainLine {
  time = 0n;
  cell: Cell = null;
  readonly #delimiter: number;
  readonly #separator: number;
  readonly #single: boolean;
  readonly #columns: readonly [time: number, value: number];

  private constructor(form: CsvForm, single: boolean) {
    this.#delimiter = form.delimiter.charCodeAt(0);
    this.#separator = form.decimalSeparator.charCodeAt(0);
    this.#single = single;
    this.#columns = [form.datetimeIndex, form.valueIndex];
  }

  /** Undefined: the columns hold other things than numbers. */
  static for(form: CsvForm, { kind }: SeriesColumn): PlainLine | undefined {
    if (form.flagIndex !== undefined || (kind !== 'f32' && kind !== 'f64')) return undefined;
    if (form.delimiter.length !== 1 || form.decimalSeparator.length !== 1) return undefined;
    return new PlainLine(form, kind === 'f32');
  }

  /** Reads the line of the text from `start` to `end`, which has no quote, into `time` and `cell`. */
  read(text: string, start: number, end: number): boolean {
    const stop = end > start && text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
    const [timeColumn, valueColumn] = this.#columns;
    const last = Math.max(timeColumn, valueColumn);
    let from = start;
    for (let column = 0; column <= last; column++) {
      const to = this.#endOf(text, from, stop);
      if (column === timeColumn && !this.#readTime(text, from, to)) return false;
      if (column === valueColumn && !this.#readNumber(text, from, to)) return false;
      // the line has too few columns
      if (to === stop && column < last) return false;
      from = to + 1;
    }
    return true;
  }

  /** The end of a column. Does not look beyond the line, unlike `indexOf`. */
  #endOf(text: string, from: number, stop: number): number {
    const delimiter = this.#delimiter;
    for (let at = from; at < stop; at++) if (text.charCodeAt(at) === delimiter) return at;
    return stop;
  }

  #readTime(text: string, at: number, to: number): boolean {
    if (to - at !== TIME_LENGTH) return false;
    const between = text.charCodeAt(at + 10);
    const isClock =
      text.charCodeAt(at + 4) === DASH &&
      text.charCodeAt(at + 7) === DASH &&
      (between === LETTER_T || between === BLANK) &&
      text.charCodeAt(at + 13) === COLON &&
      text.charCodeAt(at + 16) === COLON;
    if (!isClock) return false;
    const [hours, minutes, seconds] = [twoDigits(text, at + 11), twoDigits(text, at + 14), twoDigits(text, at + 17)];
    // NaN, which other characters than digits give, is not less than anything
    if (!(hours < 24 && minutes < 60 && seconds < 60)) return false;
    const number =
      (twoDigits(text, at) * 100 + twoDigits(text, at + 2)) * 10_000 +
      twoDigits(text, at + 5) * 100 +
      twoDigits(text, at + 8);
    const day = Number.isNaN(number) ? undefined : parseDay(number, text, at);
    if (day === undefined) return false;
    this.time = microsOfMs(day + ((hours * 60 + minutes) * 60 + seconds) * 1000);
    return true;
  }

  #readNumber(text: string, from: number, to: number): boolean {
    this.cell = null;
    if (from === to) return true;
    const negative = text.charCodeAt(from) === MINUS;
    const first = negative ? from + 1 : from;
    let [whole, point] = [0, -1];
    for (let at = first; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code === this.#separator && point < 0) point = at;
      else if (code >= ZERO && code < ZERO + 10) whole = whole * 10 + (code - ZERO);
      else return false;
    }
    const digits = to - first - (point < 0 ? 0 : 1);
    if (digits === 0 || digits > MAX_DIGITS) return false;
    const value = (negative ? -whole : whole) / (POWERS[point < 0 ? 0 : to - point - 1] as number);
    this.cell = this.#single ? Math.fround(value) : value;
    return true;
  }
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - ZERO, text.charCodeAt(at + 1) - ZERO];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
