import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ByteSource } from '../../../data/bytes.ts';
import { loadOnce } from '../../../data/load-once.ts';
import { FormatError } from '../../../errors.ts';
import { type ArchiveHeader, COMPRESSIONS, HEADER_BYTES, parseHeader, ROOT_LIMIT } from './archive-header.ts';
import { Directory, type DirectoryEntry } from './directory.ts';
import { tileIdOf, tileOfId } from './tile-ids.ts';

const unzipped = promisify(gunzip);
/** Unpacked bytes of a directory: a leaf of a quarter of a million entries. */
const mostDirectoryBytes = 8 << 20;
/** Maximum stored size: incompressible bytes grow a little. */
const longestDirectory = mostDirectoryBytes + (64 << 10);
/** Bytes of the largest raw tile. */
export const longestTile = 4 * 2048 ** 2;
/** Maximum stored size: incompressible bytes grow a little. */
const longestStored = longestTile + (64 << 10);
/** Leaves in memory. */
const keptLeaves = 32;

/** A tile as it is stored. */
export interface StoredTile {
  readonly bytes: Uint8Array;
  readonly gzip: boolean;
}

/** A PMTiles file, read by ranges. */
export class TileArchive {
  readonly header: ArchiveHeader;
  readonly #source: ByteSource;
  readonly #root: Directory;
  readonly #leaves = new LRUCache<number, Promise<Directory>>({ max: keptLeaves });

  private constructor(source: ByteSource, header: ArchiveHeader, root: Directory) {
    this.#source = source;
    this.header = header;
    this.#root = root;
  }

  /** @throws FormatError if the source is no PMTiles file */
  static async open(source: ByteSource): Promise<TileArchive> {
    const head = await source.read(0, Math.min(ROOT_LIMIT, source.size));
    const header = parseHeader(head, source.size);
    const { offset, length } = header.root;
    if (offset < HEADER_BYTES || offset + length > head.length)
      throw new FormatError('The root directory of the tile archive is not at its beginning.');
    return new TileArchive(source, header, await unpackDirectory(head.subarray(offset, offset + length)));
  }

  async tile(level: number, column: number, row: number): Promise<StoredTile | undefined> {
    const entry = await this.#find(tileIdOf(level, column, row));
    return entry && this.#read(entry);
  }

  /** All tiles, the least detailed ones first. */
  async *tiles(): AsyncGenerator<StoredTile & { level: number; column: number; row: number }> {
    for (const entry of this.#root.entries())
      for (const found of entry.run > 0 ? [entry] : (await this.#leaf(entry)).entries()) {
        const tile = await this.#read(found);
        for (let n = 0; n < found.run; n++) yield { ...tile, ...tileOfId(found.id + n) };
      }
  }

  async #read({ offset, length }: DirectoryEntry): Promise<StoredTile> {
    const { tiles, tileCompression } = this.header;
    if (offset + length > tiles.length) throw new FormatError('A tile of the archive ends after its last byte.');
    if (length > longestStored)
      throw new FormatError(`A tile of the archive has ${length} bytes; it may have ${longestStored}.`);
    const bytes = await this.#source.read(tiles.offset + offset, length);
    return { bytes, gzip: tileCompression === COMPRESSIONS.gzip };
  }

  async #find(id: number): Promise<DirectoryEntry | undefined> {
    const entry = this.#root.find(id);
    if (entry === undefined || entry.run > 0) return entry;
    const found = (await this.#leaf(entry)).find(id);
    return found === undefined || found.run === 0 ? undefined : found;
  }

  #leaf({ offset, length }: DirectoryEntry): Promise<Directory> {
    return loadOnce(this.#leaves, offset, () => this.#readLeaf(offset, length));
  }

  async #readLeaf(offset: number, length: number): Promise<Directory> {
    const { leaves } = this.header;
    if (offset + length > leaves.length)
      throw new FormatError('A directory of the tile archive ends after its last byte.');
    if (length > longestDirectory)
      throw new FormatError(`A directory of the tile archive has ${length} bytes; it may have ${longestDirectory}.`);
    return unpackDirectory(await this.#source.read(leaves.offset + offset, length));
  }
}

async function unpackDirectory(packed: Uint8Array): Promise<Directory> {
  try {
    return new Directory(await unzipped(packed, { maxOutputLength: mostDirectoryBytes }));
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError('A directory of the tile archive cannot be unpacked.');
  }
}
