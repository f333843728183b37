import type { ByteSource } from '../../../data/bytes.ts';
import { sampleArrays } from '../../../data/samples.ts';
import { FormatError } from '../../../errors.ts';
import { ARRAY_HEAD, BLOCK_BEGIN, BLOCK_END, tag, typeOfNumber } from './tags.ts';
import type { StoredArray } from './typed-array.ts';
import { readElements } from './typed-array.ts';

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
 * Reads the blocks before the dynamic data. Elements of arrays are not read, and their counts are checked against the file's size.
 * @throws FormatError with the offset of the first byte that does not follow the grammar
 */
export async function readBlocks(source: ByteSource): Promise<DfsBlocks> {
  const start = await source.read(0, maxSignature);
  const text = Buffer.from(start.subarray(0, 8)).toString('latin1');
  if (text !== 'DHI_DFS_') throw new FormatError("A DFS file begins with 'DHI_DFS_'.", 0);
  const end = start.indexOf(CTRL_Z) + 1;
  if (end === 0) throw new FormatError('The signature of the DFS file does not end with a ctrl-Z.', start.length);
  if (end + dateBytes > source.size) throw new FormatError('The file ends within its dates.', source.size);
  const scanner = new Scanner(windowed(source), end + dateBytes);
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
  readonly #source: ByteSource;
  #at: number;
  #arrays = 0;

  constructor(source: ByteSource, at: number) {
    this.#source = source;
    this.#at = at;
  }

  async block(): Promise<DfsBlock> {
    const offset = this.#at;
    const begin = await this.#take(3, 'a block');
    if (begin.getUint8(0) !== BLOCK_BEGIN)
      throw new FormatError(`A block should begin here, but the byte is ${begin.getUint8(0)}.`, offset);
    const arrays: StoredArray[] = [];
    const number = begin.getUint16(1, true);
    for (;;) {
      const at = this.#at;
      const first = (await this.#take(1, `block ${number}`)).getUint8(0);
      if (first === BLOCK_END) return { tag: number, offset, end: this.#at, arrays };
      this.#at = at;
      arrays.push(await this.#array());
      if (++this.#arrays > maxArrays) throw new FormatError(`The header has more than ${maxArrays} arrays.`, at);
    }
  }

  async #array(): Promise<StoredArray> {
    const at = this.#at;
    const head = await this.#take(ARRAY_HEAD, 'an array');
    const type = typeOfNumber(head.getUint8(0));
    if (type === undefined) throw new FormatError(`An array has the type ${head.getUint8(0)}. Types are 1 to 7.`, at);
    const count = head.getInt32(1, true);
    const bytes = count * sampleArrays[type].BYTES_PER_ELEMENT;
    const offset = this.#at;
    if (count < 0 || offset + bytes > this.#source.size)
      throw new FormatError(
        `An array declares ${count} ${type} values, but the file has ${this.#source.size - offset} bytes left.`,
        at + 1,
      );
    this.#at += bytes;
    const source = this.#source;
    return { type, count, offset, load: () => readElements(source, { type, count, offset }) };
  }

  async #take(length: number, what: string): Promise<DataView> {
    const { buffer, byteOffset, byteLength } = await this.#source.read(this.#at, length);
    if (byteLength < length) throw new FormatError(`The file ends within ${what} of its header.`, this.#source.size);
    this.#at += length;
    return new DataView(buffer, byteOffset, length);
  }
}

/** A source that reads ahead: headers consist of many small parts. */
function windowed(source: ByteSource): ByteSource {
  let window = new Uint8Array(0);
  let start = 0;
  return {
    size: source.size,
    async read(offset, length) {
      if (length > smallRead) return source.read(offset, length);
      if (offset < start || offset + length > start + window.length) {
        window = new Uint8Array(await source.read(offset, windowBytes));
        start = offset;
      }
      return window.slice(offset - start, offset - start + length);
    },
  };
}
