import type { Samples, SampleType } from '../../data/item.ts';
import { sampleArrays } from '../../data/samples.ts';
import type { MosaicMethod } from '../steps/join-shapes.ts';

/** Merges the values of a block of cells. Cells without any value keep what they were filled with. */
export class Merge {
  readonly #method: MosaicMethod;
  readonly #values: Samples;
  readonly #sums: Float64Array | undefined;
  /** Numbers of values; of methods but the mean 1 for any. */
  readonly #counts: Uint16Array;

  constructor(method: MosaicMethod, type: SampleType, cells: number, fill: number) {
    this.#method = method;
    this.#values = new sampleArrays[type](cells).fill(fill);
    this.#sums = method === 'mean' ? new Float64Array(cells) : undefined;
    this.#counts = new Uint16Array(cells);
  }

  /** Adds values to the cells from `at` on. */
  add(values: Samples, at: number, isEmpty: (value: number) => boolean): void {
    const merged = this.#values;
    const counts = this.#counts;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (isEmpty(value)) continue;
      const cell = at + i;
      if (this.#sums !== undefined) {
        this.#sums[cell]! += value;
        counts[cell]!++;
      } else if (counts[cell] === 0 || this.#wins(value, merged[cell]!)) {
        merged[cell] = value;
        counts[cell] = 1;
      }
    }
  }

  #wins(value: number, before: number): boolean {
    switch (this.#method) {
      case 'last':
        return true;
      case 'min':
        return value < before;
      case 'max':
        return value > before;
      default:
        return false;
    }
  }

  finish(): Samples {
    const sums = this.#sums;
    if (sums !== undefined)
      for (let cell = 0; cell < sums.length; cell++)
        if (this.#counts[cell]! > 0) this.#values[cell] = sums[cell]! / this.#counts[cell]!;
    return this.#values;
  }
}
