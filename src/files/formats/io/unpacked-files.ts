import { rm } from 'node:fs/promises';
import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { FileSource } from './bytes.ts';
import type { ZipEntry } from './zip.ts';
import { unpackEntry } from './zip-entry.ts';

/** Files of a zip, unpacked when they are needed. Only some are open at a time: there may be thousands. */
export class UnpackedFiles {
  readonly #zip: ByteSource;
  readonly #context: Context;
  readonly #paths = new Map<ZipEntry, Promise<string>>();
  readonly #open = new Map<ZipEntry, FileSource>();

  constructor(zip: ByteSource, context: Context) {
    this.#zip = zip;
    this.#context = context;
    context.onEnd(async () => {
      for (const file of this.#open.values()) await file.close();
      for (const unpacked of await Promise.allSettled(this.#paths.values()))
        if (unpacked.status === 'fulfilled') await rm(unpacked.value, { force: true });
    });
  }

  /** A file that can be read at any time, although it may be closed in between. */
  source(entry: ZipEntry): ByteSource {
    return { size: entry.size, read: async (offset, length) => (await this.#file(entry)).read(offset, length) };
  }

  async #file(entry: ZipEntry): Promise<FileSource> {
    const open = this.#open.get(entry);
    if (open !== undefined) return open;
    for (const [other, file] of this.#open) {
      if (this.#open.size < maxOpen) break;
      this.#open.delete(other);
      await file.close();
    }
    const path = this.#paths.get(entry) ?? unpackEntry(this.#zip, entry, this.#context.scratch);
    this.#paths.set(entry, path);
    const file = await FileSource.open(await path, { checksum: false });
    this.#open.set(entry, file);
    return file;
  }
}

const maxOpen = 16;
