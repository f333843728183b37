import type { Field } from '../../data/feature-collection.ts';
import { grown } from '../../data/number-list.ts';
import { ProtobufWriter } from '../../formats/io/protobuf.ts';

/** A key of the attributes of a layer. */
export interface TileKey {
  readonly name: string;
  /** Numbers are doubles, also whole ones. */
  readonly real: boolean;
}

/**
 * Attribute values encoded as in tiles, equal ones once. Several tiles can be written from one table, one after
 * the other.
 */
export class ValueTable {
  readonly #keys: readonly TileKey[];
  readonly #one = new ProtobufWriter();
  /** Numbers of texts. */
  readonly #texts = new Map<string, number>();
  /** A hash table with linear probing: numbers of values from 1 at the hash of their bytes. */
  #slots = new Uint32Array(1 << 10);
  #bytes = new Uint8Array(1 << 12);
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
    return this.numberOfBytes(bytes, 0, bytes.length);
  }

  /** The number of a value of which the bytes are known. Texts come all in this way, or none of them. */
  numberOfBytes(bytes: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    let at = hashOf(bytes, from, to) & (slots.length - 1);
    for (; slots[at]! > 0; at = (at + 1) & (slots.length - 1))
      if (this.#isEqual(slots[at]! - 1, bytes, from, to)) return slots[at]! - 1;
    const number = this.#add(bytes.subarray(from, to));
    slots[at] = number + 1;
    if (2 * this.#count > slots.length) this.#rehash();
    return number;
  }

  #isEqual(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[number]!;
    if (this.#starts[number + 1]! - start !== to - from) return false;
    const own = this.#bytes;
    for (let n = from; n < to; n++) if (own[start + n - from] !== bytes[n]) return false;
    return true;
  }

  /** Doubles the table. */
  #rehash(): void {
    const old = this.#slots;
    const slots = new Uint32Array(2 * old.length);
    for (const slot of old) {
      if (slot === 0) continue;
      let at = hashOf(this.#bytes, this.#starts[slot - 1]!, this.#starts[slot]!) & (slots.length - 1);
      while (slots[at]! > 0) at = (at + 1) & (slots.length - 1);
      slots[at] = slot;
    }
    this.#slots = slots;
  }

  #add(bytes: Uint8Array): number {
    const number = this.#count++;
    if (number + 2 > this.#starts.length) this.#starts = grown(this.#starts);
    const start = this.#starts[number]!;
    if (start + bytes.length > this.#bytes.length) this.#bytes = grown(this.#bytes, start + bytes.length);
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

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let n = from; n < to; n++) value = Math.imul(value ^ bytes[n]!, 0x01000193);
  // The lower bits choose the slot.
  return (value ^ (value >>> 15)) >>> 0;
}

/** Text form of a value; undefined for numbers and booleans. */
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
