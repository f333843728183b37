import { DecimalScanner } from '../decimal.ts';

const [comma, point, plus, minus] = [44, 46, 43, 45];
const form = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

export type DecimalSeparator = '.' | ',';

/** Parses numbers with one decimal separator. Groups of thousands and exponents of Fortran are no numbers. */
export class Numbers {
  readonly separator: DecimalSeparator;
  readonly #scanner: DecimalScanner;
  readonly #other: number;

  constructor(separator: DecimalSeparator) {
    this.separator = separator;
    this.#scanner = new DecimalScanner({ decimalComma: separator === ',' });
    this.#other = separator === ',' ? point : -1;
  }

  /** The number that the bytes are, to the nearest double; NaN for other texts, and numbers beyond all doubles. */
  parse(bytes: Buffer, start: number, end: number): number {
    const scanner = this.#scanner;
    const negative = bytes[start] === minus;
    const first = negative || bytes[start] === plus ? start + 1 : start;
    const stop = scanner.scan(bytes, first, end);
    const { places } = scanner;
    if (stop === end && end - first > (places < 0 ? 0 : 1)) {
      if (this.#other >= 0 && places >= 0)
        for (let at = first; at < end; at++) if (bytes[at] === this.#other) return Number.NaN;
      const value = scanner.value();
      if (!Number.isNaN(value)) return negative ? -value : value;
    } else if (stop === first && bytes[first] !== comma && bytes[first] !== point) return Number.NaN;
    if (end - start > 400) return Number.NaN;
    const text = bytes.toString('latin1', start, end);
    if (this.separator === ',' && text.includes('.')) return Number.NaN;
    const word = this.separator === ',' ? text.replace(',', '.') : text;
    const value = form.test(word) ? Number(word) : Number.NaN;
    return Number.isFinite(value) ? value : Number.NaN;
  }
}

/** Whether the bytes are the word NaN, in any letter case. */
export const isNanWord = (bytes: Buffer, start: number, end: number): boolean =>
  end - start === 3 &&
  (bytes[start]! | 32) === 110 &&
  (bytes[start + 1]! | 32) === 97 &&
  (bytes[start + 2]! | 32) === 110;
