const size = 1 << 15;

/**
 * Allocates small arrays as views of larger ones: a buffer for each of a million features would take more memory than
 * its content.
 */
export class CoordinatePool {
  #doubles = new Float64Array(0);
  #doublesUsed = 0;
  #starts = new Uint32Array(0);
  #startsUsed = 0;

  /** An array of zeros. */
  coordinates(length: number): Float64Array {
    if (length > size >> 2) return new Float64Array(length);
    if (this.#doublesUsed + length > this.#doubles.length) {
      this.#doubles = new Float64Array(size);
      this.#doublesUsed = 0;
    }
    this.#doublesUsed += length;
    return this.#doubles.subarray(this.#doublesUsed - length, this.#doublesUsed);
  }

  starts(length: number): Uint32Array {
    if (length > size >> 4) return new Uint32Array(length);
    if (this.#startsUsed + length > this.#starts.length) {
      this.#starts = new Uint32Array(size >> 2);
      this.#startsUsed = 0;
    }
    this.#startsUsed += length;
    return this.#starts.subarray(this.#startsUsed - length, this.#startsUsed);
  }
}
