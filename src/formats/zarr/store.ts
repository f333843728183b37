import { promisify } from 'node:util';
import { gunzip, gunzipSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { ZipEntry } from '../io/zip.ts';
import { shown, zipEntries } from '../io/zip.ts';
import { readEntry } from '../io/zip-entry.ts';
import { ChunkCache } from './chunk-cache.ts';
import { copyBlock, copySelected, indicesOf, product } from './hyperslab.ts';
import type { ArrayMetadata } from './metadata.ts';
import { arrayMetadata, groupAttributes } from './metadata.ts';
import type { StoredValues } from './types.ts';
import { bytesOfValues, bytesPerValue, newValues, valuesIn } from './types.ts';

const METADATA = 'zarr.json';
const longestMetadata = 1 << 24;
const mostArrays = 10_000;
/** Chunks that are fetched and decoded at a time, and their decoded bytes unless one has more. */
const mostAtOnce = 8;
const bytesAtOnce = 1 << 25;
const longestPiece = 1 << 22;
/** Shorter chunks are decoded at once: handing them to a thread takes longer. */
const shortChunk = 1 << 14;
/** Values of an array in memory that even the smallest store may declare, and most values per byte of the store. */
const valuesOfAnyStore = 1_000_000;
const mostPerByte = 200;

/** A group of Zarr arrays in a zip. Chunks are read when they are asked for. */
export class ZarrStore {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly arrays: ReadonlyMap<string, ZarrArray>;
  /** Why some arrays cannot be read, by name. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Number of entries of the zip. */
  readonly entries: number;

  private constructor({ attributes, arrays, unreadable, entries }: Omit<ZarrStore, 'array'>) {
    this.attributes = attributes;
    this.arrays = arrays;
    this.unreadable = unreadable;
    this.entries = entries;
  }

  /**
   * @param cache for decoded chunks; `key` tells the store apart from others that share it
   * @throws FormatError if the zip holds no group of Zarr 3
   */
  static async open(source: ByteSource, { cache = new ChunkCache(), key = '' } = {}): Promise<ZarrStore> {
    const entries = new Map(
      (await zipEntries(source, undefined, { lastCounts: true })).map((entry) => [entry.name, entry]),
    );
    const nodes = [...entries.keys()].filter((name) => name === METADATA || name.endsWith(`/${METADATA}`));
    const [root] = nodes.toSorted((one, other) => one.length - other.length);
    if (root === undefined)
      throw new FormatError(
        [...entries.keys()].some((name) => /(?:^|\/)\.z(?:group|array|metadata)$/.test(name))
          ? 'The zip holds a store of Zarr 2. Only version 3 is supported.'
          : 'The zip holds no Zarr store: no zarr.json is in it.',
      );
    if (nodes.length > mostArrays)
      throw new FormatError(`The store has ${nodes.length} arrays and groups. The maximum is ${mostArrays}.`);
    const folder = root.slice(0, -METADATA.length);
    const text = async (name: string) => {
      const bytes = await readEntry(source, entries.get(name)!, longestMetadata);
      if (bytes === undefined)
        throw new FormatError(`'${shown(name)}' in the zip has more than ${longestMetadata} bytes.`);
      return bytes.toString('utf8');
    };
    const attributes = groupAttributes(await text(root), root);
    const arrays = new Map<string, ZarrArray>();
    const unreadable = new Map<string, string>();
    for (const node of nodes) {
      const name = node.slice(folder.length, -METADATA.length - 1);
      if (node === root || !node.startsWith(folder)) continue;
      if (name.includes('/')) {
        unreadable.set(name, `The group '${shown(name.split('/')[0]!)}' in the group was left out.`);
        continue;
      }
      try {
        const metadata = arrayMetadata(await text(node), name);
        arrays.set(name, new ZarrArray(metadata, { source, entries, prefix: `${folder}${name}/`, cache, key }));
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        unreadable.set(name, error.message);
      }
    }
    return new ZarrStore({ attributes, arrays, unreadable, entries: entries.size });
  }

  /** @throws FormatError if it is missing or cannot be read */
  array(name: string): ZarrArray {
    const found = this.arrays.get(name);
    if (found !== undefined) return found;
    throw new FormatError(this.unreadable.get(name) ?? `The store has no array '${shown(name)}'.`);
  }
}

interface Place {
  readonly source: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly prefix: string;
  readonly cache: ChunkCache;
  readonly key: string;
}

export class ZarrArray {
  readonly metadata: ArrayMetadata;
  readonly #place: Place;

  constructor(metadata: ArrayMetadata, place: Place) {
    this.metadata = metadata;
    this.#place = place;
  }

  get shape(): readonly number[] {
    return this.metadata.shape;
  }

  /** A block: first index and length per dimension, within the array. Reads only the chunks that hold a part of it. */
  async read(start: readonly number[], extent: readonly number[]): Promise<StoredValues> {
    const { type, chunks } = this.metadata;
    const block = { values: newValues(type, product(extent)), shape: extent };
    if (block.values.length === 0) return block.values;
    const first = start.map((index, d) => Math.floor(index / chunks[d]!));
    const counts = start.map((index, d) => Math.floor((index + extent[d]! - 1) / chunks[d]!) - first[d]! + 1);
    await this.#each(indicesOf(counts), async (index) => {
      const number = index.map((n, d) => n + first[d]!);
      const from = number.map((n, d) => Math.max(start[d]!, n * chunks[d]!));
      const length = number.map((n, d) => Math.min(start[d]! + extent[d]!, (n + 1) * chunks[d]!) - from[d]!);
      const target = { ...block, start: from.map((one, d) => one - start[d]!) };
      const values = await this.#chunk(number);
      copyBlock({ values, shape: chunks, start: from.map((one, d) => one - number[d]! * chunks[d]!) }, target, length);
    });
    return block.values;
  }

  /**
   * The values at the chosen indices of each dimension, which rise: those of all combinations, the last dimension varying fastest.
   * Reads only the chunks that hold one of them.
   */
  async select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    const { type, chunks } = this.metadata;
    const values = newValues(
      type,
      indices.reduce((size, { length }) => size * length, 1),
    );
    const parts = indices.map((chosen, d) => partsOf(chosen, chunks[d]!));
    const shape = indices.map(({ length }) => length);
    await this.#each(indicesOf(parts.map(({ length }) => length)), async (index) => {
      signal?.throwIfAborted();
      const own = index.map((n, d) => parts[d]![n]!);
      const chunk = await this.#chunk(own.map(({ chunk }) => chunk));
      copySelected({ values: chunk, shape: chunks }, { values, shape }, own);
    });
    return values;
  }

  /** Bytes of a decoded chunk. */
  get chunkBytes(): number {
    return product(this.metadata.chunks) * bytesPerValue(this.metadata.type);
  }

  /** Bytes of the chunks that `select` would decode. */
  bytesFor(indices: readonly Indices[]): number {
    const { chunks } = this.metadata;
    return indices.reduce((all, chosen, d) => all * partsOf(chosen, chunks[d]!).length, this.chunkBytes);
  }

  /** Works on some chunks at a time. */
  async #each(indices: Iterator<number[]>, work: (index: number[]) => Promise<void>): Promise<void> {
    const many = Math.max(1, Math.min(mostAtOnce, Math.floor(bytesAtOnce / this.chunkBytes)));
    let failed = false;
    const next = async () => {
      for (let { value, done } = indices.next(); !done && !failed; { value, done } = indices.next()) await work(value);
    };
    const lanes = Array.from({ length: many }, () =>
      next().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    );
    // No lane goes on after the caller has got the error.
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
  }

  /**
   * All values, of an array that must have this type and shape.
   * @throws FormatError also for more values than a store of this size can hold
   */
  async all(shape?: readonly number[]): Promise<StoredValues> {
    const { name, shape: own } = this.metadata;
    if (shape !== undefined && (own.length !== shape.length || own.some((length, d) => length !== shape[d])))
      throw new FormatError(
        `The array '${shown(name)}' has the shape ${own.join(' × ')} instead of ${shape.join(' × ')}.`,
      );
    const most = Math.max(valuesOfAnyStore, mostPerByte * this.#place.source.size);
    if (product(own) > most)
      throw new FormatError(
        `The array '${shown(name)}' has ${product(own)} values, but the store has ${this.#place.source.size} bytes.`,
      );
    return this.read(
      own.map(() => 0),
      own,
    );
  }

  async #chunk(index: readonly number[]): Promise<StoredValues> {
    const { type, chunks, fill, key } = this.metadata;
    const { source, entries, prefix, cache, key: store } = this.#place;
    const name = prefix + key(index);
    return cache.get(`${store} ${name}`, async () => {
      const entry = entries.get(name);
      const size = product(chunks);
      return entry === undefined ? newValues(type, size).fill(fill as never) : this.#decoded(source, entry, size);
    });
  }

  async #decoded(source: ByteSource, entry: ZipEntry, size: number): Promise<StoredValues> {
    const { type, codecs } = this.metadata;
    const length = size * bytesPerValue(type);
    // A codec may make bytes a little longer than they were.
    let bytes: Buffer | undefined = await readEntry(source, entry, 2 * length + (1 << 16));
    if (bytes === undefined)
      throw new FormatError(`'${shown(entry.name)}' has ${entry.size} bytes for a chunk of ${length}.`, entry.offset);
    try {
      for (const codec of codecs.packed.toReversed())
        bytes = await unpack[length < shortChunk ? 'now' : 'inThread'][codec](bytes!, {
          maxOutputLength: codec === codecs.packed[0] ? Math.max(1, length) : 2 * length + (1 << 16),
          // One piece: the usual ones of 16 kB each wait for a thread.
          chunkSize: Math.max(64, Math.min(length, longestPiece)),
        });
    } catch {
      throw new FormatError(
        `'${shown(entry.name)}' cannot be decompressed to a chunk of ${length} bytes.`,
        entry.offset,
      );
    }
    if (bytes!.length !== length)
      throw new FormatError(
        `'${shown(entry.name)}' holds a chunk of ${bytes!.length} bytes instead of ${length}.`,
        entry.offset,
      );
    const values = valuesIn(type, bytes!);
    if (codecs.bigEndian) swap(bytesOfValues(values), bytesPerValue(type));
    return values;
  }
}

const unpack = {
  now: { zstd: zstdDecompressSync, gzip: gunzipSync },
  inThread: { zstd: promisify(zstdDecompress), gzip: promisify(gunzip) },
} as const;

/** Chosen indices of a dimension, rising. */
export type Indices = Uint32Array | { readonly first: number; readonly length: number };

/** Where the chosen indices of a dimension stand in a chunk: `at` in the chunk, `to` in the result. */
interface ChunkPart {
  readonly chunk: number;
  readonly to: number;
  readonly at: Indices;
}

function partsOf(indices: Indices, chunk: number): ChunkPart[] {
  const parts: ChunkPart[] = [];
  const { length } = indices;
  for (let to = 0, end = 0; to < length; to = end) {
    const number = Math.floor(indexAt(indices, to) / chunk);
    if (indices instanceof Uint32Array) {
      for (end = to; end < length && indices[end]! < (number + 1) * chunk; ) end++;
      parts.push({ chunk: number, to, at: indices.slice(to, end).map((one) => one - number * chunk) });
    } else {
      const first = indices.first + to - number * chunk;
      end = Math.min(length, to + chunk - first);
      parts.push({ chunk: number, to, at: { first, length: end - to } });
    }
  }
  return parts;
}

const indexAt = (indices: Indices, n: number): number =>
  indices instanceof Uint32Array ? indices[n]! : indices.first + n;

function swap(bytes: Uint8Array, width: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (width === 2) buffer.swap16();
  if (width === 4) buffer.swap32();
  if (width === 8) buffer.swap64();
}
