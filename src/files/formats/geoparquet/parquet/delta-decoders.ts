import { FormatError } from '../../../errors.ts';
import { physical } from './constants.ts';
import { DeltaIntegers } from './delta.ts';
import { type LeafType, nothing, same, type ValueDecoder } from './leaf-type.ts';

const isSafe = (value: bigint): boolean => value <= 9007199254740991n && value >= -9007199254740991n;
const narrow = (value: bigint): number | bigint => (isSafe(value) ? Number(value) : value);

export class DeltaValues implements ValueDecoder {
  readonly #integers: DeltaIntegers;
  readonly #number: NonNullable<LeafType['number']>;

  constructor(bytes: Buffer, start: number, { type, number = same }: LeafType) {
    this.#integers = new DeltaIntegers(bytes, start, bytes.length, type === physical.int64);
    this.#number = number;
  }

  read(target: unknown[], from: number, count: number): void {
    for (let n = from; n < from + count; n++) target[n] = this.#number(narrow(this.#integers.next()));
  }
}

/** Lengths that stand before the bytes of all values of a page. */
function lengthsIn(bytes: Buffer, start: number): { lengths: Int32Array; end: number } {
  const integers = new DeltaIntegers(bytes, start, bytes.length, false);
  const count = integers.left;
  if (count > mostLengths) throw new FormatError(`A page claims ${count} lengths; the limit is ${mostLengths}.`);
  const lengths = new Int32Array(count);
  for (let n = 0; n < count; n++) lengths[n] = Number(integers.next());
  return { lengths, end: integers.end };
}

const mostLengths = 1 << 24;

export class DeltaLengths implements ValueDecoder {
  readonly #bytes: Buffer;
  readonly #value: NonNullable<LeafType['bytes']>;
  readonly #lengths: Int32Array;
  #at: number;
  #next = 0;

  constructor(bytes: Buffer, start: number, { bytes: value = nothing }: LeafType) {
    this.#bytes = bytes;
    this.#value = value;
    const { lengths, end } = lengthsIn(bytes, start);
    this.#lengths = lengths;
    this.#at = end;
  }

  read(target: unknown[], from: number, count: number): void {
    for (let n = from; n < from + count; n++) {
      const length = this.#lengths[this.#next++] ?? -1;
      if (length < 0 || length > this.#bytes.length - this.#at)
        throw new FormatError(`A value claims ${length} bytes; the page has ${this.#bytes.length - this.#at} more.`);
      target[n] = this.#value(this.#bytes, this.#at, this.#at + length);
      this.#at += length;
    }
  }
}

/** Bytes of the values that are read at once, which may share their beginnings. */
const mostShared = 1 << 28;

export class DeltaTexts implements ValueDecoder {
  readonly #value: NonNullable<LeafType['bytes']>;
  readonly #prefixes: Int32Array;
  readonly #suffixes: DeltaLengths;
  #last: Buffer = Buffer.alloc(0);
  #next = 0;

  constructor(bytes: Buffer, start: number, { bytes: value = nothing, ...leaf }: LeafType) {
    this.#value = value;
    const { lengths, end } = lengthsIn(bytes, start);
    this.#prefixes = lengths;
    this.#suffixes = new DeltaLengths(bytes, end, { ...leaf, bytes: (all, from, to) => all.subarray(from, to) });
  }

  read(target: unknown[], from: number, count: number): void {
    this.#suffixes.read(target, from, count);
    let sum = 0;
    for (let n = from; n < from + count; n++) {
      const prefix = this.#prefixes[this.#next++] ?? -1;
      if (prefix < 0 || prefix > this.#last.length)
        throw new FormatError(`A value shares ${prefix} bytes with one of ${this.#last.length} bytes.`);
      const suffix = target[n] as Buffer;
      sum += prefix + suffix.length;
      if (sum > mostShared) throw new FormatError(`Values of a page take more than ${mostShared} bytes.`);
      this.#last = Buffer.concat([this.#last.subarray(0, prefix), suffix]);
      target[n] = this.#value(this.#last, 0, this.#last.length);
    }
  }
}
