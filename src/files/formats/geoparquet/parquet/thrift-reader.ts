import { FormatError } from '../../../errors.ts';

/** Types of the compact protocol of Thrift. */
export const thrift = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

const maxNesting = 32;

/** Reads structures of Thrift's compact protocol (thrift-compact-protocol.md), in which Parquet has its metadata. */
export class ThriftReader {
  at: number;
  readonly #bytes: Buffer;
  readonly #offset: number;
  #nested = 0;

  /** @param offset of the bytes in the file, for errors */
  constructor(bytes: Buffer, offset: number, at = 0) {
    this.#bytes = bytes;
    this.#offset = offset;
    this.at = at;
  }

  fail(what: string): never {
    throw new FormatError(`The metadata of the Parquet file are damaged: ${what}.`, this.#offset + this.at);
  }

  /** Calls `field` with number and type of each field of a structure; it must read or skip the value. */
  struct(field: (id: number, type: number) => void): void {
    if (++this.#nested > maxNesting) this.fail(`they are nested more than ${maxNesting} deep`);
    for (let id = 0; ; ) {
      const head = this.byte();
      const type = head & 15;
      if (type === thrift.stop) break;
      id = head >> 4 === 0 ? this.integer() : id + (head >> 4);
      field(id, type);
    }
    this.#nested--;
  }

  /** Calls `element` for each element of a list, of which there are `most` at most, and returns their number. */
  list(element: (type: number, n: number) => void, most = Number.POSITIVE_INFINITY): number {
    const head = this.byte();
    const count = head >> 4 === 15 ? this.#unsigned() : head >> 4;
    if (count > this.#bytes.length - this.at) this.fail(`a list claims ${count} elements`);
    if (count > most) this.fail(`a list has ${count} elements; the limit is ${most}`);
    for (let n = 0; n < count; n++) element(head & 15, n);
    return count;
  }

  byte(): number {
    if (this.at >= this.#bytes.length) this.fail('they end too early');
    return this.#bytes[this.at++]!;
  }

  /** An integer of up to 64 bits; one that a double cannot hold is rounded. */
  integer(): number {
    const value = this.#unsigned();
    if (value <= Number.MAX_SAFE_INTEGER) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    return value / 2;
  }

  binary(): Buffer {
    const length = this.#unsigned();
    if (length > this.#bytes.length - this.at) this.fail(`a text claims ${length} bytes`);
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  text(): string {
    return this.binary().toString('utf8');
  }

  #unsigned(): number {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.byte();
      value += (byte & 127) * shift;
      if (byte < 128) return value;
      if (shift > 2 ** 63) this.fail('a number has more than ten bytes');
    }
  }

  skip(type: number, inList = false): void {
    switch (type) {
      case thrift.true:
      case thrift.false:
        if (inList) this.byte();
        return;
      case thrift.byte:
        this.byte();
        return;
      case thrift.i16:
      case thrift.i32:
      case thrift.i64:
        this.#unsigned();
        return;
      case thrift.double:
        this.#jump(8);
        return;
      case thrift.uuid:
        this.#jump(16);
        return;
      case thrift.binary:
        this.binary();
        return;
      case thrift.list:
      case thrift.set:
        if (++this.#nested > maxNesting) this.fail(`they are nested more than ${maxNesting} deep`);
        this.list((element) => this.skip(element, true));
        this.#nested--;
        return;
      case thrift.map:
        this.#skipMap();
        return;
      case thrift.struct:
        this.struct((_, inner) => this.skip(inner));
        return;
    }
    this.fail(`type ${type} is not known`);
  }

  #jump(length: number): void {
    if (length > this.#bytes.length - this.at) this.fail('they end too early');
    this.at += length;
  }

  #skipMap(): void {
    const count = this.#unsigned();
    if (count === 0) return;
    if (count > this.#bytes.length - this.at) this.fail(`a map claims ${count} entries`);
    const types = this.byte();
    for (let n = 0; n < count; n++) {
      this.skip(types >> 4, true);
      this.skip(types & 15, true);
    }
  }
}
