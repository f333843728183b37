import { FormatError } from '../../../errors.ts';
import { bitsAt } from './run-lengths.ts';

const maxBlock = 1 << 16;

/** Integers as differences (Encodings.md, "DELTA_BINARY_PACKED"), read in pieces. */
export class DeltaIntegers {
  /** Values that are left. */
  left: number;
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #miniblocks: number;
  readonly #perMiniblock: number;
  readonly #isLong: boolean;
  #at: number;
  #value: bigint;
  #isFirst = true;
  #minimum = 0n;
  #widths: Buffer = Buffer.alloc(0);
  #miniblock = 0;
  #inMiniblock = 0;
  #bit = 0;

  constructor(bytes: Buffer, start: number, end: number, isLong: boolean) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#isLong = isLong;
    const block = Number(this.#unsigned());
    this.#miniblocks = Number(this.#unsigned());
    this.left = Number(this.#unsigned());
    this.#value = this.#signed();
    this.#perMiniblock = block / this.#miniblocks;
    if (!(block <= maxBlock && this.#miniblocks > 0 && this.#perMiniblock % 8 === 0 && this.#perMiniblock > 0))
      throw new FormatError(`A page has blocks of ${block} differences in ${this.#miniblocks} parts.`);
    this.#miniblock = this.#miniblocks;
  }

  /** Where the bytes behind the last value begin; call it after all have been read. */
  get end(): number {
    if (this.#inMiniblock > 0) this.#skipMiniblock();
    return this.#at;
  }

  #unsigned(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at++]! : undefined;
      if (byte === undefined || shift > 63n) throw new FormatError('Differences of a page end too early.');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  #signed(): bigint {
    const value = this.#unsigned();
    return (value >> 1n) ^ -(value & 1n);
  }

  next(): bigint {
    if (this.left-- <= 0) throw new FormatError('A page has fewer differences than values.');
    if (this.#isFirst) {
      this.#isFirst = false;
      return this.#value;
    }
    if (this.#inMiniblock === 0) this.#startMiniblock();
    const width = this.#widths[this.#miniblock]!;
    const delta = this.#bits(width);
    this.#bit += width;
    const sum = this.#value + this.#minimum + delta;
    this.#value = this.#isLong ? BigInt.asIntN(64, sum) : BigInt.asIntN(32, sum);
    if (++this.#inMiniblock === this.#perMiniblock) this.#skipMiniblock();
    return this.#value;
  }

  #bits(width: number): bigint {
    if (width <= 32) return BigInt(bitsAt(this.#bytes, this.#bit, width));
    const low = BigInt(bitsAt(this.#bytes, this.#bit, 32));
    return low | (BigInt(bitsAt(this.#bytes, this.#bit + 32, width - 32)) << 32n);
  }

  #startMiniblock(): void {
    if (this.#miniblock === this.#miniblocks) {
      this.#minimum = this.#signed();
      this.#widths = this.#bytes.subarray(this.#at, Math.min(this.#end, this.#at + this.#miniblocks));
      this.#at += this.#miniblocks;
      this.#miniblock = 0;
    }
    const width = this.#widths[this.#miniblock] ?? 255;
    if (width > 64 || this.#at + Math.ceil((width * Math.min(this.left + 1, this.#perMiniblock)) / 8) > this.#end)
      throw new FormatError('Differences of a page end too early.');
    this.#bit = 8 * this.#at;
  }

  #skipMiniblock(): void {
    this.#at += (this.#widths[this.#miniblock]! * this.#perMiniblock) / 8;
    this.#miniblock++;
    this.#inMiniblock = 0;
  }
}
