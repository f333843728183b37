import { codecs, encodings, logical, pageTypes, physical } from '../parquet/constants.ts';
import { binary, bool, i8, i32, i64, integers, struct, type ThriftStruct, texts } from '../parquet/thrift-writer.ts';
import { bitBytes, dictionaryPage, indexBytes, levelBytes, type PackedPage, packedPage } from './pages.ts';

/** A page ends with the value that exceeds this size in bytes, or with this number of rows. */
const pageBytes = 1 << 20;
const pageRows = 20_000;

/** What the schema says of a column. */
export interface ColumnSpec {
  readonly path: readonly string[];
  readonly type: number;
  readonly annotation?: ThriftStruct;
  /** The annotation of older readers. */
  readonly converted?: number;
}

export const timestampType = (utc: boolean): ThriftStruct => ({
  [logical.timestamp]: struct({ 1: bool(utc), 2: struct({ 2: struct({}) }) }),
});
export const integerType = (bits: number, signed: boolean): ThriftStruct => ({
  [logical.integer]: struct({ 1: i8(bits), 2: bool(signed) }),
});

export const schemaElement = ({ path, type, annotation, converted }: ColumnSpec, repetition: number): ThriftStruct => ({
  1: i32(type),
  3: i32(repetition),
  4: binary(path.at(-1)!),
  6: converted === undefined ? undefined : i32(converted),
  10: annotation === undefined ? undefined : struct(annotation),
});

/** Values of one column of a row group, in pages that are packed as they fill. */
export class ColumnWriter {
  readonly spec: ColumnSpec;
  /** Bytes of the values so far. */
  bytes = 0;
  readonly #isOptional: boolean;
  readonly #dictionary: readonly Buffer[] | undefined;
  #page = Buffer.allocUnsafeSlow(1 << 14);
  #at = 0;
  /** Which rows of the page have a value. */
  #levels = new Uint8Array(1 << 10);
  #rows = 0;
  #rowsOfPage = 0;
  #nulls = 0;
  #nullsOfPage = 0;
  #indices: number[] = [];
  #minimum = Number.POSITIVE_INFINITY;
  #maximum = Number.NEGATIVE_INFINITY;
  #isComparable: boolean;
  readonly #pages: Promise<PackedPage>[] = [];

  /**
   * @param dictionary values of which rows name one by its index
   */
  constructor(
    spec: ColumnSpec,
    { isOptional = true, dictionary }: { isOptional?: boolean; dictionary?: Buffer[] } = {},
  ) {
    this.spec = spec;
    this.#isOptional = isOptional;
    this.#dictionary = dictionary;
    this.#isComparable = spec.type !== physical.bytes && spec.type !== physical.boolean;
    if (dictionary !== undefined) this.#pages.push(dictionaryPage(dictionary));
  }

  get hasDictionary(): boolean {
    return this.#dictionary !== undefined;
  }

  null(): void {
    this.#level(0);
    this.#nulls++;
    this.#nullsOfPage++;
    this.#end();
  }

  /** A number; a bigint for 64-bit integers that a double cannot hold. */
  number(value: number | bigint): void {
    this.#level(1);
    this.#reserve(8);
    switch (this.spec.type) {
      case physical.int32:
        this.#at = this.#page.writeInt32LE((value as number) | 0, this.#at);
        break;
      case physical.int64:
        this.#long(value);
        break;
      case physical.float:
        this.#at = this.#page.writeFloatLE(value as number, this.#at);
        break;
      default:
        this.#at = this.#page.writeDoubleLE(value as number, this.#at);
    }
    if (typeof value === 'bigint' || Number.isNaN(value)) this.#isComparable = false;
    else {
      if (value < this.#minimum) this.#minimum = value;
      if (value > this.#maximum) this.#maximum = value;
    }
    this.#end();
  }

  #long(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#at = this.#page.writeBigInt64LE(BigInt.asIntN(64, value), this.#at);
      return;
    }
    const high = Math.floor(value / 0x1_0000_0000);
    this.#page.writeUInt32LE(value - high * 0x1_0000_0000, this.#at);
    this.#at = this.#page.writeInt32LE(high, this.#at + 4);
  }

  boolean(value: boolean): void {
    this.#level(1);
    this.#indices.push(value ? 1 : 0);
    this.#end();
  }

  text(from: Buffer, start: number, end: number): void {
    this.#level(1);
    this.#reserve(4 + end - start);
    this.#at = this.#page.writeUInt32LE(end - start, this.#at);
    from.copy(this.#page, this.#at, start, end);
    this.#at += end - start;
    this.#end();
  }

  /** A value of the dictionary. */
  index(index: number): void {
    this.#level(1);
    this.#indices.push(index);
    this.#end();
  }

  #level(level: 0 | 1): void {
    if (this.#rowsOfPage === this.#levels.length) {
      const more = new Uint8Array(2 * this.#levels.length);
      more.set(this.#levels);
      this.#levels = more;
    }
    this.#levels[this.#rowsOfPage++] = level;
    this.#rows++;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#page.length) return;
    const more = Buffer.allocUnsafeSlow(Math.max(2 * this.#page.length, this.#at + length));
    this.#page.copy(more, 0, 0, this.#at);
    this.#page = more;
  }

  #end(): void {
    if (this.#at >= pageBytes || this.#rowsOfPage === pageRows) this.#seal();
  }

  #seal(): void {
    if (this.#rowsOfPage === 0) return;
    const levels = this.#isOptional ? levelBytes(this.#levels.subarray(0, this.#rowsOfPage), this.#nullsOfPage) : [];
    const rows = this.#rowsOfPage;
    const isIndexed = this.#dictionary !== undefined;
    const values = isIndexed
      ? indexBytes(this.#indices, this.#dictionary!.length)
      : this.spec.type === physical.boolean
        ? bitBytes(this.#indices)
        : this.#page.subarray(0, this.#at);
    this.bytes += values.length;
    const encoding = isIndexed ? encodings.rleDictionary : encodings.plain;
    this.#pages.push(
      packedPage([...levels, values], (sizes) => ({
        1: i32(pageTypes.data),
        ...sizes,
        5: struct({ 1: i32(rows), 2: i32(encoding), 3: i32(encodings.rle), 4: i32(encodings.rle) }),
      })),
    );
    [this.#at, this.#rowsOfPage, this.#nullsOfPage, this.#indices] = [0, 0, 0, []];
  }

  /** The bytes of all pages, and the metadata of the column, to which the place in the file must be added. */
  async finished(): Promise<{
    pages: readonly Buffer[];
    metadata: (offset: number) => ThriftStruct;
    size: number;
    unpacked: number;
  }> {
    this.#seal();
    const packed = await Promise.all(this.#pages);
    const pages = packed.flatMap(({ head, body }) => [head, body]);
    const size = pages.reduce((sum, { length }) => sum + length, 0);
    const unpacked = packed.reduce((sum, page) => sum + page.head.length + page.unpacked, 0);
    const isIndexed = this.#dictionary !== undefined;
    const first = isIndexed ? packed[0]!.head.length + packed[0]!.body.length : 0;
    const used = [encodings.plain, encodings.rle, ...(isIndexed ? [encodings.rleDictionary] : [])];
    const { path, type } = this.spec;
    return {
      pages,
      size,
      unpacked,
      metadata: (offset) => ({
        1: i32(type),
        2: integers(used),
        3: texts(path),
        4: i32(codecs.zstd),
        5: i64(this.#rows),
        6: i64(unpacked),
        7: i64(size),
        9: i64(offset + first),
        11: isIndexed ? i64(offset) : undefined,
        12: struct(this.#statistics()),
      }),
    };
  }

  #statistics(): ThriftStruct {
    const nulls = { 3: i64(this.#nulls) };
    if (!this.#isComparable || this.#minimum > this.#maximum) return nulls;
    // Zeros of both signs are equal, but programs compare bytes.
    return {
      ...nulls,
      5: binary(this.#encoded(this.#maximum === 0 ? 0 : this.#maximum)),
      6: binary(this.#encoded(this.#minimum === 0 && this.spec.type >= physical.float ? -0 : this.#minimum)),
    };
  }

  #encoded(value: number): Buffer {
    const bytes = Buffer.alloc(8);
    switch (this.spec.type) {
      case physical.int32:
        bytes.writeInt32LE(value | 0);
        return bytes.subarray(0, 4);
      case physical.float:
        bytes.writeFloatLE(value);
        return bytes.subarray(0, 4);
      case physical.int64:
        bytes.writeBigInt64LE(BigInt(value));
        return bytes;
    }
    bytes.writeDoubleLE(value);
    return bytes;
  }
}
