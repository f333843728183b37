import { FormatError } from '../../../errors.ts';

/** Unsigned numbers of up to 32 bits, the most significant bit first. */
export class Bits {
  readonly #bytes: Buffer;
  /** Next bit. */
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return 8 * this.#bytes.length - this.#at;
  }

  next(width: number): number {
    if (width > this.left) throw new FormatError(`The packed values end after ${this.#bytes.length} bytes.`);
    const start = this.#at;
    this.#at += width;
    let value = 0;
    for (let bit = start, left = width; left > 0; ) {
      const free = 8 - (bit & 7);
      const taken = Math.min(free, left);
      const part = (this.#bytes[bit >> 3]! >> (free - taken)) & ((1 << taken) - 1);
      value = value * 2 ** taken + part;
      bit += taken;
      left -= taken;
    }
    return value;
  }

  /** Number of zeros before the next one, which is skipped. */
  zeros(): number {
    let count = 0;
    for (;;) {
      if (this.left <= 0) throw new FormatError(`The packed values end after ${this.#bytes.length} bytes.`);
      const byte = this.#bytes[this.#at >> 3]! & (0xff >> (this.#at & 7));
      const inByte = 8 - (this.#at & 7);
      if (byte !== 0) {
        const before = Math.clz32(byte) - 24 - (8 - inByte);
        this.#at += before + 1;
        return count + before;
      }
      count += inByte;
      this.#at += inByte;
    }
  }

  /** `count` numbers of the same width. */
  numbers(count: number, width: number): Uint32Array {
    if (count * width > this.left)
      throw new FormatError(`${count} values of ${width} bits do not fit in ${this.#bytes.length} bytes.`);
    const values = new Uint32Array(count);
    if (width === 0) return values;
    if (width > 24) {
      for (let n = 0; n < count; n++) values[n] = this.next(width);
      return values;
    }
    const bytes = this.#bytes;
    let byte = this.#at >> 3;
    let held = 8 - (this.#at & 7);
    let bits = held === 8 ? 0 : bytes[byte++]! & ((1 << held) - 1);
    if (held === 8) held = 0;
    for (let n = 0; n < count; n++) {
      while (held < width) {
        bits = (bits << 8) | bytes[byte++]!;
        held += 8;
      }
      held -= width;
      values[n] = bits >>> held;
      bits &= (1 << held) - 1;
    }
    this.#at += count * width;
    return values;
  }

  /** Continues with a whole byte. */
  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
