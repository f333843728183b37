import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import type { Samples, SampleType } from '../../data/item.ts';
import { bytesOf, sampleTypeOf } from '../../data/samples.ts';
import type { BlockSpool, Piece } from './block-spool.ts';

/** An array of numbers as a VTU file holds it. */
export interface VtuArray {
  readonly name: string;
  /** The components of a point or cell are consecutive. */
  readonly values: Samples;
  /** Absent: 1. */
  readonly components?: number;
  /** Symbol of the unit. */
  readonly unit?: string;
}

/** An array whose bytes are ready for the appended data of any number of files. */
export interface EncodedArray extends Omit<VtuArray, 'values'> {
  readonly type: SampleType;
  /** Numbers, not bytes. */
  readonly length: number;
  readonly bytes: readonly Piece[];
}

/** Uncompressed bytes per block. VTK reads any size. */
const blockSize = 1 << 18;
/** Higher levels take several times as long and hardly compress coordinates further. */
const level = 1;
/** Blocks of an array under way on the thread pool. */
const maxPending = 4;
/**
 * Maximum growth of blocks that are compressed without searching for repetitions (Huffman coding only), which saves
 * most of the time.
 */
const maxGrowth = 1.1;

const compress = promisify(deflate);

/** Compresses the bytes of an array block by block, in the background. */
class BlockCompressor {
  #size = 0;
  readonly #blocks: Promise<Piece>[] = [];
  readonly #spool: BlockSpool | undefined;
  #strategy: Promise<number> | undefined;

  /** @param spool keeps the blocks; without one they stay in memory */
  constructor(spool?: BlockSpool) {
    this.#spool = spool;
  }

  /** Takes a block, whose memory must not change any more; all but the last have `blockSize` bytes. */
  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    const block = this.#strategy === undefined ? this.#first(bytes) : this.#next(bytes, this.#strategy);
    const kept = this.#spool === undefined ? block : block.then((bytes) => this.#spool!.keep(bytes));
    // A failure is thrown by `drain` or `finish`.
    kept.catch(() => {});
    this.#blocks.push(kept);
  }

  /** Waits while too many blocks are under way. */
  async drain(): Promise<void> {
    await this.#blocks.at(-maxPending);
  }

  /** VTK's header (number of blocks, size of a block, of the last one, compressed sizes), and the blocks. */
  async finish(): Promise<Piece[]> {
    const blocks = await Promise.all(this.#blocks);
    // 0 means that the last block is full.
    const header = [blocks.length, blockSize, this.#size % blockSize, ...blocks.map(({ length }) => length)];
    const words = BigUint64Array.from(header, BigInt);
    return [new Uint8Array(words.buffer), ...blocks];
  }

  /** Compresses the first block with both strategies, to choose the one for the other blocks. */
  async #first(bytes: Uint8Array): Promise<Uint8Array> {
    const both = Promise.all([packed(bytes, constants.Z_DEFAULT_STRATEGY), packed(bytes, constants.Z_HUFFMAN_ONLY)]);
    this.#strategy = both.then(([searched, coded]) =>
      coded.length <= maxGrowth * searched.length ? constants.Z_HUFFMAN_ONLY : constants.Z_DEFAULT_STRATEGY,
    );
    this.#strategy.catch(() => {});
    const [searched, coded] = await both;
    return searched.length < coded.length ? searched : coded;
  }

  async #next(bytes: Uint8Array, strategy: Promise<number>): Promise<Uint8Array> {
    return packed(bytes, await strategy);
  }
}

async function packed(bytes: Uint8Array, strategy: number): Promise<Uint8Array> {
  const block = await compress(bytes, { level, strategy, chunkSize: bytes.length + 1024 });
  // A small result would keep the memory of a large one.
  return block.length < bytes.length / 2 ? Uint8Array.prototype.slice.call(block) : block;
}

/** Compresses an array; stops between blocks if `signal` is aborted. */
export async function encodeArray({ values, ...array }: VtuArray, signal: AbortSignal): Promise<EncodedArray> {
  const bytes = bytesOf(values);
  const compressor = new BlockCompressor();
  for (let at = 0; at < bytes.length; at += blockSize) {
    signal.throwIfAborted();
    compressor.add(bytes.subarray(at, at + blockSize));
    await compressor.drain();
  }
  return { ...array, type: sampleTypeOf(values), length: values.length, bytes: await compressor.finish() };
}

/** An array of doubles that is compressed while it is made. */
export class ArrayEncoder {
  length = 0;
  #block = new Float64Array(blockSize / 8);
  #used = 0;
  readonly #compressor = new BlockCompressor();

  push(value: number): void {
    this.#block[this.#used++] = value;
    if (this.#used === this.#block.length) this.#flush();
  }

  /** Waits while too many blocks are under way. */
  drain(): Promise<void> {
    return this.#compressor.drain();
  }

  async finish(array: Omit<VtuArray, 'values'>): Promise<EncodedArray> {
    if (this.#used > 0) this.#flush();
    return { ...array, type: 'Float64', length: this.length, bytes: await this.#compressor.finish() };
  }

  #flush(): void {
    this.length += this.#used;
    this.#compressor.add(bytesOf(this.#block.subarray(0, this.#used)));
    this.#block = new Float64Array(this.#block.length);
    this.#used = 0;
  }
}

/** Compresses an array that comes in blocks of any size. */
export async function encodeBlocks(
  { type, ...array }: Omit<VtuArray, 'values'> & { type: SampleType },
  blocks: Iterable<Samples> | AsyncIterable<Samples>,
  spool: BlockSpool,
  signal: AbortSignal,
): Promise<EncodedArray> {
  const compressor = new BlockCompressor(spool);
  let block = new Uint8Array(blockSize);
  let used = 0;
  let length = 0;
  for await (const samples of blocks) {
    signal.throwIfAborted();
    length += samples.length;
    const bytes = bytesOf(samples);
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + blockSize - used);
      block.set(part, used);
      used += part.length;
      at += part.length;
      if (used < blockSize) break;
      compressor.add(block);
      await compressor.drain();
      block = new Uint8Array(blockSize);
      used = 0;
    }
  }
  if (used > 0) compressor.add(block.subarray(0, used));
  return { ...array, type, length, bytes: await compressor.finish() };
}
