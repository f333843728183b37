import { FormatError } from '../../errors.ts';
import { DecimalScanner, powersOfTen as powers } from '../io/decimal.ts';
import { parseNumber } from '../io/number-word.ts';
import { isSingle } from '../io/single-precision.ts';

/** Maximum length of a number in bytes. It also limits the bytes that are carried over from one chunk to the next. */
export const longestWord = 1024;

/** Returns the value for a word that is not a number, given the error and its index in `values`. */
type Replace = (error: FormatError, index: number) => number;

/** Parses numbers separated by blanks into `values`, correctly rounded, without allocating strings. */
export class NumberScanner {
  readonly values: Float64Array;
  /** Number of values parsed; the caller resets it to 0. */
  count = 0;
  /** All values so far are 32-bit integers, written without decimal point. */
  whole = true;
  /** All values so far are exact Float32 numbers, or the shortest text of one. */
  single = true;
  /** An integer was rounded, because a double cannot hold it. */
  rounded = false;
  readonly #replace: Replace | undefined;
  readonly #nodataWord: string | undefined;
  #replaced = false;

  /**
   * @param replace absent: throws FormatError for a word that is not a number
   * @param nodataWord a word in small letters that stands for NaN
   */
  constructor(capacity: number, replace?: Replace, nodataWord?: string) {
    this.values = new Float64Array(capacity);
    this.#replace = replace;
    this.#nodataWord = nodataWord;
  }

  /**
   * Parses words from `bytes[from…end)` until there are `limit` values. The last byte before `end` must be a blank.
   * `base` is the file offset of `bytes[0]`, for errors. Returns the position where it stopped.
   */
  scan(bytes: Uint8Array, from: number, end: number, base: number, limit = this.values.length): number {
    const { values } = this;
    let { count, whole, single } = this;
    let at = from;
    while (count < limit) {
      while (at < end && bytes[at]! <= 32) at++;
      if (at >= end) break;
      const start = at;
      let c = bytes[at]!;
      const negative = c === 45;
      if (negative || c === 43) c = bytes[++at]!;
      // Most numbers have at most nine digits, which fit into a 32-bit integer. A function call per number would cost
      // 50 % more time.
      let mantissa = 0;
      let digits = 0;
      let fraction = 0;
      let d = c - 48;
      while (d >= 0 && d <= 9 && digits < 9) {
        mantissa = (Math.imul(mantissa, 10) + d) | 0;
        digits++;
        d = bytes[++at]! - 48;
      }
      const dot = d === -2 || d === -4;
      if (dot) {
        d = bytes[++at]! - 48;
        while (d >= 0 && d <= 9 && digits < 9) {
          mantissa = (Math.imul(mantissa, 10) + d) | 0;
          digits++;
          fraction++;
          d = bytes[++at]! - 48;
        }
      }
      let value: number;
      if (d <= -16 && digits > 0) {
        value = fraction === 0 ? mantissa : mantissa / powers[fraction]!;
        if (dot) whole = false;
        if (
          single &&
          mantissa >= 1_000_000 &&
          Math.fround(value) !== value &&
          !isShortSingle(mantissa, fraction, value)
        )
          single = false;
        if (negative) value = -value;
      } else {
        while (at < end && bytes[at]! > 32) at++;
        value = this.#long(bytes, start, at, base, count);
        if (this.#replaced) this.#replaced = false;
        else {
          if (whole && !(Number.isInteger(value) && Math.abs(value) <= 0x7fffffff && isPlain(bytes, start, at)))
            whole = false;
          if (single && !isSingle(value)) single = false;
          if (Math.abs(value) > Number.MAX_SAFE_INTEGER && !isExact(bytes, start, at, value)) this.rounded = true;
        }
      }
      values[count++] = value;
    }
    this.count = count;
    this.whole = whole;
    this.single = single;
    return at;
  }

  #isNodata(bytes: Uint8Array, start: number, end: number): boolean {
    const word = this.#nodataWord;
    if (word?.length !== end - start) return false;
    return (
      Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
        .toString('latin1')
        .toLowerCase() === word
    );
  }

  #long(bytes: Uint8Array, start: number, end: number, base: number, index: number): number {
    try {
      return longNumber(bytes, start, end, base);
    } catch (error) {
      if (this.#isNodata(bytes, start, end)) return Number.NaN;
      if (this.#replace === undefined || !(error instanceof FormatError)) throw error;
      this.#replaced = true;
      return this.#replace(error, index);
    }
  }
}

/**
 * Whether `value`, which is mantissa / 10^fraction (7 to 9 digits), is the shortest decimal number that rounds to its
 * Float32.
 */
function isShortSingle(mantissa: number, fraction: number, value: number): boolean {
  let digits = mantissa;
  let places = fraction;
  while (places > 0 && digits % 10 === 0) {
    digits /= 10;
    places--;
  }
  // Float32 preserves six digits in any case
  if (digits < 1_000_000) return true;
  if (places === 0) return isSingle(value);
  const float = Math.fround(value);
  if (Math.round(float * powers[places]!) !== digits) return false;
  return Math.fround(Math.round(float * powers[places - 1]!) / powers[places - 1]!) !== float;
}

/**
 * Whether an integer above 2^53 was parsed without rounding. True for numbers with a point or an exponent, where
 * rounding is expected.
 */
function isExact(bytes: Uint8Array, start: number, end: number, value: number): boolean {
  if (!Number.isFinite(value) || end - start > 400) return true;
  const digits = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
  return !/^[+-]?\d+$/.test(digits) || BigInt(digits.replace('+', '')) === BigInt(value);
}

/** Without decimal point and exponent. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 57 || bytes[at]! === 46 || bytes[at]! === 44) return false;
  return true;
}

const decimal = new DecimalScanner({ decimalComma: true });

/**
 * Parses a number of more than nine digits, or with an exponent, or a word for infinity or NaN.
 * @throws FormatError if the word is none of these
 */
function longNumber(bytes: Uint8Array, start: number, end: number, base: number): number {
  const negative = bytes[start] === 45;
  const first = negative || bytes[start] === 43 ? start + 1 : start;
  const isDecimal = decimal.scan(bytes, first, end) === end && end - first > (decimal.places < 0 ? 0 : 1);
  const value = isDecimal ? decimal.value() : Number.NaN;
  if (Number.isNaN(value)) return slowNumber(bytes, start, end, base);
  return negative ? -value : value;
}

/** @throws FormatError if the word is not a number */
function slowNumber(bytes: Uint8Array, start: number, end: number, base: number): number {
  const word = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(end - start, longestWord)).toString(
    'latin1',
  );
  if (end - start < longestWord) {
    const value = parseNumber(word);
    if (value !== undefined) return value;
  }
  const shown = word.slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
  throw new FormatError(`'${shown}' is not a number.`, base + start);
}
