import { product } from '../../../data/hyperslab.ts';
import { bytesOfValues, newValues, type StoredValues } from '../../../data/stored-values.ts';
import { TaskThread } from '../../../threads/task-thread.ts';
import type { Context } from '../../define.ts';
import type { ArraySpec } from './array-spec.ts';
import { type Packing, type PackTask, packChunk } from './pack-chunk.ts';

/** A thread reads and cuts as fast as about two threads compress. */
const mostWorkers = 3;
/** The first bytes are compressed on the current thread: starting threads takes longer than they save. */
const unthreaded = 1 << 22;
/**
 * Bytes of chunks that wait for compression. Chunks come in bursts, when the steps that they share are read. The
 * threads compress a burst while the next steps are read.
 */
const mostWaiting = 1 << 25;

interface PackedChunk {
  /** Of the array. */
  readonly name: string;
  readonly index: readonly number[];
  readonly bytes: Uint8Array;
}

/**
 * Compresses chunks, on threads where there are several, and appends them in the order in which they came. The number
 * of threads does not change the bytes.
 */
export class ChunkPacker {
  readonly #packing: Packing | undefined;
  readonly #threads: readonly TaskThread<PackTask, Uint8Array>[];
  readonly #append: (chunk: PackedChunk) => Promise<void>;
  readonly #waiting: (Omit<PackedChunk, 'bytes'> & { size: number; bytes: Promise<Uint8Array> })[] = [];
  #waitingBytes = 0;
  #come = 0;

  /** @param packing absent: chunks are not compressed */
  constructor(
    packing: Packing | undefined,
    { threads = 1, onEnd }: Pick<Context, 'threads' | 'onEnd'>,
    append: (chunk: PackedChunk) => Promise<void>,
  ) {
    this.#packing = packing;
    this.#append = append;
    const script = new URL('./pack-thread.ts', import.meta.url);
    // Chunks are array buffers outside the heap, so a small heap is enough.
    const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
    this.#threads = Array.from(
      { length: packing === undefined ? 0 : Math.min(threads - 1, mostWorkers) },
      () => new TaskThread(script, { resourceLimits }),
    );
    onEnd(() => this.#close());
  }

  /** Takes all values of an array, with chunks of whole rows. */
  async whole({ name, type, shape, chunks, fill }: ArraySpec, values: StoredValues): Promise<void> {
    const size = product(chunks);
    for (let first = 0, n = 0; first < values.length; first += size, n++) {
      const chunk = newValues(type, size).fill(fill as never);
      chunk.set(values.subarray(first, first + size) as never);
      await this.chunk(name, shape.length === 0 ? [] : [n, ...shape.slice(1).map(() => 0)], chunk, fill);
    }
  }

  /**
   * Takes a chunk and its memory. A chunk that is nothing but fill values is left out: readers of Zarr and HDF5 take
   * fill values where there is no chunk.
   */
  async chunk(name: string, index: readonly number[], values: StoredValues, fill: number | bigint): Promise<void> {
    if (isFilled(values, fill)) return;
    const size = values.byteLength;
    const bytes = this.#pack(values);
    // An error is thrown when its turn comes.
    bytes.catch(() => {});
    this.#waiting.push({ name, index, size, bytes });
    this.#waitingBytes += size;
    const most = this.#threads.length === 0 ? 0 : mostWaiting;
    while (this.#waitingBytes > most) await this.#appendFirst();
  }

  /** Appends all chunks. */
  async finish(): Promise<void> {
    while (this.#waiting.length > 0) await this.#appendFirst();
    await this.#close();
  }

  async #pack(values: StoredValues): Promise<Uint8Array> {
    const packing = this.#packing;
    const [first, ...others] = this.#threads;
    const bytes = ownBytes(values);
    if (packing === undefined) return bytes;
    const task = { bytes, size: values.BYTES_PER_ELEMENT, packing };
    this.#come += bytes.length;
    if (first === undefined || this.#come < unthreaded) return packChunk(task);
    const thread = others.reduce((least, one) => (one.pending < least.pending ? one : least), first);
    return thread.run(task, { transfer: [bytes.buffer] });
  }

  async #appendFirst(): Promise<void> {
    const { size, bytes, ...place } = this.#waiting.shift()!;
    await this.#append({ ...place, bytes: await bytes });
    this.#waitingBytes -= size;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

/** The bytes of the values in a buffer that nothing else uses, so that it can be moved to a thread. */
function ownBytes(values: StoredValues): Uint8Array<ArrayBuffer> {
  const bytes = bytesOfValues(values);
  const isAlone = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;
  return isAlone ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

function isFilled(values: StoredValues, fill: number | bigint): boolean {
  // `Object.is` tells −0 from 0, and finds NaN.
  for (const value of values) if (!Object.is(value, fill)) return false;
  return true;
}
