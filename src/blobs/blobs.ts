import type { Readable } from 'node:stream';
import { AppError, invalid } from '../errors.ts';
import type { StoreMarker } from './marker.ts';

/**
 * Where blobs lie; nothing else in a store is ever listed. `staging`: files on their way in; `dataset`: bytes of datasets; `export`:
 * files that transfers made for downloading.
 */
export const AREAS = ['staging', 'dataset', 'export'] as const;
export type Area = (typeof AREAS)[number];

export interface BlobInfo {
  size: number;
  /** Strong, quoted; changes with the bytes. */
  etag: string;
  lastModified: Date;
}

/**
 * Bytes under names such as `staging/<name>`, `dataset/<name>`, `export/<name>`; the part behind the slash is `[A-Za-z0-9._~-]+`.
 * A blob is there whole or not at all: every write goes to a temporary name, is flushed to the disk, and gets its name in one step.
 */
export interface BlobStore {
  /**
   * Stores a stream; more than `limit` bytes throw `tooLarge` and leave nothing, and so does `signal` with its reason. Replaces what was
   * there.
   */
  put(name: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal): Promise<BlobInfo>;
  /** Keeps a block for `commitBlocks`; the same id again replaces it. */
  putBlock(name: string, blockId: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<void>;
  /**
   * Makes a blob of blocks that were put under `name`, in this order, and forgets the others. Unknown block: `invalid` with code
   * `InvalidBlockList`; more bytes than `limit`, a block counted as often as it is listed: `tooLarge`. Both before anything is written.
   * Throws the reason of `signal`; then the blocks are still there.
   */
  commitBlocks(name: string, blockIds: readonly string[], limit: number, options?: Commit): Promise<BlobInfo>;
  info(name: string): Promise<BlobInfo | undefined>;
  /**
   * Bytes from `start` to `end`, both included and within the blob. Throws `notFound`, and `preconditionFailed` when the blob's ETag is
   * not (any more) `etag`, so that a range computed from `info` is never taken from other bytes. The stream breaks off when `signal` says so.
   */
  read(name: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable>;
  /**
   * Makes the blob readable as a local file at `path`, which must not exist: a link where the store is local, else a copy. Only for
   * reading: writing into a link would change the blob. Throws `notFound`, and the reason of `signal`; then no file is left.
   */
  fetch(name: string, path: string, signal?: AbortSignal): Promise<void>;
  /** An address from which anybody may read the blob for `seconds`, whole or in ranges. Absent: only this store itself can be read. */
  address?(name: string, seconds: number, shown: ShownAs): Promise<string>;
  /**
   * Makes the blob `to` of the bytes of `from`, which stays; replaces what was there. The store does it where it can, so that no byte comes
   * through this process. Throws `notFound`, and the reason of `signal` soon after it.
   */
  copy(from: string, to: string, signal?: AbortSignal): Promise<BlobInfo>;
  /**
   * Takes a local file, which is gone afterwards, as a blob. Throws the reason of `signal`; then the blob is not there, or whole where the
   * signal came at the last moment.
   */
  adopt(path: string, name: string, signal?: AbortSignal): Promise<BlobInfo>;
  /** Removing what is not there is fine. Blocks that were never committed go too. */
  remove(name: string): Promise<void>;
  /** Every blob of the three areas whose name starts with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<StoredBlob>;
  /** Removes what broken-off writes left: temporary files and blocks that nobody touched for this long. Says how many. */
  removeLeftovers(olderThanMs: number): Promise<number>;
  /** Tells to which database the store belongs. */
  readonly marker: StoreMarker;
}

export interface Commit {
  /** Name of the blob that is made; else the one that the blocks were put under. */
  target?: string;
  signal?: AbortSignal;
}

/** The bytes of a blob, which is opened when the first one is asked for: a file that was opened and is never read would stay open. */
export async function* bytesOf(store: BlobStore, name: string, etag?: string): AsyncGenerator<Uint8Array> {
  yield* await store.read(name, undefined, etag);
}

/** What an answer with a blob's bytes says of them. */
export interface ShownAs {
  contentType: string;
  disposition?: string | undefined;
}

export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredBlob {
  name: string;
  size: number;
  lastModified: Date;
}

/** Areas in which a name with this prefix may lie. */
export const areasOf = (prefix: string) =>
  AREAS.filter((area) => prefix.startsWith(`${area}/`) || `${area}/`.startsWith(prefix));

const NAME = /^[a-z]{1,20}\/[A-Za-z0-9._~-]{1,220}$/;

/** In particular nothing that leaves the store. */
export const isName = (name: string) => NAME.test(name) && !/\/\.{1,2}$/.test(name);

export function checkName(name: string) {
  if (!isName(name)) throw invalid(`'${name}' is not a blob name.`);
}

/**
 * Throws unless a blob of these blocks may be made.
 * @param sizes bytes of each block that is there
 */
export function checkBlocks(blockIds: readonly string[], sizes: ReadonlyMap<string, number>, limit: number) {
  let total = 0;
  for (const id of blockIds) {
    const size = sizes.get(id);
    if (size === undefined) throw noSuchBlock(id);
    total += size;
  }
  if (total > limit) throw new AppError('tooLarge', `The blocks have ${total} bytes; at most ${limit} are taken.`);
}

export const noSuchBlock = (id: string) => invalid(`There is no block '${id}'.`, { code: 'InvalidBlockList' });

/** The blob has another ETag than the caller knows. */
export const hasChanged = (name: string) => new AppError('preconditionFailed', `Blob '${name}' has changed.`);

/** Block ids are base64 of at most 64 bytes. */
export function checkBlockId(blockId: string) {
  if (!/^[A-Za-z0-9+/]{1,88}={0,2}$/.test(blockId)) {
    throw invalid(`'${blockId.slice(0, 100)}' is not a block id.`, { code: 'InvalidQueryParameterValue' });
  }
}
