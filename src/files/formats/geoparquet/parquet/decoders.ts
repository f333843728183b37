import { FormatError } from '../../../errors.ts';
import { encodings, physical } from './constants.ts';
import { DeltaLengths, DeltaTexts, DeltaValues } from './delta-decoders.ts';
import { type LeafType, nothing, same, type ValueDecoder } from './leaf-type.ts';
import { RunLengths } from './run-lengths.ts';

const widths: Readonly<Record<number, number>> = {
  [physical.int32]: 4,
  [physical.int64]: 8,
  [physical.int96]: 12,
  [physical.float]: 4,
  [physical.double]: 8,
};

/** A 64-bit integer: a number, or a bigint if a double cannot hold it. */
function longAt(bytes: Buffer, at: number): number | bigint {
  const high = bytes.readInt32LE(at + 4);
  if (high >= -0x200000 && high < 0x200000) return high * 0x1_0000_0000 + bytes.readUInt32LE(at);
  return bytes.readBigInt64LE(at);
}

/** @throws FormatError for an encoding that the type does not have */
export function decoderOf(
  bytes: Buffer,
  start: number,
  encoding: number,
  leaf: LeafType,
  dictionary: Dictionary | undefined,
): ValueDecoder {
  const { type } = leaf;
  const isBytes = type === physical.bytes || type === physical.fixed;
  switch (encoding) {
    case encodings.plain:
      return new PlainValues(bytes, start, leaf);
    case encodings.plainDictionary:
    case encodings.rleDictionary:
      if (dictionary === undefined) throw new FormatError('A page needs a dictionary, which is missing.');
      return new DictionaryValues(bytes, start, dictionary);
    case encodings.rle:
      if (type === physical.boolean && start + 4 <= bytes.length) return new BooleanRuns(bytes, start + 4, leaf);
      break;
    case encodings.deltaBinaryPacked:
      if (type === physical.int32 || type === physical.int64) return new DeltaValues(bytes, start, leaf);
      break;
    case encodings.deltaLengthByteArray:
      if (type === physical.bytes) return new DeltaLengths(bytes, start, leaf);
      break;
    case encodings.deltaByteArray:
      if (isBytes) return new DeltaTexts(bytes, start, leaf);
      break;
    case encodings.byteStreamSplit:
      if (type === physical.fixed || widths[type] !== undefined)
        return new PlainValues(joinedStreams(bytes, start, widths[type] ?? leaf.length), 0, leaf);
  }
  throw new FormatError(`Encoding ${encoding} of a page with values of type ${type} is not known.`);
}

class PlainValues implements ValueDecoder {
  readonly #bytes: Buffer;
  readonly #leaf: LeafType;
  #at: number;
  #bit = 0;

  constructor(bytes: Buffer, start: number, leaf: LeafType) {
    this.#bytes = bytes;
    this.#at = start;
    this.#leaf = leaf;
  }

  read(target: unknown[], from: number, count: number): void {
    const { type, number = same, bytes: value = nothing } = this.#leaf;
    const end = from + count;
    if (type === physical.bytes) this.#texts(target, from, end, value);
    else if (type === physical.boolean) this.#booleans(target, from, end, number);
    else this.#fixed(target, from, end);
  }

  #fixed(target: unknown[], from: number, end: number): void {
    const { type, length, number = same, bytes: value = nothing } = this.#leaf;
    const bytes = this.#bytes;
    const count = end - from;
    const width = type === physical.fixed ? length : widths[type]!;
    if (width * count > bytes.length - this.#at) throw new FormatError('A page has fewer values than it claims.');
    let at = this.#at;
    this.#at += width * count;
    switch (type) {
      case physical.int32:
        for (let n = from; n < end; n++, at += 4) target[n] = number(bytes.readInt32LE(at));
        return;
      case physical.int64:
        for (let n = from; n < end; n++, at += 8) target[n] = number(longAt(bytes, at));
        return;
      case physical.float:
        for (let n = from; n < end; n++, at += 4) target[n] = number(bytes.readFloatLE(at));
        return;
      case physical.double:
        for (let n = from; n < end; n++, at += 8) target[n] = number(bytes.readDoubleLE(at));
        return;
    }
    for (let n = from; n < end; n++, at += width) target[n] = value(bytes, at, at + width);
  }

  #texts(target: unknown[], from: number, end: number, value: NonNullable<LeafType['bytes']>): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let n = from; n < end; n++) {
      const length = at + 4 <= bytes.length ? bytes.readUInt32LE(at) : Number.POSITIVE_INFINITY;
      at += 4;
      if (length > bytes.length - at)
        throw new FormatError(`A value claims ${length} bytes; the page has ${Math.max(0, bytes.length - at)} more.`);
      target[n] = value(bytes, at, at + length);
      at += length;
    }
    this.#at = at;
  }

  #booleans(target: unknown[], from: number, end: number, number: NonNullable<LeafType['number']>): void {
    if (this.#bit + end - from > 8 * (this.#bytes.length - this.#at))
      throw new FormatError('A page has fewer values than it claims.');
    for (let n = from; n < end; n++, this.#bit++)
      target[n] = number(((this.#bytes[this.#at + (this.#bit >> 3)]! >> (this.#bit & 7)) & 1) === 1);
  }
}

class BooleanRuns implements ValueDecoder {
  readonly #runs: RunLengths;
  readonly #number: NonNullable<LeafType['number']>;

  constructor(bytes: Buffer, start: number, { number = same }: LeafType) {
    this.#runs = new RunLengths(bytes, start, bytes.length, 1);
    this.#number = number;
  }

  read(target: unknown[], from: number, count: number): void {
    const bits = new Uint8Array(count);
    this.#runs.read(bits, 0, count);
    for (let n = 0; n < count; n++) target[from + n] = this.#number(bits[n] === 1);
  }
}

/** The different values of a column in a row group. */
export class Dictionary {
  readonly length: number;
  readonly #values: unknown[];
  readonly #bytes: LeafType['bytes'];

  /** @throws FormatError if the page has fewer values */
  constructor(page: Buffer, count: number, leaf: LeafType) {
    const width =
      leaf.type === physical.fixed ? leaf.length : leaf.type === physical.bytes ? 4 : (widths[leaf.type] ?? 0);
    if (count * Math.max(1, width) > page.length)
      throw new FormatError(`A dictionary claims ${count} values; it has ${page.length} bytes.`);
    this.length = count;
    const parts = (bytes: Buffer, start: number, end: number) => bytes.subarray(start, end);
    this.#bytes = leaf.fresh ? leaf.bytes : undefined;
    const values: unknown[] = new Array(count);
    new PlainValues(page, 0, leaf.fresh ? { ...leaf, bytes: parts } : leaf).read(values, 0, count);
    this.#values = values;
  }

  value(index: number): unknown {
    const value = this.#values[index];
    return this.#bytes === undefined ? value : this.#bytes(value as Buffer, 0, (value as Buffer).length);
  }
}

class DictionaryValues implements ValueDecoder {
  readonly #indices: RunLengths;
  readonly #dictionary: Dictionary;

  constructor(bytes: Buffer, start: number, dictionary: Dictionary) {
    // a page of nulls alone may be empty
    this.#indices = new RunLengths(bytes, start + 1, bytes.length, bytes[start] ?? 0);
    this.#dictionary = dictionary;
  }

  read(target: unknown[], from: number, count: number): void {
    const indices = new Uint32Array(count);
    this.#indices.read(indices, 0, count);
    const dictionary = this.#dictionary;
    for (let n = 0; n < count; n++) {
      const index = indices[n]!;
      if (index >= dictionary.length)
        throw new FormatError(`A page names value ${index} of a dictionary of ${dictionary.length}.`);
      target[from + n] = dictionary.value(index);
    }
  }
}

/** Values of which the first bytes come first, then the second ones, and so on (BYTE_STREAM_SPLIT). */
function joinedStreams(bytes: Buffer, start: number, width: number): Buffer {
  const count = Math.floor((bytes.length - start) / Math.max(1, width));
  const joined = Buffer.allocUnsafe(count * width);
  for (let stream = 0; stream < width; stream++)
    for (let n = 0, at = start + stream * count; n < count; n++) joined[n * width + stream] = bytes[at + n]!;
  return joined;
}
