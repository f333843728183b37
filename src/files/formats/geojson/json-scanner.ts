import { isUtf8 } from 'node:buffer';
import { FormatError } from '../../errors.ts';
import { nearestDouble } from '../io/decimal.ts';
import { ScanBuffer } from './scan-buffer.ts';

const maxDepth = 500;
/** Maximum length of strings in the cache of recent strings. */
const maxCachedLength = 12;
const cp1252 = new TextDecoder('windows-1252');

/** Scans JSON as bytes, with the input read in pieces (see `ScanBuffer`). Methods named skip move behind a value. */
export class JsonScanner extends ScanBuffer {
  /** A string was not valid UTF-8 and was decoded as Windows-1252. */
  hasInvalidUtf8 = false;
  readonly #recent: string[] = new Array<string>(256).fill('');

  /** Skips white space and returns the next byte, 0 at the end of the file. */
  peek(): number {
    const { bytes } = this;
    let { at } = this;
    let c = bytes[at]!;
    while (c === 32 || c === 10 || c === 13 || c === 9) c = bytes[++at]!;
    this.at = at;
    if (c === 0 && at >= this.end) this.needMore();
    return at >= this.end ? 0 : c;
  }

  expect(c: number): void {
    if (this.peek() !== c) this.fail(`Expected '${String.fromCharCode(c)}', but found ${this.#found()}.`);
    this.at++;
  }

  #found(): string {
    const c = this.bytes[this.at]!;
    return c > 32 && c < 127 ? `'${String.fromCharCode(c)}'` : `byte ${c}`;
  }

  /**
   * Whether another element or member follows. Skips the comma before it, or the closing bracket. `first` is true after
   * the opening one.
   */
  more(close: number, first: boolean): boolean {
    const c = this.peek();
    if (c === close) {
      this.at++;
      return false;
    }
    if (first) return true;
    if (c !== 44) this.fail(`Expected ',' or '${String.fromCharCode(close)}', but found ${this.#found()}.`);
    this.at++;
    return true;
  }

  /** Reads a member name and skips the colon. */
  key(): string {
    const name = this.string();
    this.expect(58);
    return name;
  }

  string(): string {
    if (this.peek() !== 34) this.fail(`Expected a string, but found ${this.#found()}.`);
    const { bytes } = this;
    const start = this.at + 1;
    let at = start;
    let high = 0;
    for (let c = bytes[at]!; c !== 34; c = bytes[++at]!) {
      if (c === 92) return this.#escaped(start);
      if (c === 0 && at >= this.end) {
        this.at = at;
        this.fail('');
      }
      high |= c;
    }
    this.at = at + 1;
    if (high < 128) return at - start > maxCachedLength ? bytes.toString('latin1', start, at) : this.#cached(start, at);
    return this.#decode(start, at);
  }

  /** Short strings repeat often: names, types, words. A hash table of recent ones saves allocations. */
  #cached(start: number, end: number): string {
    const { bytes } = this;
    let hash = end - start;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
    const slot = hash & (this.#recent.length - 1);
    const text = this.#recent[slot]!;
    if (text.length === end - start) {
      let i = 0;
      while (i < text.length && text.charCodeAt(i) === bytes[start + i]) i++;
      if (i === text.length) return text;
    }
    const fresh = bytes.toString('latin1', start, end);
    this.#recent[slot] = fresh;
    return fresh;
  }

  #decode(start: number, end: number): string {
    const slice = this.bytes.subarray(start, end);
    if (isUtf8(slice)) return slice.toString('utf8');
    this.hasInvalidUtf8 = true;
    return cp1252.decode(slice);
  }

  #escaped(start: number): string {
    const { bytes } = this;
    let at = start;
    for (let c = bytes[at]!; c !== 34; c = bytes[++at]!) {
      if (c === 92) at++;
      if (at >= this.end) {
        this.at = this.end;
        this.fail('');
      }
    }
    try {
      const text: unknown = JSON.parse(
        `"${this.#decode(start, at).replace(/\p{Cc}/gu, (c) => JSON.stringify(c).slice(1, -1))}"`,
      );
      this.at = at + 1;
      return text as string;
    } catch {
      throw new FormatError('A string has an escape sequence that is not valid JSON.', this.base + start);
    }
  }

  /** Reads a number. With `exact`, an integer above 2^53 is a bigint. */
  number(exact: true): number | bigint;
  number(exact?: false): number;
  number(exact = false): number | bigint {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    const negative = bytes[at] === 45;
    if (negative) at++;
    // Nearly all of a file are numbers: a call of DecimalScanner for each takes a quarter longer than these loops.
    let high = 0;
    let low = 0;
    let digits = 0;
    let lowDigits = 0;
    let d = bytes[at]! - 48;
    while (d >= 0 && d <= 9 && digits < 8) {
      high = (Math.imul(high, 10) + d) | 0;
      digits++;
      d = bytes[++at]! - 48;
    }
    let places = 0;
    if (d === -2 && digits > 0) {
      const point = at;
      d = bytes[++at]! - 48;
      while (d >= 0 && d <= 9 && digits < 8) {
        high = (Math.imul(high, 10) + d) | 0;
        digits++;
        d = bytes[++at]! - 48;
      }
      while (d >= 0 && d <= 9 && lowDigits < 9) {
        low = (Math.imul(low, 10) + d) | 0;
        lowDigits++;
        d = bytes[++at]! - 48;
      }
      places = at - point - 1;
    }
    // Blanks and what may follow a number in JSON are below the digits, letters above.
    if (digits === 0 || (d >= 0 && d <= 9) || d === 53 || d === 21 || places > 22 || (d === -2 && places === 0))
      return this.#slowNumber(start, exact);
    if (at >= this.end) {
      this.at = at;
      this.needMore();
    }
    this.at = at;
    const value = lowDigits === 0 && places === 0 ? high : nearestDouble(high, low, lowDigits, places, false);
    if (Number.isNaN(value)) return this.#slowNumber(start, exact);
    return negative ? -value : value;
  }

  #slowNumber(start: number, exact: boolean): number | bigint {
    let at = start;
    while (numberByte[this.bytes[at]!] === 1) at++;
    this.at = at;
    if (at >= this.end) this.needMore();
    const text = this.bytes.toString('latin1', start, at);
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) {
      this.at = start;
      if (text === '') this.fail(`Expected a number, but found ${this.#found()}.`);
      this.fail(`'${text.slice(0, 40)}' is not a number.`);
    }
    const value = Number(text);
    return exact && text.length < 1000 && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? BigInt(text) : value;
  }

  /** Skips `null`, `true` or `false`. */
  literal(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.at] !== word.charCodeAt(i)) this.fail(`Expected ${word}.`);
      this.at++;
    }
  }

  /** Skips any value. */
  skip(): void {
    const c = this.peek();
    if (c === 34) this.skipString();
    else if (c === 123 || c === 91) this.#skipNested();
    else if (c === 116) this.literal('true');
    else if (c === 102) this.literal('false');
    else if (c === 110) this.literal('null');
    else this.number();
  }

  skipString(): void {
    const { bytes, end } = this;
    let at = this.at + 1;
    for (let c = bytes[at]!; c !== 34; c = bytes[++at]!) {
      if (c === 92) at++;
      if (at >= end) {
        this.at = end;
        this.fail('');
      }
    }
    this.at = at + 1;
  }

  #skipNested(): void {
    const { bytes, end } = this;
    let depth = 0;
    do {
      const c = bytes[this.at]!;
      if (c === 34) {
        this.skipString();
        continue;
      }
      if (this.at >= end) this.fail('');
      if (c === 123 || c === 91) {
        if (++depth > maxDepth) this.fail(`The JSON is nested more than ${maxDepth} deep.`);
      } else if (c === 125 || c === 93) depth--;
      this.at++;
    } while (depth > 0);
  }
}

/** 1 for bytes of valid and malformed numbers. */
const numberByte = Uint8Array.from({ length: 256 }, (_, c) =>
  /[\w.+-]/.test(String.fromCharCode(c)) && c < 128 ? 1 : 0,
);
