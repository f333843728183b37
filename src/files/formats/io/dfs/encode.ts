import type { ExactIntegers, Item, Samples } from '../../../data/item.ts';
import { sampleArrays, sampleTypeOf } from '../../../data/samples.ts';
import { asSamples } from '../../../data/stored-values.ts';
import type { Context } from '../../define.ts';

/** Types that all programs can read. Integers are converted to one of them. */
export type WrittenType = 'Float32' | 'Float64';

/** Types with values that single precision may round. */
const beyondSingle: readonly unknown[] = ['Float64', 'Int32', 'UInt32'];

/**
 * Double precision only if single precision may round the values, and the request does not ask for single precision.
 */
export const writtenType = ({ type, integer64 }: Item, asFloat: boolean): WrittenType =>
  !asFloat && (beyondSingle.includes(type) || integer64 !== undefined) ? 'Float64' : 'Float32';

/**
 * Turns the values of an item into those of a DFS file: applies scale and offset, and replaces "no data" by the file's
 * delete value.
 */
export class ValueEncoder {
  readonly type: WrittenType;
  readonly #item: Item;
  readonly #deleteValue: number;
  readonly #keepNaN: boolean;
  #rounded = 0;

  /** `keepNaN`: NaN is a value, as in DFS files, unless it is the item's own value for no data. */
  constructor(item: Item, type: WrittenType, deleteValue: number, keepNaN: boolean) {
    this.#item = item;
    this.type = type;
    this.#deleteValue = deleteValue;
    this.#keepNaN = keepNaN && !Number.isNaN(item.nodata ?? 0);
  }

  /** The memory of the values belongs to the encoder from then on. */
  encode(values: Samples | ExactIntegers): Samples {
    const numbers = asSamples(values);
    const { scale = 1, offset = 0, nodata } = this.#item;
    const [own, made] = [declaredIn(numbers, nodata), declaredIn(new sampleArrays[this.type](0), this.#deleteValue)!];
    const plain = scale === 1 && offset === 0 && sampleTypeOf(numbers) === this.type;
    if (plain && this.#keepNaN && (own === undefined || own === made)) return numbers;
    const encoded = plain ? numbers : new sampleArrays[this.type](numbers.length);
    const check = this.type === 'Float32' && !(numbers instanceof Float32Array);
    let rounded = 0;
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i]!;
      if (value === own || (!this.#keepNaN && Number.isNaN(value))) encoded[i] = made;
      else {
        // −0 + 0 would be 0.
        const real = scale === 1 && offset === 0 ? value : value * scale + offset;
        encoded[i] = real;
        if (check && encoded[i] !== real && !Number.isNaN(real)) rounded++;
      }
    }
    this.#rounded += rounded;
    return encoded;
  }

  report({ reportLoss }: Pick<Context, 'reportLoss'>): void {
    const { name } = this.#item;
    if (this.#rounded > 0)
      reportLoss(
        `${this.#rounded} values${name === undefined ? '' : ` of '${name}'`} were rounded to single precision.`,
      );
  }
}

/** The value that means "no data" in values of that type. */
const declaredIn = (values: Samples, nodata: number | undefined): number | undefined =>
  nodata !== undefined && values instanceof Float32Array ? Math.fround(nodata) : nodata;
