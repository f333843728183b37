import type { Field } from '../../data/feature-collection.ts';
import { ProtobufWriter } from './protobuf.ts';

/** A key of the attributes of a layer. */
export interface TileKey {
  readonly name: string;
  /** Numbers are doubles, also whole ones. */
  readonly real: boolean;
}

/**
 * Values of attributes as they stand in tiles, equal ones once. Several tiles can be written from one table, one after
 * the other.
 */
export class ValueTable {
  readonly #keys: readonly TileKey[];
  readonly #one = new ProtobufWriter();
  readonly #texts = new Map<string, number>();
  /** Numbers and booleans by their bytes. */
  readonly #others = new Map<string, number>();
  #bytes = Buffer.alloc(1 << 12);
  /** Where the bytes of each value begin, and where the last ones end. */
  #starts = new Uint32Array(1 << 8);
  #count = 0;

  constructor(keys: readonly TileKey[]) {
    this.#keys = keys;
  }

  get count(): number {
    return this.#count;
  }

  /** Pairs of the numbers of a key and of a value. Null is left out. */
  tagsOf(values: readonly unknown[]): number[] {
    const tags: number[] = [];
    for (let key = 0; key < values.length; key++) {
      const value = values[key];
      if (value !== null && value !== undefined) tags.push(key, this.#numberOf(value, this.#keys[key]!.real));
    }
    return tags;
  }

  #numberOf(value: unknown, real: boolean): number {
    const text = textOf(value);
    const known = text === undefined ? undefined : this.#texts.get(text);
    if (known !== undefined) return known;
    this.#one.length = 0;
    putValue(this.#one, text ?? value, real);
    const bytes = this.#one.taken();
    if (text !== undefined) {
      const number = this.#add(bytes);
      this.#texts.set(text, number);
      return number;
    }
    return this.numberOfBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
  }

  /** The number of a value of which the bytes are known. All values of a table come in one way or all in the other. */
  numberOfBytes(bytes: Buffer, from: number, to: number): number {
    const key = bytes.toString('latin1', from, to);
    const known = this.#others.get(key);
    if (known !== undefined) return known;
    const number = this.#add(bytes.subarray(from, to));
    this.#others.set(key, number);
    return number;
  }

  #add(bytes: Uint8Array): number {
    const number = this.#count++;
    if (number + 2 > this.#starts.length) {
      const more = new Uint32Array(2 * this.#starts.length);
      more.set(this.#starts);
      this.#starts = more;
    }
    const start = this.#starts[number]!;
    if (start + bytes.length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.#bytes.length, start + bytes.length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, start);
    this.#starts[number + 1] = start + bytes.length;
    return number;
  }

  sizeOf(number: number): number {
    return this.#starts[number + 1]! - this.#starts[number]!;
  }

  put(to: ProtobufWriter, field: number, number: number): void {
    to.bytes(field, this.#bytes, this.#starts[number]!, this.#starts[number + 1]!);
  }
}

/** The text that stands for a value; undefined for numbers and booleans. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const plain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return plain ? undefined : JSON.stringify(value);
}

/** Text, whole numbers, reals and booleans. */
export function putValue(bytes: ProtobufWriter, value: unknown, real: boolean): void {
  if (typeof value === 'string') bytes.text(1, value);
  else if (typeof value === 'boolean') {
    bytes.tag(7, 0);
    bytes.varint(value ? 1 : 0);
  } else if (!real && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    bytes.tag(4, 0);
    bytes.varint(value);
  } else if (!real && (typeof value === 'bigint' || Number.isSafeInteger(value))) {
    const whole = BigInt(value as bigint | number);
    // sint packs negative numbers, zigzag
    bytes.tag(whole < 0n ? 6 : 4, 0);
    bytes.bigVarint(whole < 0n ? -2n * whole - 1n : whole);
  } else {
    bytes.tag(3, 1);
    bytes.double(Number(value));
  }
}

const fieldKinds: Partial<Record<Field['type'], string>> = {
  integer: 'Number',
  integer64: 'Number',
  real: 'Number',
  boolean: 'Boolean',
};

/** The type of an attribute in the description of a layer (TileJSON, MBTiles, PMTiles). */
export const tileFieldKind = (type: Field['type']): string => fieldKinds[type] ?? 'String';
