import { inflateSync } from 'node:zlib';

/** An array of a reference document, as `.zarray` and `.zattrs` describe it. */
export interface FoundArray {
  shape: number[];
  chunks: number[];
  dtype: string;
  fill_value: number | string | null;
  filters: { id: string; elementsize?: number }[] | null;
  attributes: Record<string, unknown>;
}

type Ref = string | [address: string, offset: number, length: number];

/** A small reader of kerchunk documents, written for these tests. */
export class ReferenceReader {
  readonly refs: Record<string, Ref>;
  readonly #fetch: (address: string, offset: number, length: number) => Uint8Array | Promise<Uint8Array>;

  constructor(
    document: string,
    fetch: (address: string, offset: number, length: number) => Uint8Array | Promise<Uint8Array>,
  ) {
    const { version, refs } = JSON.parse(document);
    if (version !== 1) throw new Error(`version ${version}`);
    this.refs = refs;
    this.#fetch = fetch;
  }

  // biome-ignore lint/suspicious/noExplicitAny: JSON
  json(key: string): any {
    return JSON.parse((this.refs[key] as string).replaceAll('NaN', 'null'));
  }

  get names(): string[] {
    return Object.keys(this.refs).flatMap((key) => (key.endsWith('/.zarray') ? [key.slice(0, -8)] : []));
  }

  array(name: string): FoundArray {
    return { ...this.json(`${name}/.zarray`), attributes: this.json(`${name}/.zattrs`) };
  }

  /** The name of the array of an item. */
  of(item: string): string {
    return this.names.find((name) => this.array(name).attributes.long_name === item) ?? '';
  }

  /** All values; what is stored as fill value is null. */
  async values(name: string): Promise<(number | null)[]> {
    const { shape, chunks, dtype, fill_value, filters } = this.array(name);
    const size = Number(dtype.slice(2));
    const count = (lengths: number[]) => lengths.reduce((all, length) => all * length, 1);
    const values: (number | null)[] = Array(count(shape)).fill(null);
    const parts = shape.map((length, d) => Math.ceil(length / chunks[d]!));
    for (let part = 0; part < count(parts); part++) {
      const index = digits(part, parts);
      const ref = this.refs[`${name}/${index.length === 0 ? '0' : index.join('.')}`];
      if (ref === undefined) continue;
      let bytes = Buffer.from(
        typeof ref === 'string' ? Buffer.from(ref.slice('base64:'.length), 'base64') : await this.#fetch(...ref),
      );
      for (const { id, elementsize = 1 } of (filters ?? []).toReversed())
        bytes =
          id === 'zlib' ? inflateSync(bytes) : id === 'shuffle' ? unshuffled(bytes, elementsize) : Buffer.alloc(0);
      if (bytes.length !== count(chunks) * size) throw new Error(`${name} ${index}: ${bytes.length} bytes`);
      for (let n = 0; n < count(chunks); n++) {
        const place = digits(n, chunks).map((one, d) => one + index[d]! * chunks[d]!);
        if (place.some((one, d) => one >= shape[d]!)) continue;
        const value = numberAt(bytes, n * size, dtype);
        values[place.reduce((all, one, d) => all * shape[d]! + one, 0)] = value === fill_value ? null : value;
      }
    }
    return values;
  }
}

function digits(n: number, lengths: readonly number[]): number[] {
  let left = n;
  return lengths
    .toReversed()
    .map((length) => {
      const digit = left % length;
      left = Math.floor(left / length);
      return digit;
    })
    .toReversed();
}

function unshuffled(bytes: Buffer, size: number): Buffer<ArrayBuffer> {
  const count = bytes.length / size;
  return Buffer.from(Uint8Array.from(bytes, (_, n) => bytes[(n % size) * count + Math.floor(n / size)]!));
}

function numberAt(bytes: Buffer, at: number, dtype: string): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = !dtype.startsWith('>');
  switch (dtype.slice(1)) {
    case 'f4':
      return view.getFloat32(at, little);
    case 'f8':
      return view.getFloat64(at, little);
    case 'i4':
      return view.getInt32(at, little);
    case 'i2':
      return view.getInt16(at, little);
    case 'u1':
      return view.getUint8(at);
    case 'u4':
      return view.getUint32(at, little);
    default:
      throw new Error(dtype);
  }
}
