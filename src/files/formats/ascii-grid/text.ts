import type { Samples } from '../../data/item.ts';
import { powersOfTen as powers } from '../io/decimal.ts';

/** Maximum length of a number and a blank: -1.2345678901234567e-300. */
const longestText = 26;

/**
 * Writes each number as the shortest text that parses to the same number of its type. `places` is the number of
 * decimals of the last number: neighbours mostly have the same. The loops are not shared with `io/number-text.ts`,
 * because a function call per number costs 12 % more time.
 */
export class NumberWriter {
  readonly #capacity: number;
  readonly #bytes: Buffer;
  #count = 0;
  #length = 0;
  #places = 0;

  constructor(numbers: number) {
    this.#capacity = numbers;
    this.#bytes = Buffer.allocUnsafeSlow(numbers * longestText);
  }

  /** How many more numbers `add` accepts before `take`. */
  get room(): number {
    return this.#capacity - this.#count;
  }

  /** Writes `samples[from…to)`, each followed by a blank. */
  add(samples: Samples | BigInt64Array | BigUint64Array, from: number, to: number): void {
    this.#count += to - from;
    if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
      for (let i = from; i < to; i++) this.#text(String(samples[i]));
      return;
    }
    if (samples instanceof Float32Array) for (let i = from; i < to; i++) this.#single(samples[i]!);
    else if (samples instanceof Float64Array) for (let i = from; i < to; i++) this.#double(samples[i]!);
    else for (let i = from; i < to; i++) this.#whole(samples[i]!);
  }

  /** Replaces the last blank by a line feed. */
  endLine(): void {
    this.#bytes[this.#length - 1] = 10;
  }

  /** Returns a copy of the text and clears the buffer. */
  take(): Buffer {
    const text = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(text, 0, 0, this.#length);
    this.#count = 0;
    this.#length = 0;
    return text;
  }

  #whole(value: number): void {
    if (value < 0) {
      this.#bytes[this.#length++] = 45;
      this.#digits(-value, 0);
    } else this.#digits(value, 0);
  }

  #single(value: number): void {
    const size = Math.abs(value);
    if (!(size >= 1e-5 && size < 1e9)) {
      if (size === 0 && !Object.is(value, -0)) this.#digits(0, 0);
      else this.#text(singleText(value));
      return;
    }
    // a Float32 needs at most nine digits, so `digits` stays below 10^9 and the divisions are correctly rounded
    let places = this.#places;
    while (places > 0 && size * powers[places]! >= 1e9) places--;
    let digits = Math.round(size * powers[places]!);
    while (Math.fround(digits / powers[places]!) !== size) {
      places++;
      digits = Math.round(size * powers[places]!);
    }
    while (places > 0) {
      const fewer = Math.round(size * powers[places - 1]!);
      if (Math.fround(fewer / powers[places - 1]!) !== size) break;
      digits = fewer;
      places--;
    }
    this.#places = places;
    if (value < 0) this.#bytes[this.#length++] = 45;
    this.#digits(digits, places);
  }

  #double(value: number): void {
    const size = Math.abs(value);
    if (!(size >= 1e-5 && size < 1e15)) {
      if (size === 0 && !Object.is(value, -0)) this.#digits(0, 0);
      else this.#text(doubleText(value));
      return;
    }
    let places = this.#places;
    while (places > 0 && size * powers[places]! >= 1e15) places--;
    let digits = Math.round(size * powers[places]!);
    while (digits / powers[places]! !== size) {
      if (digits >= 1e15 || places === 22) {
        this.#text(doubleText(value));
        return;
      }
      places++;
      digits = Math.round(size * powers[places]!);
    }
    while (places > 0) {
      const fewer = Math.round(size * powers[places - 1]!);
      if (fewer / powers[places - 1]! !== size) break;
      digits = fewer;
      places--;
    }
    this.#places = places;
    if (value < 0) this.#bytes[this.#length++] = 45;
    this.#digits(digits, places);
  }

  /** Writes digits / 10^places and a blank; `digits` is an integer below 2^53. */
  #digits(digits: number, places: number): void {
    const bytes = this.#bytes;
    let count = places + 1;
    while (count < 16 && digits >= powers[count]!) count++;
    let at = this.#length + count + (places > 0 ? 1 : 0);
    this.#length = at + 1;
    bytes[at] = 32;
    let left = places > 0 ? places : -1;
    let rest = digits;
    // from the last digit to the first, in 32-bit arithmetic as soon as the rest fits
    while (count > 0) {
      let low = 0;
      let take = count;
      if (rest > 0x7fffffff) {
        const high = Math.floor(rest / 1e9);
        low = rest - high * 1e9;
        rest = high;
        take = 9;
      } else low = rest;
      for (let n = 0; n < take; n++) {
        const tenth = (low / 10) | 0;
        bytes[--at] = 48 + low - tenth * 10;
        low = tenth;
        if (--left === 0) bytes[--at] = 46;
      }
      count -= take;
    }
  }

  #text(text: string): void {
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
    this.#bytes[this.#length++] = 32;
  }
}

const nonFiniteWord = (value: number): string | undefined =>
  Number.isFinite(value) ? undefined : Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';

export const doubleText = (value: number): string =>
  nonFiniteWord(value) ?? (Object.is(value, -0) ? '-0' : String(value));

/** The shortest text that parses to the Float32 nearest to `value`. */
export function singleText(value: number): string {
  const single = Math.fround(value);
  for (let digits = 1; Number.isFinite(single) && single !== 0 && digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return doubleText(shorter);
  }
  if (single === 0 || !Number.isFinite(single)) return doubleText(single);
  return doubleText(Number(single.toPrecision(9)));
}
