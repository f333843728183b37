import type { Readable } from 'node:stream';

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
  /** Stores a stream; more than `limit` bytes throw `tooLarge` and leave nothing. Replaces what was there. */
  put(name: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<BlobInfo>;
  /** Keeps a block for `commitBlocks`; the same id again replaces it. */
  putBlock(name: string, blockId: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<void>;
  /** Makes the blob of the named blocks, in this order, and forgets the others. Unknown block: `invalid`. */
  commitBlocks(name: string, blockIds: readonly string[], limit: number): Promise<BlobInfo>;
  info(name: string): Promise<BlobInfo | undefined>;
  /** Bytes from `start` to `end`, both included. Throws `notFound`. */
  read(name: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Makes the blob readable as a local file at `path`, which must not exist: a link where the store is local, else a copy. Throws `notFound`. */
  fetch(name: string, path: string): Promise<void>;
  /** Takes a local file, which is gone afterwards, as a blob. */
  adopt(path: string, name: string): Promise<BlobInfo>;
  /** Removing what is not there is fine. */
  remove(name: string): Promise<void>;
  /** Every blob whose name starts with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<{ name: string; size: number; lastModified: Date }>;
}
