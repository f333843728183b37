import type { ByteSource } from '../../../data/bytes.ts';
import { sampleArrays } from '../../../data/samples.ts';
import { FormatError } from '../../../errors.ts';
import { ARRAY_HEAD, BLOCK_BEGIN, BLOCK_END, tag, typeOfNumber } from './tags.ts';
import { readElements, type StoredArray } from './typed-array.ts';

/** A block of the header: a tag and typed arrays. */
export interface DfsBlock {
  readonly tag: number;
  /** Offset of its first byte, and of the byte after its last one. */
  readonly offset: number;
  readonly end: number;
  readonly arrays: readonly StoredArray[];
}

export interface DfsBlocks {
  /** Signature, dates and version words: all bytes before the first block. */
  readonly head: Uint8Array;
  /** All blocks before the dynamic data. */
  readonly blocks: readonly DfsBlock[];
  /** Offset of the first time step. */
  readonly dataStart: number;
}

/** Maximum length of the signature in bytes. Its text ends with a ctrl-Z. */
const maxSignature = 4096;
const CTRL_Z = 0x1a;
/** Bytes of the dates and version words after the signature. */
const dateBytes = 48;
/** More blocks than any program writes: items and static items have up to five each. */
const maxBlocks = 500_000;
const maxArrays = 1_000_000;
const windowBytes = 1 << 16;
/** Maximum size in bytes of a read that is served from the window. */
const smallRead = 1 << 12;

/**
 * Reads the blocks before the dynamic data. Elements of arrays are not read, and their counts are checked against the
 * file's size.
 * @throws FormatError with the offset of the first byte that does not follow the grammar
 */
export async function readBlocks(source: ByteSource): Promise<DfsBlocks> {
  const start = await source.read(0, maxSignature);
  const text = Buffer.from(start.subarray(0, 8)).toString('latin1');
  if (text !== 'DHI_DFS_') throw new FormatError("A DFS file begins with 'DHI_DFS_'.", 0);
  const end = start.indexOf(CTRL_Z) + 1;
  if (end === 0) throw new FormatError('The signature of the DFS file does not end with a ctrl-Z.', start.length);
  if (end + dateBytes > source.size) throw new FormatError('The file ends within its dates.', source.size);
  const scanner = new Scanner(new ReadAheadSource(source), end + dateBytes);
  const head = await source.read(0, end + dateBytes);
  const blocks: DfsBlock[] = [];
  for (;;) {
    const block = await scanner.block();
    if (block.tag === tag.dynamicSection) return { head, blocks, dataStart: block.end };
    blocks.push(block);
    if (blocks.length > maxBlocks) throw new FormatError(`The header has more than ${maxBlocks} blocks.`, block.offset);
  }
}

class Scanner {
  readonly #window: ReadAheadSource;
  #at: number;
  #arrays = 0;

  constructor(window: ReadAheadSource, at: number) {
    this.#window = window;
    this.#at = at;
  }

  async block(): Promise<DfsBlock> {
    const window = this.#window;
    const offset = this.#at;
    if (!window.has(offset, 3)) await this.#load(3, 'a block');
    const begin = window.uint8(offset);
    if (begin !== BLOCK_BEGIN) throw new FormatError(`A block should begin here, but the byte is ${begin}.`, offset);
    const number = window.uint16(offset + 1);
    this.#at += 3;
    const arrays: StoredArray[] = [];
    for (;;) {
      const at = this.#at;
      if (!window.has(at, 1)) await this.#load(1, `block ${number}`);
      if (window.uint8(at) === BLOCK_END) {
        this.#at++;
        return { tag: number, offset, end: this.#at, arrays };
      }
      if (!window.has(at, ARRAY_HEAD)) await this.#load(ARRAY_HEAD, 'an array');
      arrays.push(this.#array());
      if (++this.#arrays > maxArrays) throw new FormatError(`The header has more than ${maxArrays} arrays.`, at);
    }
  }

  /** Reads an array whose head is in the window. */
  #array(): StoredArray {
    const window = this.#window;
    const at = this.#at;
    const type = typeOfNumber(window.uint8(at));
    if (type === undefined) throw new FormatError(`An array has the type ${window.uint8(at)}. Types are 1 to 7.`, at);
    const count = window.int32(at + 1);
    const bytes = count * sampleArrays[type].BYTES_PER_ELEMENT;
    const offset = at + ARRAY_HEAD;
    if (count < 0 || offset + bytes > window.size)
      throw new FormatError(
        `An array declares ${count} ${type} values, but the file has ${window.size - offset} bytes left.`,
        at + 1,
      );
    this.#at = offset + bytes;
    return { type, count, offset, load: () => readElements(window, { type, count, offset }) };
  }

  async #load(length: number, what: string): Promise<void> {
    await this.#window.load(this.#at);
    if (!this.#window.has(this.#at, length))
      throw new FormatError(`The file ends within ${what} of its header.`, this.#window.size);
  }
}

/**
 * A source that reads ahead, because headers consist of many small parts. Numbers are read in place: copies would take
 * most of the time.
 */
class ReadAheadSource implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  #view = new DataView(new ArrayBuffer(0));
  /** Offset in the source. */
  #start = 0;

  constructor(source: ByteSource) {
    this.size = source.size;
    this.#source = source;
  }

  /** Whether these bytes are in memory. */
  has(offset: number, length: number): boolean {
    return offset >= this.#start && offset + length <= this.#start + this.#view.byteLength;
  }

  async load(offset: number): Promise<void> {
    this.#show(await this.#source.read(offset, windowBytes), offset);
  }

  #show(bytes: Uint8Array, offset: number): void {
    this.#view = new DataView(new Uint8Array(bytes).buffer);
    this.#start = offset;
  }

  uint8(offset: number): number {
    return this.#view.getUint8(offset - this.#start);
  }

  uint16(offset: number): number {
    return this.#view.getUint16(offset - this.#start, true);
  }

  int32(offset: number): number {
    return this.#view.getInt32(offset - this.#start, true);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length > smallRead) return this.#source.read(offset, length);
    // shown and read in one turn: another read may move the window
    if (!this.has(offset, length)) this.#show(await this.#source.read(offset, windowBytes), offset);
    const from = offset - this.#start;
    return new Uint8Array(this.#view.buffer.slice(from, from + length));
  }
}
