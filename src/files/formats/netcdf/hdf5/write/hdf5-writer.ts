import type { ByteSink } from '../../../../data/bytes.ts';
import { product } from '../../../../data/hyperslab.ts';
import { bytesOfValues, bytesPerValue, type StoredValues } from '../../../../data/stored-values.ts';
import type { Context } from '../../../define.ts';
import type { ArraySpec, ArrayWriter, Attributes } from '../../../io/store/array-spec.ts';
import { ChunkPacker } from '../../../io/store/chunk-packer.ts';
import { UNDEFINED, u8, u32, u64 } from './bytes.ts';
import { chunkTree, type StoredChunk } from './chunk-tree.ts';
import { DatasetHeaders, type StoredArray } from './dataset-headers.ts';
import type { Hdf5Options } from './hdf5-options.ts';
import { lookup3 } from './lookup3.ts';

const superblockBytes = 48;
/** Smaller arrays are stored as they are. */
const smallArray = 4096;

/**
 * Writes NetCDF-4: a group of HDF5 with variables and dimension scales. Values come first, in the order in
 * which they came; then the headers, which name their places.
 */
export class Hdf5Writer implements ArrayWriter {
  readonly #sink: ByteSink;
  readonly #options: Hdf5Options;
  #attributes: Attributes = {};
  #arrays = new Map<string, StoredArray & { chunks: StoredChunk[] }>();
  readonly #packer: ChunkPacker;

  constructor(sink: ByteSink, options: Hdf5Options, context: Pick<Context, 'threads' | 'onEnd'>) {
    this.#sink = sink;
    this.#options = options;
    const { compression, level } = options;
    const packing = compression === 'None' ? undefined : { compression, level, shuffle: true };
    this.#packer = new ChunkPacker(packing, context, async ({ name, index, bytes }) => {
      this.#arrays.get(name)!.chunks.push({ index, address: sink.position, bytes: bytes.length });
      await sink.append(bytes);
    });
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
    if (array.chunked) return this.#packer.whole(spec, values);
    array.address = this.#sink.position;
    await this.#sink.append(Uint8Array.from(bytesOfValues(values)));
  }

  async chunk(name: string, index: readonly number[], values: StoredValues, fill: number | bigint): Promise<void> {
    const { chunked, spec } = this.#arrays.get(name)!;
    if (chunked) await this.#packer.chunk(name, index, values, fill);
    else await this.whole(spec, values.subarray(0, product(spec.shape)) as StoredValues);
  }

  async finish(): Promise<void> {
    await this.#packer.finish();
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
