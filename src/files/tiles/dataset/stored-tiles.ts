import { LRUCache } from 'lru-cache';
import type { ByteSource } from '../../data/bytes.ts';
import { loadOnce } from '../../data/load-once.ts';
import { FormatError } from '../../errors.ts';
import { longestTile, type StoredTile, TileArchive } from '../../formats/io/pmtiles/archive-reader.ts';
import { type ZipEntry, zipEntries } from '../../formats/io/zip.ts';
import { dataStart, readEntry } from '../../formats/io/zip-entry.ts';
import {
  archiveName,
  DESCRIPTION,
  type DrawnScheme,
  emptyTileName,
  isSingle,
  LONGEST_DESCRIPTION,
  limitsName,
  type MatrixLimits,
  parseDescription,
  parseLimits,
  type TileSlice,
  type TilesDescription,
} from './description.ts';

const longestText = 64 << 20;
/** Bytes of the values of a mesh of 100 million nodes. */
const longestEntry = 800_000_000;
/** Archives whose directories are in memory. */
const keptArchives = 64;
/** Slices whose rectangles are in memory. */
const keptLimits = 16;

/** The content of a tiles dataset, read by ranges. Directories of the last used archives stay in memory. */
export class StoredTiles {
  readonly description: TilesDescription;
  /** Length of the text of the description. */
  readonly textBytes: number;
  readonly #source: ByteSource;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #archives = new LRUCache<string, Promise<TileArchive>>({ max: keptArchives });
  readonly #levels = new LRUCache<string, Promise<ReadonlyMap<string, readonly MatrixLimits[]>>>({ max: keptLimits });
  readonly #empty = new Map<string, Promise<Buffer>>();

  private constructor(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>, text: Buffer) {
    this.#source = source;
    this.#entries = entries;
    this.description = parseDescription(text.toString());
    this.textBytes = text.length;
  }

  /** @throws FormatError if the source is no zip of tiles */
  static async open(source: ByteSource): Promise<StoredTiles> {
    const entries = new Map((await zipEntries(source)).map((entry) => [entry.name, entry]));
    return new StoredTiles(source, entries, await readNamed(source, entries, DESCRIPTION, LONGEST_DESCRIPTION));
  }

  scheme(schemeId: string): DrawnScheme | undefined {
    return this.description.tilingSchemes.find((one) => one.schemeId === schemeId);
  }

  /** Undefined for a tile without data. */
  async tile(
    schemeId: string,
    slice: TileSlice,
    [level, column, row]: readonly [number, number, number],
  ): Promise<StoredTile | undefined> {
    const archive = await this.archive(archiveName(schemeId, slice, isSingle(this.description)));
    return archive.tile(level, column, row);
  }

  /** The tile that is sent for all tiles without data. */
  emptyTile(schemeId: string): Promise<Buffer> {
    let bytes = this.#empty.get(schemeId);
    if (bytes === undefined) {
      bytes = readNamed(this.#source, this.#entries, emptyTileName(schemeId), longestTile);
      bytes.catch(() => this.#empty.delete(schemeId));
      this.#empty.set(schemeId, bytes);
    }
    return bytes;
  }

  /** Whether a tile lies in one of the rectangles of the slice. */
  async hasData(schemeId: string, slice: TileSlice, place: readonly [number, number, number]): Promise<boolean> {
    const name = limitsName(schemeId, slice, isSingle(this.description));
    const levels = await loadOnce(this.#levels, name, async () =>
      Map.groupBy(await this.limits(schemeId, slice), ({ tileMatrix }) => tileMatrix),
    );
    const [level, column, row] = place;
    const rectangles = levels.get(String(level)) ?? [];
    return rectangles.some(
      ({ minTileRow, maxTileRow, minTileCol, maxTileCol }) =>
        row >= minTileRow && row <= maxTileRow && column >= minTileCol && column <= maxTileCol,
    );
  }

  /** Tiles with data by level, of all steps and layers. */
  async countTiles(schemeId: string): Promise<ReadonlyMap<number, number>> {
    const { timeStamps, layerIds } = this.description;
    const counts = new Map<number, number>();
    for (let step = 0; step < Math.max(1, timeStamps.length); step++)
      for (let layer = 0; layer < Math.max(1, layerIds.length); layer++)
        for (const limits of await this.limits(schemeId, { step, layer })) {
          const level = Number(limits.tileMatrix);
          const rows = limits.maxTileRow - limits.minTileRow + 1;
          const columns = limits.maxTileCol - limits.minTileCol + 1;
          counts.set(level, (counts.get(level) ?? 0) + rows * columns);
        }
    return counts;
  }

  /** Bytes of the file, for a thread that draws of it. */
  get size(): number {
    return this.#source.size;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#source.read(offset, length);
  }

  async limits(schemeId: string, slice: TileSlice): Promise<MatrixLimits[]> {
    const name = limitsName(schemeId, slice, isSingle(this.description));
    const text = await readNamed(this.#source, this.#entries, name, longestText);
    return parseLimits(name, text.toString(), this.scheme(schemeId)!);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Bytes of an entry, such as the values of a mesh. */
  entry(name: string): Promise<Buffer> {
    return readNamed(this.#source, this.#entries, name, longestEntry);
  }

  /** An archive by the name of its entry. */
  archive(name: string): Promise<TileArchive> {
    return loadOnce(this.#archives, name, () => this.#openArchive(name));
  }

  async #openArchive(name: string): Promise<TileArchive> {
    const entry = entryOf(this.#entries, name);
    if (entry.method !== 0) throw new FormatError(`'${name}' of the tiles is compressed; it must be stored.`);
    const start = await dataStart(this.#source, entry);
    return TileArchive.open({
      size: entry.size,
      read: (offset, length) => this.#source.read(start + offset, Math.max(0, Math.min(length, entry.size - offset))),
    });
  }
}

function entryOf(entries: ReadonlyMap<string, ZipEntry>, name: string): ZipEntry {
  const entry = entries.get(name);
  if (entry === undefined) throw new FormatError(`The tiles have no '${name}'.`);
  return entry;
}

async function readNamed(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>, name: string, most: number) {
  const entry = entryOf(entries, name);
  const bytes = await readEntry(source, entry, most);
  if (bytes === undefined)
    throw new FormatError(`'${name}' of the tiles has ${entry.size} bytes; it may have ${most}.`);
  return bytes;
}
