import { thrift } from './thrift-reader.ts';

/** A value with its type, or nothing, in which case the field is left out. */
export type ThriftValue =
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'byte' | 'i16' | 'i32' | 'i64'; readonly value: number }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'binary'; readonly value: Uint8Array | string }
  | { readonly type: 'list'; readonly of: Exclude<keyof typeof thrift, 'stop'>; readonly value: readonly ThriftValue[] }
  | { readonly type: 'struct'; readonly value: ThriftStruct };

/** Fields by number. */
export type ThriftStruct = Readonly<Record<number, ThriftValue | undefined>>;

export const bool = (value: boolean): ThriftValue => ({ type: 'bool', value });
export const i8 = (value: number): ThriftValue => ({ type: 'byte', value });
export const i32 = (value: number): ThriftValue => ({ type: 'i32', value });
export const i64 = (value: number): ThriftValue => ({ type: 'i64', value });
export const double = (value: number): ThriftValue => ({ type: 'double', value });
export const binary = (value: Uint8Array | string): ThriftValue => ({ type: 'binary', value });
export const struct = (value: ThriftStruct): ThriftValue => ({ type: 'struct', value });
export const structs = (value: readonly ThriftStruct[]): ThriftValue => ({
  type: 'list',
  of: 'struct',
  value: value.map(struct),
});
export const integers = (value: readonly number[]): ThriftValue => ({ type: 'list', of: 'i32', value: value.map(i32) });
export const texts = (value: readonly string[]): ThriftValue => ({
  type: 'list',
  of: 'binary',
  value: value.map(binary),
});

/** A structure in Thrift's compact protocol. */
export function encodeStruct(fields: ThriftStruct): Buffer {
  const writer = new Writer();
  writer.struct(fields);
  return writer.finished();
}

class Writer {
  #bytes = Buffer.allocUnsafe(1 << 12);
  #at = 0;

  finished(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  struct(fields: ThriftStruct): void {
    let last = 0;
    // Keys of an object that are integers ascend.
    for (const [key, field] of Object.entries(fields)) {
      if (field === undefined) continue;
      const id = Number(key);
      const type = field.type === 'bool' ? (field.value ? thrift.true : thrift.false) : thrift[field.type];
      // a step of up to 15 stands beside the type
      if (id - last <= 15) this.#byte(((id - last) << 4) | type);
      else {
        this.#byte(type);
        this.#unsigned(2 * id);
      }
      last = id;
      if (field.type !== 'bool') this.#value(field);
    }
    this.#byte(thrift.stop);
  }

  #value(field: ThriftValue): void {
    switch (field.type) {
      case 'bool':
        this.#byte(field.value ? thrift.true : thrift.false);
        break;
      case 'byte':
        this.#byte(field.value);
        break;
      case 'i16':
      case 'i32':
      case 'i64':
        this.#unsigned(field.value < 0 ? -2 * field.value - 1 : 2 * field.value);
        break;
      case 'double':
        this.#reserve(8);
        this.#at = this.#bytes.writeDoubleLE(field.value, this.#at);
        break;
      case 'binary':
        this.#binary(typeof field.value === 'string' ? Buffer.from(field.value) : field.value);
        break;
      case 'list': {
        const count = field.value.length;
        this.#byte((Math.min(count, 15) << 4) | thrift[field.of]);
        if (count >= 15) this.#unsigned(count);
        for (const one of field.value) this.#value(one);
        break;
      }
      case 'struct':
        this.struct(field.value);
    }
  }

  #binary(bytes: Uint8Array): void {
    this.#unsigned(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const more = Buffer.allocUnsafe(2 * this.#bytes.length + length);
    this.#bytes.copy(more, 0, 0, this.#at);
    this.#bytes = more;
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
  }

  #unsigned(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 128);
    this.#byte(rest);
  }
}
