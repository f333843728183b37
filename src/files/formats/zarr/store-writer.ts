import { constants, zstdCompressSync } from 'node:zlib';
import type { ByteSink } from '../../data/bytes.ts';
import { product } from '../../data/hyperslab.ts';
import { bytesOfValues, newValues, type StoredValues } from '../../data/stored-values.ts';
import type { ArraySpec, ArrayWriter, Attributes } from '../io/store/array-spec.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { fillText, zarrName } from './types.ts';

/** By a measurement on water levels: levels above 3 cost more time than they save bytes. */
const level = 3;

/**
 * Writes a group of Zarr arrays (version 3) as a zip of stored entries: first all metadata, then chunks in any order.
 */
export class StoreWriter implements ArrayWriter {
  readonly #zip: ZipWriter;

  constructor(sink: ByteSink) {
    this.#zip = new ZipWriter(sink);
  }

  async begin(arrays: readonly ArraySpec[], attributes: Attributes): Promise<void> {
    const metadata = Object.fromEntries(arrays.map((array) => [array.name, metadataOf(array)]));
    const consolidated_metadata = { kind: 'inline', must_understand: false, metadata };
    await this.#json('zarr.json', { zarr_format: 3, node_type: 'group', attributes, consolidated_metadata });
    for (const array of arrays) await this.#json(`${array.name}/zarr.json`, metadata[array.name]);
  }

  /** Writes all values of an array with chunks of whole rows. */
  async whole({ name, type, shape, chunks, fill }: ArraySpec, values: StoredValues): Promise<void> {
    const size = product(chunks);
    for (let first = 0, n = 0; first < values.length; first += size, n++) {
      const part = values.subarray(first, first + size);
      const chunk = newValues(type, size).fill(fill as never);
      chunk.set(part as never);
      await this.chunk(name, shape.length === 0 ? [] : [n, ...shape.slice(1).map(() => 0)], chunk, fill);
    }
  }

  /** A chunk that is nothing but fill values is left out, as Zarr allows. */
  async chunk(name: string, index: readonly number[], values: StoredValues, fill: number | bigint): Promise<void> {
    if (isFilled(values, fill)) return;
    const packed = zstdCompressSync(bytesOfValues(values), {
      params: { [constants.ZSTD_c_compressionLevel]: level },
    });
    await this.#add([name, 'c', ...index].join('/'), packed);
  }

  async finish(): Promise<void> {
    await this.#zip.finish();
  }

  async #json(name: string, content: unknown): Promise<void> {
    await this.#add(name, Buffer.from(JSON.stringify(content)));
  }

  async #add(name: string, bytes: Uint8Array): Promise<void> {
    await this.#zip.addStored(name, [bytes], async (piece) => piece);
  }
}

function isFilled(values: StoredValues, fill: number | bigint): boolean {
  // `Object.is` tells −0 from 0, and finds NaN.
  for (const value of values) if (!Object.is(value, fill)) return false;
  return true;
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
