import type { Samples } from '../../../data/item.ts';
import { sampleTypeOf } from '../../../data/samples.ts';
import { type DeleteValues, type DfsSummary, deleteValueOf } from './header.ts';
import { NO_VALUE } from './tags.ts';

export const emptySummary: DfsSummary = { maximum: NO_VALUE, minimum: NO_VALUE, deleted: 0 };

/**
 * Extremes and number of deleted values of one item, by the rule of DHI's library: NaN is a value, and the first value
 * initialises both extremes.
 */
export class SummaryTally {
  readonly #deleteValues: DeleteValues;
  #maximum = NO_VALUE;
  #minimum = NO_VALUE;
  #deleted = 0;
  #any = false;

  constructor(deleteValues: DeleteValues) {
    this.#deleteValues = deleteValues;
  }

  add(values: Samples): void {
    const type = sampleTypeOf(values);
    const deleted = deleteValueOf(this.#deleteValues, type);
    // The library counts all values of types without a delete value as deleted.
    if (deleted === undefined) this.#deleted += values.length;
    else this.#count(values, deleted);
  }

  #count(values: Samples, deleteValue: number): void {
    let at = 0;
    let deleted = 0;
    if (!this.#any) {
      while (at < values.length && values[at] === deleteValue) at++;
      deleted = at;
      if (at < values.length) {
        this.#any = true;
        this.#maximum = values[at]!;
        this.#minimum = values[at]!;
      }
    }
    let [max, min] = [this.#maximum, this.#minimum];
    for (; at < values.length; at++) {
      const value = values[at]!;
      if (value === deleteValue) deleted++;
      else {
        max = max > value ? max : value;
        min = min < value ? min : value;
      }
    }
    this.#maximum = max;
    this.#minimum = min;
    this.#deleted += deleted;
  }

  summary(): DfsSummary {
    return { maximum: this.#maximum, minimum: this.#minimum, deleted: this.#deleted };
  }
}

/**
 * Numbers per element: maximum, minimum, sum, sum of squares, sum of products with the value before, last value,
 * values, products, deleted.
 */
export const STATISTICS = 9;

/** Statistics of each element over the steps. */
export class RegularStatistics {
  readonly #deleteValues: DeleteValues;
  readonly #numbers: Float64Array;
  /** The last step had a value. */
  readonly #valid: Uint8Array;

  constructor(elements: number, deleteValues: DeleteValues) {
    this.#deleteValues = deleteValues;
    this.#numbers = new Float64Array(STATISTICS * elements);
    this.#valid = new Uint8Array(elements);
    for (let at = 0; at < this.#numbers.length; at += STATISTICS) {
      this.#numbers[at] = NO_VALUE;
      this.#numbers[at + 1] = NO_VALUE;
      this.#numbers[at + 5] = NO_VALUE;
    }
  }

  /** Values of elements from `first` on at the next step. */
  add(values: Samples, first: number): void {
    const deleteValue = deleteValueOf(this.#deleteValues, sampleTypeOf(values));
    for (let i = 0; i < values.length; i++) this.#add(first + i, values[i]!, deleteValue);
  }

  /** Values of the first element at the next steps. */
  addSteps(values: Samples): void {
    const deleteValue = deleteValueOf(this.#deleteValues, sampleTypeOf(values));
    for (let i = 0; i < values.length; i++) this.#add(0, values[i]!, deleteValue);
  }

  #add(element: number, value: number, deleteValue: number | undefined): void {
    const numbers = this.#numbers;
    const at = STATISTICS * element;
    const last = numbers[at + 5]!;
    const followed = this.#valid[element] === 1;
    const valid = deleteValue !== undefined && value !== deleteValue;
    this.#valid[element] = valid ? 1 : 0;
    numbers[at + 5] = valid ? value : NO_VALUE;
    if (!valid) {
      numbers[at + 8]!++;
      return;
    }
    if (numbers[at + 6]! === 0) {
      numbers[at] = value;
      numbers[at + 1] = value;
    } else {
      numbers[at] = numbers[at]! > value ? numbers[at]! : value;
      numbers[at + 1] = numbers[at + 1]! < value ? numbers[at + 1]! : value;
    }
    numbers[at + 2]! += value;
    numbers[at + 3]! += value * value;
    numbers[at + 6]!++;
    if (!followed) return;
    numbers[at + 4]! += value * last;
    numbers[at + 7]!++;
  }

  numbers(): Float64Array {
    return this.#numbers;
  }
}
