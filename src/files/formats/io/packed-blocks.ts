import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { FileSink, FileSource } from './bytes.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** First bytes of a packed file; its number is the version of the layout. */
const MAGIC = Buffer.from('blocks\n1');
const HEAD_BYTES = 32;
const BLOCK_BYTES = 1 << 17;
/** Larger ones are no block that this code has written. */
const MOST_BLOCK_BYTES = 1 << 24;
/** Unpacked bytes that an open file keeps. */
const KEPT_BYTES = 1 << 23;
/** Packed bytes that a read asks for at once. */
const RUN_BYTES = 1 << 22;

/**
 * Packs a local file in blocks (zstd) that can be read without the others: magic, bytes of the file (u64), bytes of a
 * block (u32), number of blocks (u32), position of the lengths (u64), all little-endian; blocks; their lengths (u32).
 */
export async function packBlocks(from: string, to: string, signal: AbortSignal): Promise<void> {
  await using source = await FileSource.open(from, { checksum: false });
  await using sink = await FileSink.create(to, { checksum: false });
  const count = Math.ceil(source.size / BLOCK_BYTES);
  const lengths = new Uint32Array(count);
  const head = Buffer.alloc(HEAD_BYTES);
  await sink.append(Buffer.from(head));
  for (let n = 0; n < count; n++) {
    signal.throwIfAborted();
    const packed = await compress(await source.read(n * BLOCK_BYTES, BLOCK_BYTES), {
      params: { [constants.ZSTD_c_checksumFlag]: 1 },
    });
    lengths[n] = packed.length;
    await sink.append(packed);
  }
  MAGIC.copy(head);
  head.writeBigUInt64LE(BigInt(source.size), 8);
  head.writeUInt32LE(BLOCK_BYTES, 16);
  head.writeUInt32LE(count, 20);
  head.writeBigUInt64LE(BigInt(sink.position), 24);
  await sink.append(new Uint8Array(lengths.buffer));
  await sink.patch(0, head);
  await sink.flush();
}

/**
 * The bytes that were packed, if the source is a packed file; else the source.
 * @throws FormatError for a packed file that is damaged
 */
export async function unpackedBlocks(source: ByteSource): Promise<ByteSource> {
  const head = Buffer.from(await source.read(0, HEAD_BYTES));
  if (head.length < HEAD_BYTES || !head.subarray(0, MAGIC.length).equals(MAGIC)) return source;
  const size = Number(head.readBigUInt64LE(8));
  const [blockBytes, count] = [head.readUInt32LE(16), head.readUInt32LE(20)];
  const end = Number(head.readBigUInt64LE(24));
  const isWhole = blockBytes > 0 && blockBytes <= MOST_BLOCK_BYTES && count === Math.ceil(size / blockBytes);
  if (!isWhole || end + 4 * count !== source.size) throw damaged(0);
  const lengths = Buffer.from(await source.read(end, 4 * count));
  const starts = new Float64Array(count + 1);
  starts[0] = HEAD_BYTES;
  for (let n = 0; n < count; n++) starts[n + 1] = starts[n]! + lengths.readUInt32LE(4 * n);
  if (starts[count] !== end) throw damaged(end);
  return new UnpackedBlocks(source, { size, blockBytes, starts });
}

interface Layout {
  readonly size: number;
  readonly blockBytes: number;
  /** Where the blocks begin, and the last one ends. */
  readonly starts: Float64Array;
}

const damaged = (offset: number) => new FormatError('The packed blocks of the file are damaged.', offset);

/** Random access to the unpacked bytes. */
class UnpackedBlocks implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #blockBytes: number;
  readonly #starts: Float64Array;
  readonly #kept: LRUCache<number, Uint8Array>;

  constructor(source: ByteSource, { size, blockBytes, starts }: Layout) {
    this.size = size;
    this.#source = source;
    this.#blockBytes = blockBytes;
    this.#starts = starts;
    this.#kept = new LRUCache({ max: Math.max(2, Math.floor(KEPT_BYTES / blockBytes)) });
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length);
    if (offset >= end) return new Uint8Array(0);
    const bytes = new Uint8Array(end - offset);
    const last = Math.floor((end - 1) / this.#blockBytes);
    for (let first = Math.floor(offset / this.#blockBytes); first <= last; ) {
      const blocks = await this.#blocks(first, last);
      for (const block of blocks) {
        const start = first++ * this.#blockBytes - offset;
        const part = block.subarray(Math.max(0, -start), end - offset - start);
        bytes.set(part, Math.max(0, start));
      }
    }
    return bytes;
  }

  /** One or more blocks from `first` on: a kept one, or those that are read together. */
  async #blocks(first: number, last: number): Promise<readonly Uint8Array[]> {
    const kept = this.#kept.get(first);
    if (kept !== undefined) return [kept];
    const start = this.#starts[first]!;
    let end = first + 1;
    while (end <= last && !this.#kept.has(end) && this.#starts[end + 1]! - start <= RUN_BYTES) end++;
    const packed = await this.#source.read(start, this.#starts[end]! - start);
    const blocks: Uint8Array[] = [];
    for (let n = first; n < end; n++) {
      const block = await this.#unpack(packed.subarray(this.#starts[n]! - start, this.#starts[n + 1]! - start), n);
      this.#kept.set(n, block);
      blocks.push(block);
    }
    return blocks;
  }

  async #unpack(packed: Uint8Array, n: number): Promise<Uint8Array> {
    const size = Math.min(this.#blockBytes, this.size - n * this.#blockBytes);
    const block = await decompress(packed, { maxOutputLength: size }).catch(() => undefined);
    if (block?.length !== size) throw damaged(this.#starts[n]!);
    return block;
  }
}
