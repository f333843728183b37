import type { ByteSource } from '../../data/bytes.ts';
import { copyBlock, copySelected, indicesOf, type Part, product } from '../../data/hyperslab.ts';
import { type ChunkPart, type Indices, partsOf } from '../../data/indices.ts';
import { newValues, type StoredValues, sharedValues } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { ChunkCache } from '../io/store/chunk-cache.ts';
import { inLanes } from '../io/store/lanes.ts';
import { shown, type ZipEntry, zipEntries } from '../io/zip.ts';
import { type ChunkForm, decodedChunk, decodedLength } from './chunk-codec.ts';
import type { ChunkThreads } from './chunk-threads.ts';
import { arraysOf, chosenGroup, hierarchyOf } from './hierarchy.ts';
import type { ArrayMetadata } from './metadata.ts';
import { chunkOfShard, inShard } from './shards.ts';

/** Chunks that are fetched and decoded at a time, and their decoded bytes unless one has more. */
const mostAtOnce = 8;
const bytesAtOnce = 1 << 25;
/** Shorter chunks are decoded at once: handing them to a thread takes longer. */
const shortChunk = 1 << 14;
/** Decoded chunks of a selection that needs no thread, and of a part of one that does. */
const smallSelection = 1 << 19;
const bytesPerPart = 1 << 20;
/** Values of an array in memory that even the smallest store may declare, and most values per byte of the store. */
const valuesOfAnyStore = 1_000_000;
const mostPerByte = 200;

/** A group of Zarr arrays in a zip. Chunks are read when they are asked for. */
export class ZarrStore {
  /** Path of the group, empty for the root. */
  readonly group: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly arrays: ReadonlyMap<string, ZarrArray>;
  /** Why some arrays cannot be read, by name. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Number of entries of the zip. */
  readonly entries: number;

  private constructor({ group, attributes, arrays, unreadable, entries }: Omit<ZarrStore, 'array'>) {
    this.group = group;
    this.attributes = attributes;
    this.arrays = arrays;
    this.unreadable = unreadable;
    this.entries = entries;
  }

  /**
   * @param cache for decoded chunks; `key` tells the store apart from others that share it
   * @param threads for large selections
   * @param group its path; absent: the root, or the only group that has arrays
   * @throws FormatError if the zip holds no group of Zarr 2 or 3
   * @throws ConversionError if the group is not there, or several could be meant
   */
  static async open(
    source: ByteSource,
    { cache = new ChunkCache(), key = '', threads, group }: Opening = {},
  ): Promise<ZarrStore> {
    const entries = new Map(
      (await zipEntries(source, undefined, { lastCounts: true })).map((entry) => [entry.name, entry]),
    );
    const hierarchy = await hierarchyOf(source, entries);
    const path = chosenGroup(hierarchy, group);
    const inGroup = path === '' ? '' : `${path}/`;
    const unreadable = new Map<string, string>();
    for (const [node, reason] of hierarchy.unreadable)
      if (node.startsWith(inGroup)) unreadable.set(node.slice(inGroup.length), reason);
    for (const node of [...hierarchy.groups.keys(), ...hierarchy.arrays.keys()]) {
      const [child, ...below] = node.slice(inGroup.length).split('/');
      const isGroup = below.length > 0 || hierarchy.groups.has(node);
      if (node !== path && node.startsWith(inGroup) && isGroup)
        unreadable.set(child!, `The group '${shown(child!)}' in the group was left out.`);
    }
    const arrays = new Map<string, ZarrArray>();
    for (const [name, { node, metadata }] of arraysOf(hierarchy, path)) {
      const prefix = `${hierarchy.folder}${node}/`;
      arrays.set(name, new ZarrArray({ ...metadata, name }, { source, entries, prefix, cache, key, threads }));
    }
    const attributes = hierarchy.groups.get(path) ?? {};
    return new ZarrStore({ group: path, attributes, arrays, unreadable, entries: entries.size });
  }

  /** @throws FormatError if it is missing or cannot be read */
  array(name: string): ZarrArray {
    const found = this.arrays.get(name);
    if (found !== undefined) return found;
    throw new FormatError(this.unreadable.get(name) ?? `The store has no array '${shown(name)}'.`);
  }
}

interface Opening {
  readonly group?: string | undefined;
  readonly cache?: ChunkCache;
  readonly key?: string;
  readonly threads?: ChunkThreads;
}

interface ArrayStorage {
  readonly source: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly prefix: string;
  readonly cache: ChunkCache;
  readonly key: string;
  readonly threads: ChunkThreads | undefined;
}

export class ZarrArray {
  readonly metadata: ArrayMetadata;
  readonly #storage: ArrayStorage;

  constructor(metadata: ArrayMetadata, storage: ArrayStorage) {
    this.metadata = metadata;
    this.#storage = storage;
  }

  get shape(): readonly number[] {
    return this.metadata.shape;
  }

  get #form(): ChunkForm {
    const { type, codecs, chunks } = this.metadata;
    return { type, codecs, shape: chunks };
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
   * The values at the chosen indices of each dimension, which rise: those of all combinations, the last dimension
   * varying fastest. Reads only the chunks that hold one of them.
   */
  async select(indices: readonly Indices[], signal?: AbortSignal): Promise<StoredValues> {
    const { type, chunks } = this.metadata;
    const shape = indices.map(({ length }) => length);
    const { threads } = this.#storage;
    const inThreads =
      threads !== undefined && this.metadata.sharding === undefined && this.bytesFor(indices) > smallSelection;
    const to = { values: (inThreads ? sharedValues : newValues)(type, product(shape)), shape };
    const parts = indices.map((chosen, d) => partsOf(chosen, chunks[d]!));
    const combined = indicesOf(parts.map(({ length }) => length)).map((index) => index.map((n, d) => parts[d]![n]!));
    if (!inThreads) await this.#each(combined, (own) => this.#copy(own, to, signal));
    else {
      const perPart = Math.max(1, Math.floor(bytesPerPart / this.chunkBytes));
      const many = Math.floor(bytesAtOnce / (perPart * this.chunkBytes));
      await inLanes(inGroups(combined, perPart), Math.min(threads.usefulRequests, many), (group) =>
        this.#pick(threads, group, to, signal),
      );
    }
    return to.values;
  }

  async #copy(own: readonly ChunkPart[], to: Omit<Part, 'start'>, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const values = await this.#chunk(own.map(({ chunk }) => chunk));
    copySelected({ values, shape: this.metadata.chunks }, to, own);
  }

  /** Copies values of some chunks in a thread. */
  async #pick(
    threads: ChunkThreads,
    group: readonly ChunkPart[][],
    to: Omit<Part, 'start'>,
    signal?: AbortSignal,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { key } = this.metadata;
    const { source, entries, prefix, key: store } = this.#storage;
    const picks = group.flatMap((parts) => {
      const entry = entries.get(prefix + key(parts.map(({ chunk }) => chunk)));
      return entry === undefined ? [] : [{ key: `${store} ${entry.name}`, parts, entry }];
    });
    const picked = picks.length > 0 && (await threads.pick({ form: this.#form, picks, source, to }));
    const done = new Set(picked ? picks.map(({ parts }) => parts) : []);
    for (const parts of group) if (!done.has(parts)) await this.#copy(parts, to, signal);
  }

  /** Bytes of a decoded chunk. */
  get chunkBytes(): number {
    return decodedLength(this.#form);
  }

  /** Bytes of the chunks that `select` would decode. */
  bytesFor(indices: readonly Indices[]): number {
    const { chunks } = this.metadata;
    return indices.reduce((all, chosen, d) => all * partsOf(chosen, chunks[d]!).length, this.chunkBytes);
  }

  /** Works on some chunks at a time. */
  #each<T>(items: Iterator<T>, work: (item: T) => Promise<void>): Promise<void> {
    return inLanes(items, Math.min(mostAtOnce, Math.floor(bytesAtOnce / this.chunkBytes)), work);
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
    const most = Math.max(valuesOfAnyStore, mostPerByte * this.#storage.source.size);
    if (product(own) > most)
      throw new FormatError(
        `The array '${shown(name)}' has ${product(own)} values, but the store has ${this.#storage.source.size} bytes.`,
      );
    return this.read(
      own.map(() => 0),
      own,
    );
  }

  async #chunk(index: readonly number[]): Promise<StoredValues> {
    const { type, chunks, fill, key, sharding } = this.metadata;
    const { source, entries, prefix, cache, key: store } = this.#storage;
    const place = sharding === undefined ? { shard: index, within: [] } : inShard(index, sharding);
    const name = prefix + key(place.shard);
    return cache.get(`${store} ${name} ${place.within}`, async () => {
      const entry = entries.get(name);
      const empty = () => newValues(type, product(chunks)).fill(fill as never);
      if (entry === undefined) return empty();
      const form = this.#form;
      if (sharding === undefined)
        return decodedChunk(source, entry, form, this.chunkBytes < shortChunk ? 'now' : 'inPool');
      const file = { source, entry, cache, key: `${store} ${name}` };
      return (await chunkOfShard(file, sharding, place.within, form)) ?? empty();
    });
  }
}

/** Groups of this many; the last one may be smaller. */
function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
