import type { SampleType } from '../../../data/item.ts';
import { isSingle } from '../../../formats/io/single-precision.ts';
import type { BurnMethod } from '../../../geo/raster/burn.ts';

const least32 = -(2 ** 31);
const most32 = 2 ** 31 - 1;
const usualNodata = -9999;
/** The delete values of DHI's grids. */
const nodataOfFloats = { Float32: Math.fround(-1e-35), Float64: -1e-255 };

/** Collects the values that are burned, to choose type and nodata value of the raster. */
export class BurntValues {
  readonly #method: BurnMethod;
  #integers = true;
  #singles = true;
  #negative = false;
  #minimum = Infinity;
  #maximum = -Infinity;
  /** Greatest sum that any cell can reach, without signs. */
  #total = 0;
  #hasUsual = false;

  constructor(method: BurnMethod) {
    this.#method = method;
  }

  add(value: number): void {
    this.#integers &&= Number.isInteger(value);
    this.#singles &&= isSingle(value);
    this.#negative ||= value < 0;
    this.#hasUsual ||= value === usualNodata;
    this.#minimum = Math.min(this.#minimum, value);
    this.#maximum = Math.max(this.#maximum, value);
    this.#total += Math.abs(value);
  }

  /** A type that holds all values, and a nodata value that no cell can have. */
  band(): { readonly type: SampleType; readonly nodata: number } {
    const sums = this.#method === 'sum';
    const [low, high] = sums ? [-this.#total, this.#total] : [this.#minimum, this.#maximum];
    if (this.#integers && (low > least32 || low === Infinity) && high <= most32) {
      const clashes = this.#hasUsual || (sums && this.#negative);
      return { type: 'Int32', nodata: clashes ? least32 : usualNodata };
    }
    const type = this.#singles && !sums ? 'Float32' : 'Float64';
    return { type, nodata: nodataOfFloats[type] };
  }
}
