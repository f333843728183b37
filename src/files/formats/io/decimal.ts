/** 10^0 … 10^22: the powers of ten that a double holds exactly. */
export const powersOfTen = Float64Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));

const [comma, point] = [44, 46];

/**
 * Parses unsigned decimal numbers (digits with at most one decimal point) without allocating strings. The caller parses
 * signs and exponents, which differ between formats. Nine digits fit into a 32-bit integer, the next nine into a second
 * one.
 */
export class DecimalScanner {
  /** Number of fractional digits kept; -1 without a decimal point. */
  places = -1;
  /** The first nine digits without the point. */
  #high = 0;
  /** The next nine digits. */
  #low = 0;
  #lowDigits = 0;
  /** Dropped fractional digits are not all zero. */
  #more = false;
  /** Integer digits were dropped. */
  #tooLong = false;
  readonly #separator: number;

  /** @param decimalComma accepts a comma as decimal point, too */
  constructor({ decimalComma = false } = {}) {
    this.#separator = decimalComma ? comma : point;
  }

  /**
   * Parses `bytes[start…limit)` up to the first byte that is not part of the number. Returns the position of that byte.
   */
  scan(bytes: Uint8Array, start: number, limit: number): number {
    let at = start;
    let stop = start + 9 < limit ? start + 9 : limit;
    let high = 0;
    for (; at < stop && isDigit(bytes[at]!); at++) high = (Math.imul(high, 10) + bytes[at]! - 48) | 0;
    this.#more = false;
    this.#tooLong = false;
    let low = 0;
    let lowDigits = 0;
    if (at === stop) {
      const first = at;
      const kept = at + 9 < limit ? at + 9 : limit;
      for (; at < kept && isDigit(bytes[at]!); at++) low = (Math.imul(low, 10) + bytes[at]! - 48) | 0;
      lowDigits = at - first;
      for (; at < limit && isDigit(bytes[at]!); at++) this.#tooLong = true;
    }
    let places = -1;
    if (at < limit && (bytes[at] === point || bytes[at] === this.#separator)) {
      const first = ++at;
      stop = stop < limit ? stop + 1 : limit;
      for (; at < stop && isDigit(bytes[at]!); at++) high = (Math.imul(high, 10) + bytes[at]! - 48) | 0;
      const left = at + 9 - lowDigits;
      stop = left < limit ? left : limit;
      const firstLow = at;
      for (; at < stop && isDigit(bytes[at]!); at++) low = (Math.imul(low, 10) + bytes[at]! - 48) | 0;
      lowDigits += at - firstLow;
      places = at - first;
      for (; at < limit && isDigit(bytes[at]!); at++) if (bytes[at]! > 48) this.#more = true;
    }
    this.#high = high;
    this.#low = low;
    this.#lowDigits = lowDigits;
    this.places = places;
    return at;
  }

  /** The parsed number, correctly rounded; NaN if 18 digits do not determine the nearest double. */
  value(): number {
    if (this.#tooLong) return Number.NaN;
    return nearestDouble(this.#high, this.#low, this.#lowDigits, Math.max(0, this.places), this.#more);
  }
}

/**
 * The double nearest to (high · 10^lowDigits + low) / 10^places. `high` and `low` are integers of at most nine digits.
 * NaN if two doubles are possible because digits were dropped (`more`); then parse the text with `Number`.
 */
export function nearestDouble(high: number, low: number, lowDigits: number, places: number, more: boolean): number {
  const power = powersOfTen[places]!;
  // division of two exact integers is correctly rounded (IEEE 754)
  if (lowDigits === 0) return high / power;
  const big = high * powersOfTen[lowDigits]!;
  const whole = big + low;
  return whole <= Number.MAX_SAFE_INTEGER && !more ? whole / power : quotient(big, low, power, more ? 1 : 0);
}

const isDigit = (c: number): boolean => c >= 48 && c <= 57;

const form = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][+-]?\d+)?$/;
const cell = new DecimalScanner();

/**
 * Parses `bytes[start…end)` as a decimal number with optional sign and exponent, also of Fortran (`1.0D+03`). Undefined
 * if they are not a number.
 */
export function decimalNumber(bytes: Buffer, start: number, end: number): number | undefined {
  const negative = bytes[start] === 45;
  const first = negative || bytes[start] === 43 ? start + 1 : start;
  const isNumber = cell.scan(bytes, first, end) === end && end - first > (cell.places < 0 ? 0 : 1);
  const value = isNumber ? cell.value() : Number.NaN;
  if (!Number.isNaN(value)) return negative ? -value : value;
  const text = bytes.toString('latin1', start, end);
  return form.test(text) ? Number(text.replace(/d/i, 'e')) : undefined;
}

/**
 * The double nearest to x / divisor, where x is between big + small and big + small + slack; NaN if two doubles are
 * possible. `big` and `small` are exact integers.
 */
function quotient(big: number, small: number, divisor: number, slack: number): number {
  const sum = big + small;
  const rest = small - (sum - big);
  const first = sum / divisor;
  // rounding error of first · divisor (Dekker 1971, with Veltkamp's split by 2^27 + 1)
  const product = first * divisor;
  const a = 134217729 * first;
  const firstHigh = a - (a - first);
  const firstLow = first - firstHigh;
  const b = 134217729 * divisor;
  const divisorHigh = b - (b - divisor);
  const divisorLow = divisor - divisorHigh;
  const error =
    firstLow * divisorLow - (product - firstHigh * divisorHigh - firstLow * divisorHigh - firstHigh * divisorLow);
  const second = (sum - product - error + rest) / divisor;
  const doubt = first * 2 ** -98;
  const lowest = first + (second - doubt);
  const highest = first + (second + slack / divisor + doubt);
  return lowest === highest ? lowest : Number.NaN;
}
