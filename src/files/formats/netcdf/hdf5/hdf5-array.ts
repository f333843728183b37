import type { Dataset, Metadata } from 'h5wasm';
import type { ByteSource } from '../../../data/bytes.ts';
import { copyBlock, copySelected, indicesOf, product } from '../../../data/hyperslab.ts';
import { type Indices, partsOf } from '../../../data/indices.ts';
import { bytesPerValue, newValues, type StoredType, type StoredValues } from '../../../data/stored-values.ts';
import { FormatError } from '../../../errors.ts';
import type { CfAttributes } from '../../io/cf/variable.ts';
import { guarded } from '../../io/hdf5/library.ts';
import { blockOf } from '../../io/read-selected.ts';
import type { ChunkCache } from '../../io/store/chunk-cache.ts';
import type { StoredLayout } from '../../io/stored-layout.ts';
import { checkWhole, defaultFill, type StoredVariable, withDefaultFill } from '../netcdf-file.ts';

const largestChunk = 1 << 28;

interface Stored {
  readonly name: string;
  readonly type: StoredType;
  readonly attributes: CfAttributes;
  readonly metadata: Metadata;
  /** Lengths in the file; a dimension may have become longer since. */
  readonly stored: readonly number[];
  readonly dimensions: readonly { readonly name: string; readonly length: number }[];
}

/** A dataset of numbers, read chunk by chunk. */
export class Hdf5Array implements StoredVariable {
  readonly #stored: Stored;
  readonly #dataset: Dataset;
  readonly #cache: ChunkCache;
  readonly #source: ByteSource;
  readonly #chunks: readonly number[];
  readonly #attributes: CfAttributes;

  constructor(dataset: Dataset, stored: Stored, cache: ChunkCache, source: ByteSource) {
    const { chunks } = stored.metadata;
    const bytes = bytesPerValue(stored.type);
    if (chunks !== null && product(chunks) * bytes > largestChunk)
      throw new FormatError(`Its chunks have ${product(chunks) * bytes} bytes. The maximum is ${largestChunk}.`);
    if (chunks?.some((length) => length < 1)) throw new FormatError(`Its chunks have the shape ${chunks.join(' × ')}.`);
    this.#dataset = dataset;
    this.#stored = stored;
    this.#cache = cache;
    this.#source = source;
    this.#chunks = chunks ?? blockOf(stored.stored, bytes);
    this.#attributes = withDefaultFill(stored.attributes, stored.type);
  }

  /** The lengths of dimensions are known when all variables of the file are. */
  get metadata(): StoredVariable['metadata'] {
    const { name, type, dimensions } = this.#stored;
    return {
      name,
      type,
      shape: dimensions.map(({ length }) => length),
      chunks: this.#chunks,
      dimensions: dimensions.map((one) => one.name),
      attributes: this.#attributes,
    };
  }

  get ownAttributes(): CfAttributes {
    return this.#stored.attributes;
  }

  async layout(): Promise<StoredLayout> {
    const { type, metadata, stored } = this.#stored;
    const { layoutOfDataset } = await import('./dataset-layout.ts');
    return layoutOfDataset(this.#source, this.#dataset, {
      shape: this.metadata.shape,
      stored,
      bytesPerValue: bytesPerValue(type),
      bigEndian: !metadata.littleEndian,
    });
  }

  get chunkBytes(): number {
    return product(this.#chunks) * bytesPerValue(this.#stored.type);
  }

  bytesFor(indices: readonly Indices[]): number {
    return indices.reduce((all, chosen, d) => all * partsOf(chosen, this.#chunks[d]!).length, this.chunkBytes);
  }

  all(shape?: readonly number[]): Promise<StoredValues> {
    const own = this.#stored.dimensions.map(({ length }) => length);
    checkWhole(this.#stored.name, own, shape, this.#source.size);
    return this.read(
      own.map(() => 0),
      own,
    );
  }

  async read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const values = newValues(this.#stored.type, product(extent));
    if (values.length === 0) return values;
    const chunks = this.#chunks;
    const first = start.map((index, d) => Math.floor(index / chunks[d]!));
    const counts = start.map((index, d) => Math.floor((index + extent[d]! - 1) / chunks[d]!) - first[d]! + 1);
    for (const index of indicesOf(counts)) {
      const number = index.map((n, d) => n + first[d]!);
      const chunk = await this.#chunk(number);
      const from = number.map((n, d) => Math.max(start[d]!, n * chunks[d]!));
      const length = number.map(
        (n, d) => Math.min(start[d]! + extent[d]!, n * chunks[d]! + chunk.shape[d]!) - from[d]!,
      );
      copyBlock(
        { ...chunk, start: from.map((one, d) => one - number[d]! * chunks[d]!) },
        { values, shape: extent, start: from.map((one, d) => one - start[d]!) },
        length,
      );
    }
    return values;
  }

  async select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    const shape = indices.map(({ length }) => length);
    const values = newValues(this.#stored.type, product(shape));
    const parts = indices.map((chosen, d) => partsOf(chosen, this.#chunks[d]!));
    for (const index of indicesOf(parts.map(({ length }) => length))) {
      signal?.throwIfAborted();
      const own = index.map((n, d) => parts[d]![n]!);
      copySelected(await this.#chunk(own.map(({ chunk }) => chunk)), { values, shape }, own);
    }
    return values;
  }

  /** A chunk, cut where the dimensions end. */
  async #chunk(number: readonly number[]): Promise<{ values: StoredValues; shape: number[] }> {
    const { dimensions, stored, name, type } = this.#stored;
    const start = number.map((n, d) => n * this.#chunks[d]!);
    const shape = start.map((from, d) => Math.min(this.#chunks[d]!, dimensions[d]!.length - from));
    const values = await this.#cache.get(`${this.#dataset.path} ${number.join(' ')}`, async () => {
      const extent = shape.map((length, d) => Math.max(0, Math.min(length, stored[d]! - start[d]!)));
      const whole = extent.every((length, d) => length === shape[d]);
      if (whole) return this.#slice(start, extent);
      const fill = this.#attributes._FillValue ?? defaultFill(type) ?? 0;
      const padded = newValues(type, product(shape)).fill(fill as never);
      const none = shape.map(() => 0);
      const part = product(extent) === 0 ? newValues(type, 0) : this.#slice(start, extent);
      copyBlock({ values: part, shape: extent, start: none }, { values: padded, shape, start: none }, extent);
      return padded;
    });
    if (values.length !== product(shape)) throw new FormatError(`The values of '${name}' cannot be read.`);
    return { values, shape };
  }

  #slice(start: readonly number[], extent: readonly number[]): StoredValues {
    const dataset = this.#dataset;
    if (start.length === 0) {
      const single = newValues(this.#stored.type, 1);
      single[0] = guarded(() => dataset.value) as never;
      return single;
    }
    return guarded(() => dataset.slice(start.map((from, d) => [from, from + extent[d]!]))) as StoredValues;
  }
}
