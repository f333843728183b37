import { constants, zstdCompressSync } from 'node:zlib';
import type { ByteSink } from '../../data/bytes.ts';
import { copyBlock, indicesOf, product } from '../../data/hyperslab.ts';
import {
  bytesOfValues,
  bytesPerValue,
  newValues,
  type StoredType,
  type StoredValues,
} from '../../data/stored-values.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { fillText, zarrName } from './types.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** An array to be written. */
export interface ArraySpec {
  readonly name: string;
  readonly type: StoredType;
  readonly dimensions: readonly string[];
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly fill: number | bigint;
  readonly attributes: Attributes;
}

/** Size of a chunk of an array that is in memory, in bytes. */
const wholeChunk = 1 << 20;
/** By a measurement on water levels: levels above 3 cost more time than they save bytes. */
const level = 3;

/** The shape of the chunks of an array that is in memory: some of the first dimension, all of the others. */
export function rowChunks(shape: readonly number[], type: StoredType): number[] {
  const [first, ...rest] = shape;
  if (first === undefined) return [];
  const row = Math.max(1, product(rest)) * bytesPerValue(type);
  return [first, ...rest].map((length, d) =>
    Math.max(1, d === 0 ? Math.min(length, Math.max(1, Math.floor(wholeChunk / row))) : length),
  );
}

/**
 * Writes a group of Zarr arrays (version 3) as a zip of stored entries: first all metadata, then chunks in any order.
 */
export class StoreWriter {
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

/**
 * Cuts the values of an item, which come step by step with the last dimension varying fastest, into chunks. Holds the
 * steps of a chunk, or of chunks of one step their rows.
 */
export class ItemWriter {
  readonly #store: StoreWriter;
  readonly #spec: ArraySpec;
  readonly #buffer: StoredValues;
  /** Lengths and chunk lengths besides time, from the first dimension with chunks of several values. */
  readonly #lengths: readonly number[];
  readonly #chunks: readonly number[];
  /** Numbers of values in the dimensions before, whose chunks have one value. */
  readonly #before: readonly number[];
  readonly #deep: number;
  readonly #timed: boolean;
  readonly #stepSize: number;
  #step = 0;
  /** Values of the step that have come, and how many of them are no longer in the buffer. */
  #come = 0;
  #gone = 0;

  constructor(store: StoreWriter, spec: ArraySpec, timed: boolean) {
    this.#store = store;
    this.#spec = spec;
    this.#timed = timed;
    const lengths = timed ? spec.shape.slice(1) : spec.shape;
    const chunks = timed ? spec.chunks.slice(1) : spec.chunks;
    this.#deep = timed ? spec.chunks[0]! : 1;
    this.#stepSize = product(lengths);
    const several = chunks.findIndex((length) => length > 1);
    const from = several < 0 ? Math.max(0, chunks.length - 1) : several;
    // Several steps in memory are whole.
    const first = this.#deep > 1 ? 0 : from;
    this.#before = lengths.slice(0, first);
    this.#lengths = lengths.slice(first);
    this.#chunks = chunks.slice(first);
    this.#buffer = newValues(spec.type, this.#deep * this.#stripSize(0));
  }

  get type(): StoredType {
    return this.#spec.type;
  }

  /** Values between two writes of chunks: of a whole step, or of a row of chunks. */
  #stripSize(at: number): number {
    if (this.#deep > 1) return this.#stepSize;
    const [length = 1, ...rest] = this.#lengths;
    const row = product(rest);
    const done = row === 0 ? 0 : (at / row) % length;
    return Math.min(this.#chunks[0] ?? 1, length - done) * row;
  }

  async add(values: StoredValues): Promise<void> {
    for (let at = 0; at < values.length; ) {
      const strip = this.#stripSize(this.#gone);
      const held = this.#come - this.#gone;
      const count = Math.min(values.length - at, strip - held);
      const offset = this.#deep > 1 ? (this.#step % this.#deep) * this.#stepSize : 0;
      this.#buffer.set(values.subarray(at, at + count) as never, offset + held);
      at += count;
      this.#come += count;
      if (held + count === strip && this.#deep === 1) await this.#flush(1);
      if (this.#come === this.#stepSize) await this.#endStep();
    }
  }

  async #endStep(): Promise<void> {
    this.#step++;
    this.#come = 0;
    this.#gone = 0;
    if (this.#deep > 1 && this.#step % this.#deep === 0) await this.#flush(this.#deep);
  }

  async end(): Promise<void> {
    const left = this.#step % this.#deep;
    if (this.#deep > 1 && left > 0) await this.#flush(left);
  }

  async #flush(steps: number): Promise<void> {
    const strip = this.#stripSize(this.#gone);
    const [, ...rest] = this.#lengths;
    const row = product(rest);
    const rows = strip / row;
    const shape = [steps, ...(this.#lengths.length === 0 ? [] : [rows, ...rest])];
    const first = this.#gone / row;
    const before = digitsOf(Math.floor(first / (this.#lengths[0] ?? 1)), this.#before);
    const skipped = this.#deep > 1 || this.#chunks.length === 0 ? 0 : (first % this.#lengths[0]!) / this.#chunks[0]!;
    const time = this.#deep > 1 ? (this.#step - steps) / this.#deep : this.#step;
    const chunk = [this.#deep, ...this.#chunks];
    for (const index of indicesOf(shape.slice(1).map((length, d) => Math.ceil(length / this.#chunks[d]!)))) {
      const start = [0, ...index.map((n, d) => n * this.#chunks[d]!)];
      const extent = shape.map((length, d) => Math.min(chunk[d]!, length - start[d]!));
      const values = newValues(this.#spec.type, product(chunk)).fill(this.#spec.fill as never);
      const part = { values, shape: chunk, start: chunk.map(() => 0) };
      copyBlock({ values: this.#buffer, shape, start }, part, extent);
      const inStep = index.map((n, d) => (d === 0 ? n + skipped : n));
      const key = [...(this.#timed ? [time] : []), ...before, ...inStep];
      await this.#store.chunk(this.#spec.name, key, values, this.#spec.fill);
    }
    if (this.#deep === 1) this.#gone += strip;
  }
}

/** Indices of a place in an array with these lengths. */
function digitsOf(place: number, lengths: readonly number[]): number[] {
  const digits: number[] = [];
  let left = place;
  for (const length of lengths.toReversed()) {
    digits.unshift(left % length);
    left = Math.floor(left / length);
  }
  return digits;
}
