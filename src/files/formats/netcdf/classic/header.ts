import type { ByteSource } from '../../../data/bytes.ts';
import type { StoredType } from '../../../data/stored-values.ts';
import { bytesPerValue, newValues } from '../../../data/stored-values.ts';
import { FormatError } from '../../../errors.ts';
import { swapped } from './byte-order.ts';

/** External types by number; `Char` holds text. CDF-5 has those from 7 on. */
export const classicTypes: readonly (StoredType | 'Char' | undefined)[] = [
  undefined,
  'Int8',
  'Char',
  'Int16',
  'Int32',
  'Float32',
  'Float64',
  'UInt8',
  'UInt16',
  'UInt32',
  'Int64',
  'UInt64',
];
export type ClassicType = StoredType | 'Char';

export interface ClassicDimension {
  readonly name: string;
  /** Number of records for the unlimited dimension. */
  readonly length: number;
  readonly unlimited: boolean;
}

export interface ClassicVariable {
  readonly name: string;
  readonly type: ClassicType;
  readonly dimensions: readonly ClassicDimension[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Offset of the first value in the file. */
  readonly begin: number;
}

export interface ClassicHeader {
  readonly version: 1 | 2 | 5;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly variables: readonly ClassicVariable[];
  /** Bytes of a record: one step of all variables over the unlimited dimension. */
  readonly recordBytes: number;
}

const firstRead = 1 << 16;
const longestHeader = 1 << 26;
const mostDimensions = 1024;
const tags = { dimension: 10, variable: 11, attribute: 12 };

/** The header ends after the bytes that were read. */
class Cut extends Error {}

/** @throws FormatError with the offset of the damage */
export async function classicHeader(source: ByteSource): Promise<ClassicHeader> {
  for (let length = firstRead; ; length *= 8) {
    const bytes = await source.read(0, Math.min(length, longestHeader));
    try {
      return new HeaderParser(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), source.size).header();
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      if (bytes.length >= source.size) throw new FormatError('The file ends within its header.', bytes.length);
      if (length >= longestHeader) throw new FormatError(`The header has more than ${longestHeader} bytes.`);
    }
  }
}

class HeaderParser {
  readonly #bytes: Buffer;
  readonly #size: number;
  #at = 4;
  #version: 1 | 2 | 5 = 1;

  constructor(bytes: Buffer, size: number) {
    this.#bytes = bytes;
    this.#size = size;
  }

  header(): ClassicHeader {
    if (this.#bytes.toString('latin1', 0, 3) !== 'CDF') throw new FormatError("It does not begin with 'CDF'.", 0);
    const version = this.#bytes[3];
    if (version !== 1 && version !== 2 && version !== 5)
      throw new FormatError(`The version ${version} of the NetCDF format is not known.`, 3);
    this.#version = version;
    const streaming = this.#peekStreaming();
    const records = this.#count();
    const dimensions = this.#list(tags.dimension, () => {
      const name = this.#name();
      return { name, length: this.#count() };
    });
    if (dimensions.filter(({ length }) => length === 0).length > 1)
      throw new FormatError('The file has several unlimited dimensions.', this.#at);
    const attributes = this.#attributes();
    const raw = this.#list(tags.variable, () => this.#variable(dimensions));
    const recordVariables = raw.filter(
      ({ numbers }) => numbers[0] !== undefined && dimensions[numbers[0]]!.length === 0,
    );
    const sizes = recordVariables.map(({ type, numbers }) =>
      numbers.slice(1).reduce((all, n) => all * dimensions[n]!.length, type === 'Char' ? 1 : bytesPerValue(type)),
    );
    // A single variable of small values is not padded.
    const recordBytes = sizes.length === 1 ? sizes[0]! : sizes.reduce((sum, size) => sum + padded(size), 0);
    const first = Math.min(...recordVariables.map(({ begin }) => begin));
    const inFile = recordBytes === 0 ? 0 : Math.max(0, Math.ceil((this.#size - first) / recordBytes));
    const steps = streaming ? inFile : records;
    const known = dimensions.map(({ name, length }) => ({
      name,
      length: length === 0 ? steps : length,
      unlimited: length === 0,
    }));
    const variables = raw.map(({ numbers, ...one }) => ({ ...one, dimensions: numbers.map((n) => known[n]!) }));
    return { version, attributes, variables, recordBytes };
  }

  /** The number of records is that which the file holds: all bits are set. */
  #peekStreaming(): boolean {
    this.#need(this.#version === 5 ? 8 : 4);
    const high = this.#bytes.readUInt32BE(this.#at) === 0xffffffff;
    if (!high || this.#version !== 5) return high && this.#skipped(4);
    return this.#bytes.readUInt32BE(this.#at + 4) === 0xffffffff && this.#skipped(8);
  }

  /** Writes 0 over a count that is none, so that it can be read like others. */
  #skipped(length: number): true {
    this.#bytes.fill(0, this.#at, this.#at + length);
    return true;
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new Cut();
  }

  #u32(): number {
    this.#need(4);
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  #u64(): number {
    this.#need(8);
    const value = Number(this.#bytes.readBigUInt64BE(this.#at));
    if (!Number.isSafeInteger(value)) throw new FormatError(`${value} is too large.`, this.#at);
    this.#at += 8;
    return value;
  }

  /** A number of elements. */
  #count(): number {
    const at = this.#at;
    const value = this.#version === 5 ? this.#u64() : this.#u32();
    if (this.#version !== 5 && value > 0x7fffffff && value !== 0xffffffff)
      throw new FormatError(`A count is negative: ${value - 2 ** 32}.`, at);
    return value;
  }

  #list<T>(tag: number, element: () => T): T[] {
    const at = this.#at;
    const found = this.#u32();
    const count = this.#count();
    if (found === 0 && count === 0) return [];
    if (found !== tag) throw new FormatError(`A list has the tag ${found} instead of ${tag}.`, at);
    // The shortest element has eight bytes.
    if (count * 8 > this.#size) throw new FormatError(`A list has ${count} elements.`, at);
    const list: T[] = [];
    for (let n = 0; n < count; n++) list.push(element());
    return list;
  }

  #bytesOf(length: number): Buffer {
    if (length > this.#size) throw new FormatError(`A value has ${length} bytes.`, this.#at);
    this.#need(padded(length));
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += padded(length);
    return bytes;
  }

  #name(): string {
    const at = this.#at;
    const name = this.#bytesOf(this.#count()).toString('utf8');
    if (name === '') throw new FormatError('A name is empty.', at);
    return name;
  }

  #type(): ClassicType {
    const number = this.#u32();
    const type = classicTypes[number];
    if (type === undefined || (number > 6 && this.#version !== 5))
      throw new FormatError(`The type ${number} is not known.`, this.#at - 4);
    return type;
  }

  #attributes(): Record<string, unknown> {
    const list = this.#list(tags.attribute, () => {
      const name = this.#name();
      const type = this.#type();
      const count = this.#count();
      const bytes = this.#bytesOf(count * (type === 'Char' ? 1 : bytesPerValue(type)));
      return [name, attributeValue(type, bytes)] as const;
    });
    return Object.fromEntries(list);
  }

  #variable(dimensions: readonly { name: string; length: number }[]) {
    const name = this.#name();
    const at = this.#at;
    const count = this.#count();
    if (count > mostDimensions) throw new FormatError(`The variable '${name}' has ${count} dimensions.`, at);
    const numbers = Array.from({ length: count }, () => (this.#version === 5 ? this.#u64() : this.#u32()));
    for (const [n, number] of numbers.entries()) {
      const dimension = dimensions[number];
      if (dimension === undefined) throw new FormatError(`The variable '${name}' has the dimension ${number}.`, at);
      if (n > 0 && dimension.length === 0)
        throw new FormatError(`The unlimited dimension of '${name}' is not its first one.`, at);
    }
    const attributes = this.#attributes();
    const type = this.#type();
    this.#count();
    const begin = this.#version === 1 ? this.#u32() : this.#u64();
    return { name, numbers, attributes, type, begin };
  }
}

export const padded = (length: number): number => Math.ceil(length / 4) * 4;

/** A text, a number, or a list of numbers, as JSON has them. */
function attributeValue(type: ClassicType, bytes: Buffer): unknown {
  if (type === 'Char') return bytes.toString('utf8', 0, bytes.findLastIndex((byte) => byte !== 0) + 1);
  const values = newValues(type, bytes.length / bytesPerValue(type));
  new Uint8Array(values.buffer).set(bytes);
  return plainValues(swapped(values));
}

/** One number, or a list; integers that a double holds as numbers. */
export function plainValues(values: Iterable<number | bigint>): unknown {
  const list = Array.from(values, (value) =>
    typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
  );
  return list.length === 1 ? list[0] : list;
}
