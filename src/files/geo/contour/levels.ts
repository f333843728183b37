import { ConversionError } from '../../errors.ts';

/** Levels of contours: a list, or the multiples of an interval from a base. */
export type LevelChoice = { readonly levels: readonly number[] } | { readonly interval: number; readonly base: number };

/** Maximum number of levels between the lowest and the highest value. */
const maxLevels = 100_000;

/** The number of a value that is no data. */
export const NO_DATA = -(2 ** 31);

/**
 * Numbers values by the highest level at or below them, so that a value on a level counts as above it. Values between
 * two neighbouring levels have the same number, which is that of a band `[minimum, maximum)`.
 */
export class Levels {
  readonly #bounded: boolean;
  readonly #interval: number;
  readonly #base: number;
  /** Levels `#first … #first + #known.length - 1`. */
  #known: Float64Array;
  #first: number;
  /** The level below the last value, the one above it, and the number of both. */
  #below = Number.NaN;
  #above = Number.NaN;
  #number = 0;

  constructor(choice: LevelChoice) {
    if ('levels' in choice) {
      this.#known = Float64Array.from(new Set(choice.levels.map((level) => level + 0))).sort();
      [this.#bounded, this.#interval, this.#base] = [true, 0, 0];
    } else {
      this.#known = new Float64Array();
      [this.#bounded, this.#interval, this.#base] = [false, choice.interval, choice.base];
    }
    this.#first = 0;
  }

  /** The level of a number. A list has no others than those that it names. */
  at(number: number): number {
    return this.#known[number - this.#first]!;
  }

  /** Whether the band from level `number` to the next one lies between two levels. */
  isBand(number: number): boolean {
    return !this.#bounded || (number >= 0 && number < this.#known.length - 1);
  }

  /** The number of each value; `NO_DATA` for NaN. */
  numbersOf(values: Float64Array, numbers: Int32Array): void {
    // Neighbours mostly lie between the same levels.
    let [below, above, number] = [this.#below, this.#above, this.#number];
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (!(value >= below && value < above)) {
        if (Number.isNaN(value)) {
          numbers[i] = NO_DATA;
          continue;
        }
        number = this.numberOf(value);
        below = this.#below;
        above = this.#above;
      }
      numbers[i] = number;
    }
  }

  numberOf(value: number): number {
    if (value >= this.#below && value < this.#above) return this.#number;
    if (Number.isNaN(value)) return NO_DATA;
    this.#number = this.#bounded ? this.#searched(value) : this.#counted(value);
    return this.#number;
  }

  #searched(value: number): number {
    const levels = this.#known;
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (levels[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    this.#below = levels[low - 1] ?? -Infinity;
    this.#above = levels[low] ?? Infinity;
    return low - 1;
  }

  #counted(value: number): number {
    let number = Math.floor((value - this.#base) / this.#interval);
    this.#know(number - 1, number + 2, value);
    // The quotient is rounded, and so are the levels.
    if (this.at(number) > value) number--;
    else if (this.at(number + 1) <= value) number++;
    this.#below = this.at(number);
    this.#above = this.at(number + 1);
    return number;
  }

  #know(first: number, last: number, value: number): void {
    const [from, to] =
      this.#known.length === 0
        ? [first, last]
        : [Math.min(first, this.#first), Math.max(last, this.#first + this.#known.length - 1)];
    if (first >= this.#first && last < this.#first + this.#known.length) return;
    if (!(to - from <= maxLevels + 3 && Math.abs(from) < 2 ** 30 && Math.abs(to) < 2 ** 30))
      throw new ConversionError(
        `Contours every ${this.#interval} need more than ${maxLevels.toLocaleString('en')} levels: one of the values is ${value}. Use a greater interval, or a list of levels.`,
      );
    // With room on both sides, so that smooth data ask for more but rarely.
    const room = Math.min(maxLevels, to - from);
    const start = from - room;
    this.#known = Float64Array.from({ length: to + room - start + 1 }, (_, n) => this.#level(start + n));
    this.#first = start;
  }

  /** 15 digits: three times 0.1 is 0.3. */
  #level(number: number): number {
    return Number((this.#base + number * this.#interval).toPrecision(15)) + 0;
  }
}
