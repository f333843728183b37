import { FormatError } from '../../../errors.ts';

/** Thrown for a FlatBuffer whose offsets or lengths lead outside of it. Its feature is a bad record. */
export class InvalidRecord extends FormatError {}

/** Elements of a vector: position of the first one, and their number. */
export interface Span {
  readonly at: number;
  readonly count: number;
}

/** A table of a FlatBuffer. Every offset and length is checked before it is used. */
export class FlatTable {
  readonly bytes: Buffer;
  /** Offset of `bytes[0]` in the file. */
  readonly base: number;
  readonly #at: number;
  readonly #vtable: number;
  readonly #vtableEnd: number;
  readonly #end: number;

  constructor(bytes: Buffer, base: number, at: number) {
    this.bytes = bytes;
    this.base = base;
    this.#at = at;
    this.#check(at, 4, 'A table');
    this.#vtable = at - bytes.readInt32LE(at);
    this.#check(this.#vtable, 4, 'The list of fields of a table');
    const length = bytes.readUInt16LE(this.#vtable);
    const size = bytes.readUInt16LE(this.#vtable + 2);
    if (length < 4 || length % 2 !== 0) this.fail(`The list of fields of a table has ${length} bytes.`, this.#vtable);
    this.#check(this.#vtable, length, 'The list of fields of a table');
    this.#check(at, Math.max(4, size), 'A table');
    this.#vtableEnd = this.#vtable + length;
    this.#end = at + size;
  }

  static root(bytes: Buffer, base: number): FlatTable {
    if (bytes.length < 8) throw new InvalidRecord(`A FlatBuffer has ${bytes.length} bytes.`, base);
    return new FlatTable(bytes, base, bytes.readUInt32LE(0));
  }

  fail(sentence: string, at: number): never {
    throw new InvalidRecord(sentence, this.base + Math.max(0, at));
  }

  #check(at: number, length: number, what: string): void {
    if (at < 0 || at + length > this.bytes.length)
      this.fail(`${what} (${length} bytes at ${at}) is outside of its buffer of ${this.bytes.length} bytes.`, at);
  }

  /** Position of the field of a slot; 0 if it is absent. */
  #field(slot: number, length: number): number {
    const entry = this.#vtable + 4 + 2 * slot;
    if (entry + 2 > this.#vtableEnd) return 0;
    const offset = this.bytes.readUInt16LE(entry);
    if (offset === 0) return 0;
    const at = this.#at + offset;
    if (offset < 4 || at + length > this.#end)
      this.fail(`Field ${slot} of a FlatBuffers table lies outside of that table.`, entry);
    return at;
  }

  #target(at: number, what: string): number {
    const target = at + this.bytes.readUInt32LE(at);
    this.#check(target, 4, what);
    return target;
  }

  u8(slot: number, absent = 0): number {
    const at = this.#field(slot, 1);
    return at === 0 ? absent : this.bytes[at]!;
  }

  u16(slot: number, absent = 0): number {
    const at = this.#field(slot, 2);
    return at === 0 ? absent : this.bytes.readUInt16LE(at);
  }

  i32(slot: number, absent = 0): number {
    const at = this.#field(slot, 4);
    return at === 0 ? absent : this.bytes.readInt32LE(at);
  }

  u64(slot: number): bigint {
    const at = this.#field(slot, 8);
    return at === 0 ? 0n : this.bytes.readBigUInt64LE(at);
  }

  table(slot: number): FlatTable | undefined {
    const at = this.#field(slot, 4);
    return at === 0 ? undefined : new FlatTable(this.bytes, this.base, this.#target(at, 'A table'));
  }

  /** The elements of a vector; undefined if it is absent. */
  vector(slot: number, elementSize: number): Span | undefined {
    const at = this.#field(slot, 4);
    if (at === 0) return undefined;
    const start = this.#target(at, 'A vector');
    const count = this.bytes.readUInt32LE(start);
    if (start + 4 + count * elementSize > this.bytes.length)
      this.fail(`A vector of ${count} elements is outside of its buffer of ${this.bytes.length} bytes.`, start);
    return { at: start + 4, count };
  }

  string(slot: number): string | undefined {
    const found = this.vector(slot, 1);
    return found && this.bytes.toString('utf8', found.at, found.at + found.count);
  }

  /** Element `n` of a vector of tables. */
  element({ at }: Span, n: number): FlatTable {
    return new FlatTable(this.bytes, this.base, this.#target(at + 4 * n, 'A table'));
  }
}
