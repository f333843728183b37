import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pooledBytes, releaseBuffer } from '../../data/buffer-pool.ts';
import type { ByteSink, ByteSource } from '../../data/bytes.ts';
import { writeFully } from '../../data/write-fully.ts';

export interface Checksum {
  size: number;
  /** Lower case hexadecimal. */
  sha256: string;
}

const chunk = 1 << 20;
/** Maximum number of unwritten bytes; above it, `append` waits. */
const maxPending = 8 << 20;

/** A local file. Updates its checksum while it is read from front to back. */
export class FileSource implements ByteSource {
  readonly size: number;
  readonly path: string;
  readonly #file: FileHandle;
  readonly #hash: Hash | undefined;
  #hashed = 0;

  private constructor(path: string, file: FileHandle, size: number, hash: Hash | undefined) {
    this.path = path;
    this.#file = file;
    this.size = size;
    this.#hash = hash;
  }

  static async open(path: string, { checksum = true } = {}): Promise<FileSource> {
    const file = await open(path, 'r');
    return new FileSource(path, file, (await file.stat()).size, checksum ? createHash('sha256') : undefined);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = await readFully(this.#file, offset, Math.max(0, Math.min(length, this.size - offset)));
    const end = offset + bytes.length;
    if (this.#hash !== undefined && offset <= this.#hashed && end > this.#hashed) {
      this.#hash.update(bytes.subarray(this.#hashed - offset));
      this.#hashed = end;
    }
    return bytes;
  }

  readNow(target: Uint8Array, offset: number): number {
    return readSync(this.#file.fd, target, 0, target.length, offset);
  }

  /** Reads the rest of the file and returns the checksum. Call it once, at the end. */
  async checksum(): Promise<Checksum> {
    while (this.#hash !== undefined && this.#hashed < this.size) {
      const before = this.#hashed;
      await this.read(before, chunk);
      if (this.#hashed === before) throw new Error(`The input ended at byte ${before} of ${this.size}.`);
    }
    if (this.#hash === undefined) throw new Error('This source was opened without a checksum.');
    return { size: this.size, sha256: this.#hash.digest('hex') };
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A new local file. Appended bytes are written in the background, in order; the number of unwritten bytes is bounded.
 */
export class FileSink implements ByteSink {
  readonly #file: FileHandle;
  #hash = createHash('sha256');
  #position = 0;
  /** The running checksum is not valid: bytes were patched, or no checksum was requested. */
  #stale: boolean;
  #pending = 0;
  #writes: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  private constructor(file: FileHandle, checksum: boolean) {
    this.#file = file;
    this.#stale = !checksum;
  }

  static async create(path: string, { checksum = true } = {}): Promise<FileSink> {
    return new FileSink(await open(path, 'w+'), checksum);
  }

  get position(): number {
    return this.#position;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const at = this.#position;
    this.#position += bytes.length;
    if (!this.#stale) this.#hash.update(bytes);
    this.#write(bytes, at);
    if (this.#pending > maxPending) await this.flush();
  }

  async patch(offset: number, bytes: Uint8Array): Promise<void> {
    this.#stale = true;
    this.#write(bytes, offset);
    await this.flush();
  }

  async restart(): Promise<void> {
    await this.flush();
    await this.#file.truncate(0);
    this.#position = 0;
    this.#hash = createHash('sha256');
  }

  async checksum(): Promise<Checksum> {
    await this.flush();
    if (this.#stale) {
      this.#hash = createHash('sha256');
      for (let at = 0; at < this.#position; at += chunk)
        this.#hash.update(await readFully(this.#file, at, Math.min(chunk, this.#position - at)));
    }
    return { size: this.#position, sha256: this.#hash.digest('hex') };
  }

  /** Waits for pending writes, ignores their failure, and closes the file. */
  async close(): Promise<void> {
    await this.#writes;
    await this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #write(bytes: Uint8Array, at: number): void {
    this.#pending += bytes.length;
    this.#writes = this.#writes.then(async () => {
      try {
        if (this.#failure === undefined) await writeFully(this.#file, at, bytes);
        releaseBuffer(bytes);
      } catch (error) {
        this.#failure = { error };
      }
      this.#pending -= bytes.length;
    });
  }

  /** Waits until everything is written. */
  async flush(): Promise<void> {
    await this.#writes;
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Bytes from the pool, fewer than `length` only at the end of the file. */
export async function readFully(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = pooledBytes(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}
