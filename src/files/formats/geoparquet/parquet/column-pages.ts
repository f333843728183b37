import { crc32 } from 'node:zlib';
import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { readBuffer } from '../../io/buffers.ts';
import { encodings, pageTypes } from './constants.ts';
import { Dictionary, decoderOf } from './decoders.ts';
import type { ColumnChunk } from './footer.ts';
import type { LeafType, ValueDecoder } from './leaf-type.ts';
import { type PageHeader, readPageHeader } from './page-header.ts';
import { RunLengths } from './run-lengths.ts';
import type { SchemaNode } from './schema.ts';
import { isKnownCodec, unpack } from './unpack.ts';

const readAtOnce = 1 << 20;
/** Headers have minima and maxima in them. */
const [shortHeader, longestHeader] = [1 << 10, 1 << 24];
/** Maximum size of a page in bytes, which is held in memory. */
const maxPage = 1 << 30;

interface Page {
  readonly header: PageHeader;
  readonly offset: number;
  /** Unpacked. */
  readonly content: Buffer;
}

/** Values of a piece of a page. Those that are null are not among `values`. */
export interface PageValues {
  readonly values: unknown[];
  /** Levels of each entry; absent: none is null, or none is in a list. */
  readonly definitions?: Uint8Array;
  readonly repetitions?: Uint8Array;
}

/** Reads the pages of one column of a row group one after another, and unpacks the next one meanwhile. */
export class ColumnPages {
  /** Entries of the current page that are left: values and nulls, in lists also of empty ones. */
  available = 0;
  readonly #source: ByteSource;
  readonly #chunk: ColumnChunk;
  readonly #node: SchemaNode;
  readonly #name: string;
  readonly #leaf: LeafType;
  readonly #end: number;
  #at: number;
  #window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  #next: Promise<Page | undefined> | undefined;
  #dictionary: Dictionary | undefined;
  #seen = 0;
  #offset = 0;
  #definitions: RunLengths | undefined;
  #repetitions: RunLengths | undefined;
  #decoder: ValueDecoder | undefined;
  readonly #ahead: boolean;

  /** @param end where the metadata of the file begin; `ahead`: a page is unpacked while the one before it is used */
  constructor(
    source: ByteSource,
    chunk: ColumnChunk,
    { name, node, leaf }: { name: string; node: SchemaNode; leaf: LeafType },
    { end, ahead }: { end: number; ahead: boolean },
  ) {
    this.#source = source;
    this.#chunk = chunk;
    this.#node = node;
    this.#name = name;
    this.#leaf = leaf;
    this.#at = chunk.start;
    // Some old programs claim too few bytes.
    this.#end = Math.min(end, chunk.start + chunk.size + 100);
    this.#ahead = ahead;
    if (chunk.type !== node.type) this.#fail('has another type than the schema says', chunk.start);
    if (!isKnownCodec(chunk.codec))
      this.#fail(`is packed with codec ${chunk.codec}, which cannot be read`, chunk.start);
    if (chunk.start + chunk.size > end)
      this.#fail(`claims ${chunk.size} bytes from byte ${chunk.start} on, behind the end of the data`, chunk.start);
  }

  #fail(what: string, offset: number): never {
    throw new FormatError(`The column '${this.#name.slice(0, 80)}' ${what}.`, offset);
  }

  /** Errors of a piece of work on a page get the column and the place in the file. */
  #inPage<T>(offset: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FormatError) || error.offset !== undefined) throw error;
      throw new FormatError(`The column '${this.#name.slice(0, 80)}' is damaged: ${error.message}`, offset);
    }
  }

  /** Goes to the next page with values. False at the end of the row group. */
  async load(): Promise<boolean> {
    for (;;) {
      if (this.#next === undefined && this.#seen >= this.#chunk.values) return false;
      const page = await (this.#next ?? this.#page());
      this.#next = undefined;
      if (page === undefined) return false;
      const { header, offset } = page;
      if (this.#ahead && this.#seen + header.values < this.#chunk.values) {
        this.#next = this.#page();
        this.#next.catch(() => {});
      }
      this.#inPage(offset, () => this.#open(page));
      if (this.available > 0) return true;
    }
  }

  /** Reads and unpacks the next page of data; a dictionary before it is kept. */
  async #page(): Promise<Page | undefined> {
    for (;;) {
      const offset = this.#at;
      if (offset >= this.#end) return undefined;
      const header = await this.#header(offset);
      const start = offset + header.length;
      if (header.size > this.#end - start)
        this.#fail(`has a page of ${header.size} bytes, of which ${this.#end - start} are there`, offset);
      if (header.unpacked > maxPage)
        this.#fail(`has a page of ${header.unpacked} bytes; the limit is ${maxPage}`, offset);
      this.#at = start + header.size;
      const isData = header.type === pageTypes.data || header.type === pageTypes.data2;
      if (!isData && header.type !== pageTypes.dictionary) continue;
      const content = await this.#content(header, start);
      if (isData) return { header, offset, content };
      if (header.encoding !== encodings.plain && header.encoding !== encodings.plainDictionary)
        this.#fail(`has a dictionary in encoding ${header.encoding}`, offset);
      this.#dictionary = this.#inPage(offset, () => new Dictionary(content, header.values, this.#leaf));
    }
  }

  async #header(offset: number): Promise<PageHeader> {
    for (let length = shortHeader; ; length *= 16) {
      const bytes = await this.#bytes(offset, Math.min(length, this.#end - offset));
      try {
        return readPageHeader(bytes, offset);
      } catch (error) {
        if (!(error instanceof FormatError) || bytes.length < length || length >= longestHeader) throw error;
      }
    }
  }

  async #bytes(offset: number, length: number): Promise<Buffer> {
    const { start, bytes } = this.#window;
    if (offset >= start && offset + length <= start + bytes.length)
      return bytes.subarray(offset - start, offset - start + length);
    const whole = Math.max(length, Math.min(readAtOnce, this.#end - offset));
    this.#window = { start: offset, bytes: await readBuffer(this.#source, offset, whole) };
    return this.#window.bytes.subarray(0, length);
  }

  async #content({ size, unpacked, crc, type, isPacked, ...header }: PageHeader, start: number): Promise<Buffer> {
    const { codec } = this.#chunk;
    const bytes = await this.#bytes(start, size);
    if (bytes.length < size) this.#fail(`has a page of ${size} bytes, of which ${bytes.length} are there`, start);
    if (crc !== undefined && crc32(bytes) !== crc) this.#fail('has a page whose checksum differs', start);
    const levels = type === pageTypes.data2 ? header.definitionBytes + header.repetitionBytes : 0;
    if (levels > Math.min(size, unpacked)) this.#fail(`has a page with ${levels} bytes of levels`, start);
    if (!isPacked && type === pageTypes.data2) return bytes;
    // Writers need not pack a page without values.
    const values =
      unpacked === levels ? Buffer.alloc(0) : await unpack(bytes.subarray(levels), codec, unpacked - levels);
    if (values === undefined) this.#fail(`has a page that cannot be unpacked to its ${unpacked} bytes`, start);
    return levels === 0 ? values : Buffer.concat([bytes.subarray(0, levels), values]);
  }

  #open({ header, offset, content }: Page): void {
    const { values, definitionBytes, repetitionBytes } = header;
    const { maxDefinition, maxRepetition } = this.#node;
    this.#seen += values;
    if (this.#seen > this.#chunk.values)
      throw new FormatError(`it has ${this.#seen} values or more; ${this.#chunk.values} are claimed.`);
    this.#offset = offset;
    this.available = values;
    let at = 0;
    const levels = (max: number, encoding: number, length: number): RunLengths | undefined => {
      if (header.type === pageTypes.data2) {
        at += length;
        return max === 0 ? undefined : new RunLengths(content, at - length, at, bitsOf(max));
      }
      if (max === 0) return undefined;
      if (encoding !== encodings.rle) throw new FormatError(`levels in encoding ${encoding} cannot be read.`);
      const own = at + 4 <= content.length ? content.readUInt32LE(at) : Number.POSITIVE_INFINITY;
      if (own > content.length - at - 4) throw new FormatError(`the levels of a page claim ${own} bytes.`);
      at += 4 + own;
      return new RunLengths(content, at - own, at, bitsOf(max));
    };
    this.#repetitions = levels(maxRepetition, header.repetitionEncoding, repetitionBytes);
    this.#definitions = levels(maxDefinition, header.definitionEncoding, definitionBytes);
    // a page of nulls alone has no values, not even their head
    this.#decoder =
      at >= content.length ? undefined : decoderOf(content, at, header.encoding, this.#leaf, this.#dictionary);
  }

  /** The next entries, at most those that are available. */
  read(count: number): PageValues {
    return this.#inPage(this.#offset, () => this.#read(count));
  }

  #read(count: number): PageValues {
    const { maxDefinition } = this.#node;
    const repetitions = this.#repetitions && new Uint8Array(count);
    if (repetitions !== undefined) this.#repetitions!.read(repetitions, 0, count);
    const definitions = this.#definitions && new Uint8Array(count);
    let present = count;
    if (definitions !== undefined) {
      this.#definitions!.read(definitions, 0, count);
      present = 0;
      for (let n = 0; n < count; n++) if (definitions[n] === maxDefinition) present++;
    }
    const values: unknown[] = new Array(present);
    if (present > 0) {
      if (this.#decoder === undefined) throw new FormatError('a page has fewer values than it claims.');
      this.#decoder.read(values, 0, present);
    }
    this.available -= count;
    return {
      values,
      ...(definitions === undefined || (present === count && repetitions === undefined) ? {} : { definitions }),
      ...(repetitions === undefined ? {} : { repetitions }),
    };
  }

  /** The next values of a column without lists and groups, with null where there is none. */
  rows(count: number): unknown[] {
    const { values, definitions } = this.read(count);
    if (definitions === undefined) return values;
    const { maxDefinition } = this.#node;
    const rows: unknown[] = new Array(count);
    for (let n = 0, from = 0; n < count; n++) rows[n] = definitions[n] === maxDefinition ? values[from++] : null;
    return rows;
  }
}

const bitsOf = (max: number): number => 32 - Math.clz32(max);
