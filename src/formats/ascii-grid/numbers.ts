import { FormatError } from '../../errors.ts';
import { DecimalScanner, powersOfTen as powers } from '../io/decimal.ts';
import { parseNumber } from '../io/number-word.ts';

/** A word longer than this is no number. It also bounds what is carried from one chunk to the next. */
export const longestWord = 1024;

/** Given the error and the place among the values of a block. */
type Instead = (error: FormatError, index: number) => number;

/** Words separated by blanks, read into `values` without making strings; numbers are rounded correctly. */
export class NumberScanner {
  readonly values: Float64Array;
  /** Values read so far; the caller sets it back to 0. */
  count = 0;
  /** So far all are whole numbers, written as such, that fit 32 bits. */
  whole = true;
  /** So far each is what its Float32 would be written as, or exactly that Float32. */
  single = true;

  /** A whole number, written with all its digits, that no double is equal to. */
  rounded = false;
  readonly #instead: Instead | undefined;
  #replaced = false;

  /** `instead` gives the value of a word that is no number; without it such a word ends the reading. */
  constructor(capacity: number, instead?: Instead) {
    this.values = new Float64Array(capacity);
    this.#instead = instead;
  }

  /**
   * Reads words from `bytes[from…end)` until there are `limit` values. The last byte before `end` must be a blank.
   * Returns where it stopped. `base` is the place of `bytes[0]` in the file, for errors.
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
      // Up to nine digits make an exact 32-bit integer, nearly always all there is. A call for each number would cost half as much again.
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
        if (single && mantissa >= 1_000_000 && Math.fround(value) !== value && !isSingle(mantissa, fraction, value))
          single = false;
        if (negative) value = -value;
      } else {
        while (at < end && bytes[at]! > 32) at++;
        value = this.#long(bytes, start, at, base, count);
        if (this.#replaced) this.#replaced = false;
        else {
          if (whole && !(Number.isInteger(value) && Math.abs(value) <= 0x7fffffff && isPlain(bytes, start, at)))
            whole = false;
          if (single && !isSingleSlowly(value)) single = false;
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

  #long(bytes: Uint8Array, start: number, end: number, base: number, index: number): number {
    try {
      return longNumber(bytes, start, end, base);
    } catch (error) {
      if (this.#instead === undefined || !(error instanceof FormatError)) throw error;
      this.#replaced = true;
      return this.#instead(error, index);
    }
  }
}

/** Whether `mantissa / 10^fraction` (7 to 9 digits) is the shortest decimal number whose Float32 is that of `value`. */
function isSingle(mantissa: number, fraction: number, value: number): boolean {
  let digits = mantissa;
  let places = fraction;
  while (places > 0 && digits % 10 === 0) {
    digits /= 10;
    places--;
  }
  // Six digits always survive.
  if (digits < 1_000_000) return true;
  if (places === 0) return isSingleSlowly(value);
  const float = Math.fround(value);
  if (Math.round(float * powers[places]!) !== digits) return false;
  return Math.fround(Math.round(float * powers[places - 1]!) / powers[places - 1]!) !== float;
}

function isSingleSlowly(value: number): boolean {
  const float = Math.fround(value);
  if (float === value || Number.isNaN(value)) return true;
  if (!Number.isFinite(float)) return false;
  for (let digits = 1; digits <= 9; digits++) {
    const shorter = Number(float.toPrecision(digits));
    if (Math.fround(shorter) === float) return shorter === value;
  }
  return false;
}

/** Whether a whole number beyond 2^53 is what its digits say; numbers with an exponent are rounded by nature. */
function isExact(bytes: Uint8Array, start: number, end: number, value: number): boolean {
  if (!Number.isFinite(value) || end - start > 400) return true;
  const digits = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
  return !/^[+-]?\d+$/.test(digits) || BigInt(digits.replace('+', '')) === BigInt(value);
}

/** No point and no exponent. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 57 || bytes[at]! === 46 || bytes[at]! === 44) return false;
  return true;
}

const decimal = new DecimalScanner({ decimalComma: true });

/**
 * A number of more than nine digits, or with an exponent, or a word for infinite or not a number.
 * @throws FormatError when it is none of these
 */
function longNumber(bytes: Uint8Array, start: number, end: number, base: number): number {
  const negative = bytes[start] === 45;
  const first = negative || bytes[start] === 43 ? start + 1 : start;
  const isDecimal = decimal.scan(bytes, first, end) === end && end - first > (decimal.places < 0 ? 0 : 1);
  const value = isDecimal ? decimal.value() : Number.NaN;
  if (Number.isNaN(value)) return slowNumber(bytes, start, end, base);
  return negative ? -value : value;
}

/** @throws FormatError when the word is no number */
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
