const sides = 0xffff;

/** Place of a cell of a grid of 65,536 × 65,536 on the Hilbert curve. */
function hilbert(column: number, row: number): number {
  let x = column;
  let y = row;
  let place = 0;
  for (let side = 0x8000; side > 0; side >>>= 1) {
    const right = (x & side) > 0 ? 1 : 0;
    const upper = (y & side) > 0 ? 1 : 0;
    place += side * side * ((3 * right) ^ upper);
    if (upper === 1) continue;
    if (right === 1) {
      x = sides - x;
      y = sides - y;
    }
    [x, y] = [y, x];
  }
  return place;
}

/** The boxes of features (west, south, east, north; of a feature without a place all infinite), and the box around them. */
export class Boxes {
  length = 0;
  readonly whole: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  #numbers = new Float64Array(4 * 1024);

  add(west: number, south: number, east: number, north: number): void {
    const at = 4 * this.length++;
    if (at === this.#numbers.length) {
      const more = new Float64Array(2 * at);
      more.set(this.#numbers);
      this.#numbers = more;
    }
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

  /** The features along the Hilbert curve through the centres of their boxes; equal ones in their order, those without a place last. */
  order(): Uint32Array {
    const { length, whole } = this;
    const [west, south, east, north] = whole;
    const [width, height] = [east - west, north - south];
    const keys = new Uint32Array(length);
    const cell = (centre: number, from: number, size: number) =>
      size > 0 ? Math.min(sides, Math.floor((sides * (centre - from)) / size)) : 0;
    for (let n = 0; n < length; n++) {
      const [w, s, e, t] = this.#numbers.subarray(4 * n, 4 * n + 4) as unknown as [number, number, number, number];
      keys[n] = w > e ? 0xffffffff : hilbert(cell(w / 2 + e / 2, west, width), cell(s / 2 + t / 2, south, height));
    }
    return sorted(keys);
  }
}

/** The indices of the keys in ascending order of the keys: a radix sort in two passes. */
function sorted(keys: Uint32Array): Uint32Array {
  let order = Uint32Array.from(keys, (_, n) => n);
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(0x10001);
    for (const key of keys) starts[((key >>> shift) & sides) + 1]!++;
    for (let n = 1; n < starts.length; n++) starts[n]! += starts[n - 1]!;
    const next = new Uint32Array(keys.length);
    for (const feature of order) next[starts[(keys[feature]! >>> shift) & sides]!++] = feature;
    order = next;
  }
  return order;
}
