import { rm } from 'node:fs/promises';
import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { FileSource } from './bytes.ts';
import type { ZipEntry } from './zip.ts';
import { unpackEntry } from './zip-entry.ts';

interface OpenEntry {
  readonly file: Promise<FileSource>;
  /** Reads that have not ended. */
  users: number;
}

/** Files of a zip, unpacked when they are needed. Only some are open at a time: there may be thousands. */
export class UnpackedFiles {
  readonly #zip: ByteSource;
  readonly #context: Context;
  readonly #paths = new Map<ZipEntry, Promise<string>>();
  readonly #open = new Map<ZipEntry, OpenEntry>();
  #ended = false;

  constructor(zip: ByteSource, context: Context) {
    this.#zip = zip;
    this.#context = context;
    context.onEnd(async () => {
      // a read that has begun may outlive the error of another one
      this.#ended = true;
      for (const { file } of this.#open.values()) await closeIfOpened(file);
      for (const unpacked of await Promise.allSettled(this.#paths.values()))
        if (unpacked.status === 'fulfilled') await rm(unpacked.value, { force: true });
    });
  }

  /** A file that can be read at any time, although it may be closed in between. */
  source(entry: ZipEntry): ByteSource {
    return { size: entry.size, read: (offset, length) => this.#read(entry, offset, length) };
  }

  async #read(entry: ZipEntry, offset: number, length: number): Promise<Uint8Array> {
    if (this.#ended) throw new Error('The conversion that read this zip has ended.');
    const opened = this.#open.get(entry) ?? { file: this.#openFile(entry), users: 0 };
    this.#open.set(entry, opened);
    opened.users++;
    try {
      return await (await opened.file).read(offset, length);
    } finally {
      opened.users--;
      await this.#closeUnused();
    }
  }

  async #openFile(entry: ZipEntry): Promise<FileSource> {
    const path = this.#paths.get(entry) ?? unpackEntry(this.#zip, entry, this.#context.scratch);
    this.#paths.set(entry, path);
    return FileSource.open(await path, { checksum: false });
  }

  async #closeUnused(): Promise<void> {
    for (const [entry, { file, users }] of this.#open) {
      if (this.#open.size <= maxOpen) return;
      if (users > 0) continue;
      this.#open.delete(entry);
      await closeIfOpened(file);
    }
  }
}

const closeIfOpened = (file: Promise<FileSource>) =>
  file.then(
    (opened) => opened.close(),
    () => {},
  );

const maxOpen = 16;
