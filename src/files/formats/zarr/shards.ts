import type { ByteSource } from '../../data/bytes.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from '../io/buffers.ts';
import type { ChunkCache } from '../io/store/chunk-cache.ts';
import { shown, type ZipEntry } from '../io/zip.ts';
import { dataStart, readEntry } from '../io/zip-entry.ts';
import { mostPacked } from './byte-steps.ts';
import { type ChunkForm, decodedBytes } from './chunk-codec.ts';
import { type Codecs, storedLength } from './codecs.ts';

/** Chunks that stand together in an entry, with an index of their places (Zarr 3, codec `sharding_indexed`). */
export interface Sharding {
  /** Chunks of a shard per dimension. */
  readonly counts: readonly number[];
  readonly index: Codecs;
  readonly indexAt: 'start' | 'end';
}

/** Maximum size of a deflated shard, which is unpacked in memory, and of an index. */
const longestShard = 1 << 28;
const longestIndex = 1 << 24;
const checksumLength = 4;
/** In the index: a chunk that is not there. */
const none = 2n ** 64n - 1n;

interface ShardFile {
  readonly source: ByteSource;
  readonly entry: ZipEntry;
  readonly cache: ChunkCache;
  /** Tells the entry apart from those of other stores. */
  readonly key: string;
}

/** Bytes of the index. */
export const indexLength = ({ counts, index }: Sharding): number =>
  storedLength(index, [...counts, 2]) + checksumLength * index.byteSteps.length;

/**
 * A chunk of a shard; undefined if the shard does not have it.
 * @param index of the chunk within the shard
 * @throws FormatError
 */
export async function chunkOfShard(
  file: ShardFile,
  sharding: Sharding,
  index: readonly number[],
  form: ChunkForm,
): Promise<StoredValues | undefined> {
  const { entry, cache, key } = file;
  const places = (await cache.get(`${key} index`, () => indexOf(file, sharding))) as BigUint64Array;
  const number = index.reduce((all, one, d) => all * sharding.counts[d]! + one, 0);
  const [offset, length] = [places[2 * number]!, places[2 * number + 1]!];
  if (offset === none && length === none) return undefined;
  const most = mostPacked(storedLength(form.codecs, form.shape));
  if (offset + length > BigInt(entry.size) || length > BigInt(most))
    throw new FormatError(
      `'${shown(entry.name)}' is a shard of ${entry.size} bytes whose chunk ${number} has ${length} bytes at ${offset}.`,
      entry.offset,
    );
  const bytes = await partOf(file, Number(offset), Number(length));
  return decodedBytes(bytes, entry, form, 'inPool');
}

async function indexOf(file: ShardFile, sharding: Sharding): Promise<StoredValues> {
  const { entry } = file;
  const { counts, index, indexAt } = sharding;
  const length = indexLength(sharding);
  if (length > longestIndex || length > entry.size)
    throw new FormatError(
      `'${shown(entry.name)}' is a shard of ${entry.size} bytes with an index of ${length} bytes.`,
      entry.offset,
    );
  const bytes = await partOf(file, indexAt === 'start' ? 0 : entry.size - length, length);
  return decodedBytes(bytes, entry, { type: 'UInt64', codecs: index, shape: [...counts, 2] }, 'now');
}

/** Bytes of the shard. A stored one is read in parts, so that its checksum in the zip is not compared. */
async function partOf({ source, entry, cache, key }: ShardFile, offset: number, length: number): Promise<Buffer> {
  if (entry.method === 0) {
    const start = await dataStart(source, entry);
    return readBuffer(source, start + offset, length);
  }
  const whole = await cache.get(`${key} whole`, async () => {
    const bytes = await readEntry(source, entry, longestShard);
    if (bytes !== undefined) return bytes;
    throw new FormatError(
      `'${shown(entry.name)}' is a deflated shard of ${entry.size} bytes. The maximum is ${longestShard}: store it in the zip without compression.`,
      entry.offset,
    );
  });
  return Buffer.from(whole.buffer, whole.byteOffset + offset, length);
}

/** The index of a chunk as those of its shard and of the chunk within. */
export function inShard(index: readonly number[], { counts }: Sharding): { shard: number[]; within: number[] } {
  return {
    shard: index.map((one, d) => Math.floor(one / counts[d]!)),
    within: index.map((one, d) => one % counts[d]!),
  };
}
