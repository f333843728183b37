import { FormatError } from '../../../errors.ts';

/** Numbers of `width` bits in runs and bit-packed groups (Encodings.md, "RLE"), read in pieces. */
export class RunLengths {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #width: number;
  #at: number;
  /** Values left of the run, and its value; -1 for a packed one. */
  #left = 0;
  #value = 0;
  #bit = 0;

  constructor(bytes: Buffer, start: number, end: number, width: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#width = width;
    if (width > 32) throw new FormatError(`Numbers of ${width} bits cannot be read.`);
  }

  read(target: Uint8Array | Uint32Array, from: number, count: number): void {
    for (let at = from; at < from + count; ) {
      if (this.#left === 0) this.#next();
      const taken = Math.min(this.#left, from + count - at);
      if (this.#value >= 0) target.fill(this.#value, at, at + taken);
      else this.#unpack(target, at, taken);
      this.#left -= taken;
      at += taken;
    }
  }

  #next(): void {
    let head = 0;
    for (let shift = 1; ; shift *= 128) {
      if (this.#at >= this.#end || shift > 2 ** 35) throw new FormatError('Runs of a page end too early.');
      const byte = this.#bytes[this.#at++]!;
      head += (byte & 127) * shift;
      if (byte < 128) break;
    }
    const bytes = (this.#width + 7) >> 3;
    if (head % 2 === 0) {
      if (this.#at + bytes > this.#end) throw new FormatError('A run of a page ends too early.');
      this.#left = head / 2;
      this.#value = bytes === 0 ? 0 : this.#bytes.readUIntLE(this.#at, bytes);
      this.#at += bytes;
      if (this.#left === 0) throw new FormatError('A run of a page has no values.');
      return;
    }
    const groups = (head - 1) / 2;
    // the last group may be cut where no values are left
    const length = Math.min(groups * this.#width, this.#end - this.#at);
    this.#left = this.#width === 0 ? groups * 8 : Math.floor((8 * length) / this.#width);
    this.#value = -1;
    this.#bit = 8 * this.#at;
    this.#at += length;
    if (this.#left === 0) throw new FormatError('A packed run of a page has no values.');
  }

  #unpack(target: Uint8Array | Uint32Array, from: number, count: number): void {
    const bytes = this.#bytes;
    const width = this.#width;
    let bit = this.#bit;
    for (let n = 0; n < count; n++, bit += width) target[from + n] = bitsAt(bytes, bit, width);
    this.#bit = bit;
  }
}

/** Up to 32 bits, the lowest first. */
export function bitsAt(bytes: Buffer, bit: number, width: number): number {
  const at = Math.floor(bit / 8);
  const shift = bit % 8;
  if (width <= 24) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    return (word >>> shift) & ((1 << width) - 1);
  }
  let value = 0;
  for (let n = 0; 8 * n < shift + width; n++) value += (bytes[at + n] ?? 0) * 2 ** (8 * n);
  return Math.floor(value / 2 ** shift) % 2 ** width;
}
