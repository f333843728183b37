import type { ByteSource } from '../data/bytes.ts';

/** Bytes of a file: the first one, and the one after the last. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Thrown by a read behind the start of a file. No reader handles it, since it is no error of the file. */
export class NeedsMore extends Error {
  override name = 'NeedsMore';
  readonly range: ByteRange;

  constructor(range: ByteRange, available: number) {
    super(`Bytes ${range.from} to ${range.to} are needed, but only the first ${available} are there.`);
    this.range = range;
  }
}

/**
 * The start of a file whose size is known. It has no path and no descriptor, so that libraries which open a file
 * themselves copy it first, and ask for more.
 */
export class FileStart implements ByteSource {
  readonly size: number;
  readonly #start: ByteSource;
  #needed: ByteRange | undefined;

  constructor(start: ByteSource, size: number) {
    this.size = size;
    this.#start = start;
  }

  /** The first bytes that were asked for and are not there; readers may ask ahead for bytes that they never use. */
  get needed(): ByteRange | undefined {
    return this.#needed;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length);
    if (end <= this.#start.size || end <= offset) return this.#start.read(offset, length);
    const range = { from: Math.max(offset, this.#start.size), to: end };
    this.#needed ??= range;
    const refused = Promise.reject(new NeedsMore(range, this.#start.size));
    // nobody may wait for what is read ahead
    refused.catch(() => {});
    return refused;
  }
}
