import type { FileHandle } from 'node:fs/promises';
import { type ByteSource, pooledBytes } from 'hydrofiles/bytes';

/** A file that was not read for this time is closed. */
const IDLE_MS = 1000;

/** A blob of a local store that never changes, read at any place without a cache of its own: the system has one. */
export class BlobFile implements ByteSource {
  readonly size: number;
  readonly #open: () => Promise<FileHandle>;
  #file: Promise<FileHandle> | undefined;
  #reading = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(size: number, open: () => Promise<FileHandle>) {
    this.size = size;
    this.#open = open;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#using(async (file) => {
      const bytes = pooledBytes(Math.max(0, Math.min(this.size, offset + length) - offset));
      for (let done = 0; done < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + done);
        if (bytesRead === 0) throw new Error(`The blob ends after ${offset + done} of ${this.size} bytes.`);
        done += bytesRead;
      }
      return bytes;
    });
  }

  lend<T>(work: (descriptor: number) => Promise<T>): Promise<T> {
    return this.#using(({ fd }) => work(fd));
  }

  async #using<T>(work: (file: FileHandle) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#reading++;
    this.#file ??= this.#open();
    const opening = this.#file;
    try {
      return await work(await opening);
    } catch (error) {
      // a file that could not be opened may be there the next time
      await opening.catch(() => {
        if (this.#file === opening) this.#file = undefined;
      });
      throw error;
    } finally {
      this.#reading--;
      if (this.#reading === 0) this.#timer = setTimeout(() => this.#close(), IDLE_MS).unref();
    }
  }

  #close(): void {
    if (this.#reading > 0) return;
    const file = this.#file;
    this.#file = undefined;
    file?.then((opened) => opened.close()).catch(() => {});
  }
}
