import type { ByteSink } from '../../data/bytes.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import type { Context } from '../define.ts';
import type { ArraySpec, ArrayWriter, Attributes } from '../io/store/array-spec.ts';
import { ChunkPacker } from '../io/store/chunk-packer.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { fillText, zarrName } from './types.ts';

/** By a measurement on water levels: levels above 3 cost more time than they save bytes. */
const level = 3;

/**
 * Writes a group of Zarr arrays (version 3) as a zip of stored entries: first all metadata, then chunks in any order.
 */
export class StoreWriter implements ArrayWriter {
  readonly #zip: ZipWriter;
  readonly #packer: ChunkPacker;

  constructor(sink: ByteSink, context: Pick<Context, 'threads' | 'onEnd'>) {
    this.#zip = new ZipWriter(sink);
    this.#packer = new ChunkPacker({ compression: 'Zstd', level, shuffle: false }, context, ({ name, index, bytes }) =>
      this.#add([name, 'c', ...index].join('/'), bytes),
    );
  }

  async begin(arrays: readonly ArraySpec[], attributes: Attributes): Promise<void> {
    const metadata = Object.fromEntries(arrays.map((array) => [array.name, metadataOf(array)]));
    const consolidated_metadata = { kind: 'inline', must_understand: false, metadata };
    await this.#json('zarr.json', { zarr_format: 3, node_type: 'group', attributes, consolidated_metadata });
    for (const array of arrays) await this.#json(`${array.name}/zarr.json`, metadata[array.name]);
  }

  async whole(spec: ArraySpec, values: StoredValues): Promise<void> {
    await this.#packer.whole(spec, values);
  }

  async chunk(name: string, index: readonly number[], values: StoredValues, fill: number | bigint): Promise<void> {
    await this.#packer.chunk(name, index, values, fill);
  }

  async finish(): Promise<void> {
    await this.#packer.finish();
    await this.#zip.finish();
  }

  async #json(name: string, content: unknown): Promise<void> {
    await this.#add(name, Buffer.from(JSON.stringify(content)));
  }

  async #add(name: string, bytes: Uint8Array): Promise<void> {
    await this.#zip.addStored(name, [bytes], async (piece) => piece);
  }
}

const metadataOf = ({ type, dimensions, shape, chunks, fill, attributes }: ArraySpec) => ({
  zarr_format: 3,
  node_type: 'array',
  shape,
  data_type: zarrName(type),
  chunk_grid: { name: 'regular', configuration: { chunk_shape: chunks } },
  chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
  fill_value: fillText(fill),
  codecs: [
    { name: 'bytes', configuration: { endian: 'little' } },
    { name: 'zstd', configuration: { level, checksum: false } },
  ],
  attributes,
  dimension_names: dimensions,
  storage_transformers: [],
});
