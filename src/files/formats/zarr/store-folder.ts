import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { shown, type ZipEntry, zipEntries } from '../io/zip.ts';
import { dataStart, readEntry } from '../io/zip-entry.ts';
import { folderOfStore } from './hierarchy.ts';

/** Bytes of a deflated key, which is unpacked in memory. */
const mostUnpacked = 1 << 26;

/** The value of a key. */
export interface StoreKey {
  readonly size: number;
  /** CRC-32 of the value. */
  readonly crc: number;
  /** Offset in the zip, where the value is stored as it is. */
  offset(): Promise<number>;
  /** Absent: the value is stored as it is. */
  unpacked?(): Promise<Buffer>;
}

/** A Zarr store in a zip by its keys, relative to the root of the store. */
export class StoreFolder {
  readonly #source: ByteSource;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #folder: string;

  private constructor(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>, folder: string) {
    this.#source = source;
    this.#entries = entries;
    this.#folder = folder;
  }

  /** @throws FormatError if the file is no zip with a Zarr store */
  static async open(source: ByteSource): Promise<StoreFolder> {
    const entries = new Map((await zipEntries(source, undefined, { lastCounts: true })).map((one) => [one.name, one]));
    return new StoreFolder(source, entries, folderOfStore([...entries.keys()]));
  }

  /** Number of entries of the zip. */
  get entries(): number {
    return this.#entries.size;
  }

  key(name: string): StoreKey | undefined {
    const entry = this.#entries.get(this.#folder + name);
    if (entry === undefined) return undefined;
    const source = this.#source;
    const { size, crc } = entry;
    const offset = () => dataStart(source, entry);
    if (entry.method === 0) return { size, crc, offset };
    return {
      size,
      crc,
      offset,
      async unpacked() {
        const bytes = await readEntry(source, entry, mostUnpacked);
        if (bytes !== undefined) return bytes;
        throw new FormatError(
          `'${shown(name)}' in the zip is deflated and has ${size} bytes, more than ${mostUnpacked}.`,
        );
      },
    };
  }
}
