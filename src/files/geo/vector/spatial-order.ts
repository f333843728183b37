import { grown } from '../../data/number-list.ts';

/** A remark of writers that put features in order. */
export const REORDERED = 'Features stand in the order of a Hilbert curve, not in that of the input.';

const sides = 0xffff;
/** A power of two, so that a remainder needs no division. */
const featuresAStep = 1 << 15;

/**
 * Place of a cell of a grid of 65,536 × 65,536 on the Hilbert curve. Quadrant by quadrant, in which the curve may be
 * turned: with the axes exchanged, and backwards along both. Without branches, which a processor cannot predict here.
 */
function hilbert(column: number, row: number): number {
  let [place, exchanged, backwards] = [0, 0, 0];
  for (let bit = 15; bit >= 0; bit--) {
    const x = (column >>> bit) & 1;
    const y = (row >>> bit) & 1;
    const differs = (x ^ y) & exchanged;
    const right = x ^ differs ^ backwards;
    const upper = y ^ differs ^ backwards;
    place = (place << 2) | ((3 * right) ^ upper);
    exchanged ^= upper ^ 1;
    backwards ^= right & (upper ^ 1);
  }
  return place >>> 0;
}

/**
 * The boxes of features (west, south, east, north; of a feature without a place all infinite), and the box around them.
 */
export class Boxes {
  length = 0;
  readonly whole: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  #numbers = new Float64Array(4 * 1024);

  add(west: number, south: number, east: number, north: number): void {
    const at = 4 * this.length++;
    if (at === this.#numbers.length) this.#numbers = grown(this.#numbers);
    this.#numbers[at] = west;
    this.#numbers[at + 1] = south;
    this.#numbers[at + 2] = east;
    this.#numbers[at + 3] = north;
    const { whole } = this;
    if (west < whole[0]) whole[0] = west;
    if (south < whole[1]) whole[1] = south;
    if (east > whole[2]) whole[2] = east;
    if (north > whole[3]) whole[3] = north;
  }

  /** Copies the box of a feature; or widens the box at `to` by it. */
  copy(feature: number, target: Float64Array, to: number, widen = false): void {
    const from = 4 * feature;
    for (let k = 0; k < 4; k++) {
      const value = this.#numbers[from + k]!;
      if (!widen || (k < 2 ? value < target[to + k]! : value > target[to + k]!)) target[to + k] = value;
    }
  }

  /**
   * The features along the Hilbert curve through the centres of their boxes; equal ones in their order, those without a
   * place last.
   */
  order(): Uint32Array {
    const ordering = this.ordering();
    for (;;) {
      const { done, value } = ordering.next();
      if (done) return value;
    }
  }

  /** `order` in steps of milliseconds, for processes that do other things between them. */
  *ordering(): Generator<void, Uint32Array> {
    const { length, whole } = this;
    const numbers = this.#numbers;
    const [west, south, east, north] = whole;
    const [width, height] = [east - west, north - south];
    const keys = new Uint32Array(length);
    const cell = (centre: number, from: number, size: number) =>
      size > 0 ? Math.min(sides, Math.floor((sides * (centre - from)) / size)) : 0;
    for (let n = 0, at = 0; n < length; n++, at += 4) {
      if (n % featuresAStep === featuresAStep - 1) yield;
      const x = numbers[at]! / 2 + numbers[at + 2]! / 2;
      const y = numbers[at + 1]! / 2 + numbers[at + 3]! / 2;
      const isPlaced = numbers[at]! <= numbers[at + 2]!;
      keys[n] = isPlaced ? hilbert(cell(x, west, width), cell(y, south, height)) : 0xffffffff;
    }
    return yield* sorted(keys);
  }
}

/** Whether the order is that of the input. */
export const isAscending = (order: Uint32Array): boolean => order.every((feature, n) => feature === n);

/** The indices of the keys in ascending order of the keys: a radix sort in two passes. */
function* sorted(keys: Uint32Array): Generator<void, Uint32Array> {
  const { length } = keys;
  let order = new Uint32Array(length);
  for (let n = 0; n < length; n++) order[n] = n;
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(0x10001);
    for (const key of keys) starts[((key >>> shift) & sides) + 1]!++;
    for (let n = 1; n < starts.length; n++) starts[n]! += starts[n - 1]!;
    yield;
    const next = new Uint32Array(length);
    for (let n = 0; n < length; n++) {
      if (n % featuresAStep === featuresAStep - 1) yield;
      const feature = order[n]!;
      next[starts[(keys[feature]! >>> shift) & sides]!++] = feature;
    }
    order = next;
  }
  return order;
}
