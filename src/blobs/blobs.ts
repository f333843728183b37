import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError, invalid } from '../errors.ts';
import type { StoreMarker } from './marker.ts';

/**
 * Areas of a store: `staging` for uploads, `dataset` for contents of datasets, `export` for files to download. `list`
 * covers these, and those of backups if it is asked for one.
 */
export const AREAS = ['staging', 'dataset', 'export'] as const;
export type Area = (typeof AREAS)[number];
/** Areas of a store of backups. */
const BACKUP_AREAS = ['backup', 'table', 'blob'];

export interface BlobInfo {
  size: number;
  /** Strong ETag with quotes; changes with the contents. */
  etag: string;
  lastModified: Date;
}

/**
 * Stores blobs under the names `<area>/<name>`; the name consists of `[A-Za-z0-9._~-]+`. Writes are atomic: a blob is
 * complete or does not exist.
 */
export interface BlobStore {
  /**
   * Stores a stream; replaces an existing blob. Throws `tooLarge` for more than `limit` bytes, and the reason of
   * `signal`; then stores nothing.
   */
  put(name: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal): Promise<BlobInfo>;
  /** Stores a block for `commitBlocks`; replaces a block with the same id. */
  putBlock(name: string, blockId: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<void>;
  /**
   * Creates a blob from blocks of `name`, in this order. The blocks stay until `removeBlocks`, so that it can be tried
   * again. Throws `MissingBlock` for unknown blocks, and before writing `tooLarge` for more than `limit` bytes;
   * repeated blocks count repeatedly.
   */
  commitBlocks(name: string, blockIds: readonly string[], limit: number, options?: Commit): Promise<BlobInfo>;
  /** Lists the blocks of `name`, in no particular order. */
  blocks(name: string): AsyncIterable<NamedBlock>;
  /** Deletes the blocks of `name`; with `before`, only those that were written before. */
  removeBlocks(name: string, before?: Date): Promise<void>;
  info(name: string): Promise<BlobInfo | undefined>;
  /**
   * Reads the bytes from `start` to `end`, both included; both must be within the blob. Throws `notFound`, or
   * `preconditionFailed` if the ETag differs from `etag`: pass it to read ranges of one version. `signal` destroys the
   * stream.
   */
  read(name: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable>;
  /** Reads a whole short blob of this size. Throws `notFound`, and the reason of `signal`. */
  readAll(name: string, size: number, signal?: AbortSignal): Promise<Buffer>;
  /**
   * Provides the blob as a local file at `path`, which must not exist: a hard link if the store is local, else a copy.
   * Do not write to the file, because a link shares its bytes with the blob. Throws `notFound`, and the reason of
   * `signal`; then leaves no file.
   */
  fetch(name: string, path: string, signal?: AbortSignal): Promise<void>;
  /** Opens the blob as a file that the caller closes, if the store is local. Throws `notFound`. */
  openFile?(name: string): Promise<FileHandle>;
  /** A presigned URL that is valid for `seconds`. Absent if the store has no such URLs. */
  address?(name: string, seconds: number, shown: ShownAs): Promise<string>;
  /**
   * Copies a blob; replaces an existing one. The store copies on its side if possible, without a transfer through this
   * process. Throws `notFound`, and the reason of `signal` soon after the abort.
   */
  copy(from: string, to: string, signal?: AbortSignal): Promise<BlobInfo>;
  /**
   * Moves a local file into the store. Throws the reason of `signal`; then the blob does not exist, or is complete if
   * the abort came at the last moment.
   */
  adopt(path: string, name: string, signal?: AbortSignal): Promise<BlobInfo>;
  /** Deletes a blob and its uncommitted blocks. Does nothing if there is none. */
  remove(name: string): Promise<void>;
  /** Lists blobs whose names start with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<StoredBlob>;
  /**
   * Deletes temporary files, and uncommitted blocks, that were not changed for these times; default: the same one.
   * Returns their number.
   */
  removeLeftovers(olderThanMs: number, blocksOlderThanMs?: number): Promise<number>;
  /** Tells which database owns the store. */
  readonly marker: StoreMarker;
}

export interface Commit {
  /** Name of the blob. Default: the name of the blocks. */
  target?: string;
  /** Called with all bytes of the blob in order. */
  each?: (chunk: Uint8Array) => void;
  signal?: AbortSignal;
}

/** The same stream, whose chunks `each` sees. */
export async function* seen(body: AsyncIterable<Uint8Array>, each: (chunk: Uint8Array) => void) {
  for await (const chunk of body) {
    each(chunk);
    yield chunk;
  }
}

/** Reads a blob. Opens it at the first `next()`, because an opened file that is never read would stay open. */
export async function* readBlob(store: BlobStore, name: string, etag?: string): AsyncGenerator<Uint8Array> {
  yield* await store.read(name, undefined, etag);
}

/** Header fields for the download of a blob. */
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
  /** A time at which the blob was complete, or a later one if the store does not know it. */
  lastModified: Date;
}

/** Areas that may contain names with this prefix; those of backups only if it begins with one. */
export const areasOf = (prefix: string): string[] => [
  ...AREAS.filter((area) => prefix.startsWith(`${area}/`) || `${area}/`.startsWith(prefix)),
  ...BACKUP_AREAS.filter((area) => prefix.startsWith(`${area}/`)),
];

const NAME = /^[a-z]{1,20}\/[A-Za-z0-9._~-]{1,220}$/;

/** Whether the text is a blob name. Excludes path traversal. */
export const isName = (name: string) => NAME.test(name) && !/\/\.{1,2}$/.test(name);

export function checkName(name: string) {
  if (!isName(name)) throw invalid(`'${name}' is not a blob name.`);
}

/** A block that was stored for a commit. */
export interface StoredBlock {
  size: number;
  /** When it was written, in milliseconds since 1970. */
  written: number;
}

export interface NamedBlock extends StoredBlock {
  id: string;
}

/** Throws if the blocks do not exist or exceed the limit. */
export function checkBlocks(blockIds: readonly string[], stored: ReadonlyMap<string, StoredBlock>, limit: number) {
  let total = 0;
  for (const id of blockIds) {
    const block = stored.get(id);
    if (!block) throw new MissingBlock(id, blockIds, stored);
    total += block.size;
  }
  if (total > limit) throw new AppError('tooLarge', `The blocks have ${total} bytes. The maximum is ${limit}.`);
}

/** The body of a blob or block has more than `limit` bytes. */
export const tooLarge = (limit: number) => new AppError('tooLarge', `The body has more than ${limit} bytes.`);

/** A block of a list does not exist: it was not uploaded, or the list was committed and its blocks are deleted. */
export class MissingBlock extends AppError {
  /** When the newest block of the list was written, in milliseconds since 1970; -Infinity if none of them exists. */
  readonly newest: number;

  constructor(id: string, blockIds: readonly string[], stored: ReadonlyMap<string, StoredBlock>) {
    super('invalid', `The block '${id}' does not exist. Upload it first.`, { code: 'InvalidBlockList' });
    this.newest = blockIds.reduce((newest, one) => Math.max(newest, stored.get(one)?.written ?? -Infinity), -Infinity);
  }
}

export const hasChanged = (name: string) => new AppError('preconditionFailed', `Blob '${name}' has changed.`);

/** Block ids are base64 of at most 64 bytes. */
export function checkBlockId(blockId: string) {
  if (!/^[A-Za-z0-9+/]{1,88}={0,2}$/.test(blockId)) {
    throw invalid(`'${blockId.slice(0, 100)}' is not a block id.`, { code: 'InvalidQueryParameterValue' });
  }
}
