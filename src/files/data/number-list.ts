type NumberArray = Float64Array | Uint32Array | Uint8Array;

/** A growing array of numbers. */
export class NumberList<A extends NumberArray> {
  length = 0;
  #values: A;
  readonly #type: new (
    length: number,
  ) => A;

  constructor(type: new (length: number) => A) {
    this.#type = type;
    this.#values = new type(1 << 10);
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.room(1);
    this.#values[this.length++] = value;
  }

  /** The array with room for `count` more numbers at `length`. The caller must advance `length`. */
  room(count: number): A {
    if (this.length + count > this.#values.length) {
      const larger = new this.#type(Math.max(2 * this.#values.length, this.length + count));
      larger.set(this.#values.subarray(0, this.length));
      this.#values = larger;
    }
    return this.#values;
  }

  usedNames(): A {
    return this.#values.subarray(0, this.length) as A;
  }
}
