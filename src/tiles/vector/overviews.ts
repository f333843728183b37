import type { BlobSources } from '../../blobs/blob-source.ts';
import { OpenBlobs } from '../../blobs/open-blobs.ts';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { Db } from '../../db.ts';
import { TileArchive } from '../../files/formats/io/pmtiles/archive-reader.ts';
import type { TileNumber } from '../../files/tiles/vector/vector-tile.ts';
import { openTtlCache } from '../../platform/async/ttl-cache.ts';
import { findArchive } from './overviews.queries.ts';

/** Archives whose directories are in memory, and contents of which is known that they have one or none. */
const MOST_OPEN = 200;
const MOST_KNOWN = 10_000;
/** How long a content whose overview was not drawn yet is not looked for again. */
const MISSING_MS = 2000;
/** Contents of fewer bytes get no overview; see `sql/functions/tiles.sql`. */
const LEAST_BYTES = 1_000_000;

export interface VectorOverviewsParts {
  readonly db: Db;
  readonly sources: BlobSources;
  readonly log: { warn(details: object, message: string): void };
}

/** Vector tiles of many features that a job has drawn ahead. */
export class VectorOverviews {
  readonly #parts: VectorOverviewsParts;
  readonly #archives: OpenBlobs<TileArchive>;
  /** By blob: the name of the archive, and its last level; null: there is no archive. The least recently used first. */
  readonly #known = new Map<string, { archive: string; lastLevel: number } | null>();
  readonly #missing = openTtlCache<Awaited<ReturnType<typeof findArchive>>>(MISSING_MS);

  constructor(parts: VectorOverviewsParts) {
    this.#parts = parts;
    this.#archives = new OpenBlobs(parts.sources, { most: MOST_OPEN, direct: true }, (source) =>
      TileArchive.open(source),
    );
  }

  /** Undefined for a tile that is drawn when it is asked for. The caller may read the dataset. */
  async tile(dataset: ServedDataset, { level, column, row }: TileNumber): Promise<Uint8Array | undefined> {
    const found = await this.#archiveOf(dataset);
    if (found === null || level > found.lastLevel) return undefined;
    try {
      const archive = await this.#archives.open(found.archive);
      return (await archive.tile(level, column, row))?.bytes;
    } catch (error) {
      // It was replaced or is damaged: the tile can be drawn as well.
      this.#known.delete(dataset.blob!);
      this.#archives.forget(found.archive);
      this.#parts.log.warn({ err: error, datasetId: dataset.id }, 'tiles that were drawn ahead cannot be read');
      return undefined;
    }
  }

  async #archiveOf({ id, blob, storageSize }: ServedDataset) {
    if (blob === undefined || storageSize <= LEAST_BYTES) return null;
    let found = this.#known.get(blob);
    if (found === undefined) {
      const row = await this.#missing.get(blob, () => findArchive(this.#parts.db, id, blob));
      if (row === null) return null;
      const { archive, lastLevel } = row;
      found = archive === undefined || lastLevel === undefined ? null : { archive, lastLevel };
    }
    this.#known.delete(blob);
    this.#known.set(blob, found);
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    return found;
  }

  /** Looks for overviews that were drawn since the last look. */
  lookAgain(): void {
    this.#missing.clear();
  }

  close(): Promise<void> {
    return this.#archives.close();
  }
}
