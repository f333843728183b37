type NumberArray = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** A copy with room for `least` numbers, and for twice as many as before. */
export function grown<A extends NumberArray>(numbers: A, least = 0): A {
  const larger = new (numbers.constructor as new (length: number) => A)(Math.max(2 * numbers.length, least));
  larger.set(numbers);
  return larger;
}

/** A growing array of numbers. */
export class NumberList<A extends NumberArray> {
  length = 0;
  #values: A;

  constructor(type: new (length: number) => A) {
    this.#values = new type(1 << 10);
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.room(1);
    this.#values[this.length++] = value;
  }

  /** The array with room for `count` more numbers at `length`. The caller must advance `length`. */
  room(count: number): A {
    if (this.length + count > this.#values.length) this.#values = grown(this.#values, this.length + count);
    return this.#values;
  }

  taken(): A {
    return this.#values.subarray(0, this.length) as A;
  }
}
