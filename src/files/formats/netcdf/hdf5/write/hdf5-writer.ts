import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { ByteSink } from '../../../../data/bytes.ts';
import { product } from '../../../../data/hyperslab.ts';
import { bytesOfValues, bytesPerValue, newValues, type StoredValues } from '../../../../data/stored-values.ts';
import type { ArraySpec, ArrayWriter, Attributes } from '../../../io/store/array-spec.ts';
import { UNDEFINED, u8, u32, u64 } from './bytes.ts';
import { chunkTree, type StoredChunk } from './chunk-tree.ts';
import { DatasetHeaders, type StoredArray } from './dataset-headers.ts';
import { deflated } from './deflate-planes.ts';
import type { Hdf5Options } from './hdf5-options.ts';
import { lookup3 } from './lookup3.ts';
import { shuffled } from './shuffle.ts';

const superblockBytes = 48;
/** Smaller arrays are stored as they are. */
const smallArray = 4096;
const zstd = promisify(zstdCompress);

/**
 * Writes NetCDF-4: a group of HDF5 with variables and dimension scales. Values come first, packed on the threads of
 * zlib and appended in the order in which they came; then the headers, which name their places.
 */
export class Hdf5Writer implements ArrayWriter {
  readonly #sink: ByteSink;
  readonly #options: Hdf5Options;
  #attributes: Attributes = {};
  #arrays = new Map<string, StoredArray & { chunks: StoredChunk[] }>();
  /** Chunks that are being packed, in order. */
  readonly #pending: {
    readonly name: string;
    readonly index: readonly number[];
    readonly bytes: Promise<Uint8Array>;
  }[] = [];

  constructor(sink: ByteSink, options: Hdf5Options) {
    this.#sink = sink;
    this.#options = options;
  }

  async begin(arrays: readonly ArraySpec[], attributes: Attributes): Promise<void> {
    this.#attributes = attributes;
    for (const spec of arrays) {
      const { unlimited } = this.#options;
      const grows = unlimited !== undefined && spec.dimensions[0] === unlimited;
      const bytes = product(spec.shape) * bytesPerValue(spec.type);
      const chunked = grows || (spec.shape.length > 0 && bytes > smallArray);
      this.#arrays.set(spec.name, { spec, grows, chunked, address: UNDEFINED, tree: UNDEFINED, chunks: [] });
    }
    await this.#sink.append(Buffer.alloc(superblockBytes));
  }

  async whole(spec: ArraySpec, values: StoredValues): Promise<void> {
    const array = this.#arrays.get(spec.name)!;
    // libraries refuse an address of no values
    if (values.length === 0) return;
    if (!array.chunked) {
      array.address = this.#sink.position;
      await this.#sink.append(Uint8Array.from(bytesOfValues(values)));
      return;
    }
    const size = product(spec.chunks);
    for (let first = 0, n = 0; first < values.length; first += size, n++) {
      const chunk = newValues(spec.type, size).fill(spec.fill as never);
      chunk.set(values.subarray(first, first + size) as never);
      await this.chunk(spec.name, [n, ...spec.shape.slice(1).map(() => 0)], chunk, spec.fill);
    }
  }

  /** A chunk that is nothing but fill values is left out: HDF5 reads them where there is no chunk. */
  async chunk(name: string, index: readonly number[], values: StoredValues, fill: number | bigint): Promise<void> {
    const array = this.#arrays.get(name)!;
    if (!array.chunked) return this.whole(array.spec, values.subarray(0, product(array.spec.shape)) as StoredValues);
    if (isFilled(values, fill)) return;
    this.#pending.push({ name, index, bytes: this.#packed(values) });
    while (this.#pending.length > 4 * (this.#options.threads + 1)) await this.#appendFirst();
  }

  #packed(values: StoredValues): Promise<Uint8Array> {
    const { compression, level } = this.#options;
    const bytes = bytesOfValues(values);
    if (compression === 'None') return Promise.resolve(bytes);
    const input = shuffled(bytes, values.BYTES_PER_ELEMENT);
    const work: Promise<Uint8Array> =
      compression === 'Deflate'
        ? deflated(input, values.BYTES_PER_ELEMENT, level)
        : zstd(input, { params: { [constants.ZSTD_c_compressionLevel]: level } });
    // An error is thrown when its turn comes.
    work.catch(() => {});
    return work;
  }

  async #appendFirst(): Promise<void> {
    const { name, index, bytes: promised } = this.#pending.shift()!;
    const bytes = await promised;
    this.#arrays.get(name)!.chunks.push({ index, address: this.#sink.position, bytes: bytes.length });
    await this.#sink.append(bytes);
  }

  async finish(): Promise<void> {
    while (this.#pending.length > 0) await this.#appendFirst();
    for (const array of this.#arrays.values()) {
      if (!array.chunked) continue;
      const { bytes, root } = chunkTree(array.chunks, array.spec.chunks, this.#sink.position);
      array.tree = root;
      await this.#sink.append(bytes);
    }
    const { compression, level, unlimited } = this.#options;
    const headers = new DatasetHeaders([...this.#arrays.values()], this.#attributes, { compression, level, unlimited });
    const { bytes, root } = headers.placed(this.#sink.position);
    await this.#sink.append(bytes);
    const superblock = Buffer.concat([
      Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'),
      u8(2, 8, 8, 0),
      u64(0, UNDEFINED, this.#sink.position, root),
    ]);
    await this.#sink.patch(0, Buffer.concat([superblock, u32(lookup3(superblock))]));
  }
}

function isFilled(values: StoredValues, fill: number | bigint): boolean {
  // `Object.is` tells −0 from 0, and finds NaN.
  for (const value of values) if (!Object.is(value, fill)) return false;
  return true;
}
