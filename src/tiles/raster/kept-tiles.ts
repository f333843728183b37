import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { Db } from '../../db.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { StoredTile } from '../../formats/tiles/archive-reader.ts';
import { isUnzipped } from '../../formats/tiles/describe-tiles.ts';
import type { DrawnScheme, TileSlice } from '../../formats/tiles/description.ts';
import type { Draw, DrawThreads, TileRequest } from '../draw-threads.ts';
import { DrawingCancelled } from '../draw-threads.ts';
import { MemoryTiles } from '../memory-tiles.ts';
import type { OpenTiles } from '../open-tiles.ts';
import { SharedDrawings } from '../shared-drawings.ts';
import type { TileKey } from './kept-tiles.queries.ts';
import {
  deleteFormerTiles,
  deleteOldestTiles,
  findKeptTile,
  insertKeptTile,
  keptBytes,
  noteUse,
  tryLockTile,
} from './kept-tiles.queries.ts';
import type { RasterJob } from './raster-thread.ts';

/** Bytes of tiles in the memory of this process. */
const IN_MEMORY = 32 << 20;
/** A use is noted in the database at most this often. */
const NOTED_EVERY = 10 * 60_000;
/** Until a tile that another process draws is looked for again. */
const LOOK_AGAIN = 50;
/** Blobs whose former tiles were deleted. */
const MOST_BLOBS = 10_000;

/** The script of the threads. */
export const RASTER_THREAD = new URL('./raster-thread.ts', import.meta.url);

/** Where a tile came from. */
export type TileOrigin = 'memory' | 'database' | 'drawn';

export interface KeptTilesParts {
  readonly db: Db;
  readonly open: OpenTiles;
  readonly threads: DrawThreads;
  /** Bytes of tiles in the database; 0: none are kept there. */
  readonly most: number;
  readonly log: { warn(details: object, message: string): void };
  /** Counts a tile. */
  readonly count: (origin: TileOrigin) => void;
  /** Counts a drawing. */
  readonly drawn: (outcome: 'ok' | 'cancelled' | 'error', seconds: number) => void;
}

interface InMemory extends StoredTile {
  noted: number;
}

/**
 * Tiles of levels that are drawn on request. A drawn tile is kept in the database, where all API processes find it, also
 * after a restart; a lock of the transaction that draws it makes sure that only one of them draws, and ends with the
 * process. The last used tiles are in memory, too.
 */
export class KeptTiles {
  readonly #parts: KeptTilesParts;
  readonly #memory = new MemoryTiles<InMemory>(IN_MEMORY);
  readonly #drawings = new SharedDrawings<StoredTile | undefined>();
  readonly #cleaned = new Set<string>();
  #insertedBytes = 0;
  #evicting = false;

  constructor(parts: KeptTilesParts) {
    this.#parts = parts;
  }

  /** Undefined for a tile without data. The caller may read the dataset. */
  async of(
    dataset: ServedDataset,
    { schemeId, outputType }: DrawnScheme,
    slice: TileSlice,
    place: readonly [level: number, column: number, row: number],
    request: TileRequest,
  ): Promise<StoredTile | undefined> {
    const [level, column, row] = place;
    const key: TileKey = { datasetId: dataset.id, blob: dataset.blob!, schemeId, ...slice, level, column, row };
    const name = Object.values(key).join(' ');
    const known = this.#memory.get(name);
    if (known !== undefined) {
      this.#parts.count('memory');
      if (Date.now() - known.noted > NOTED_EVERY) this.#note(key, known);
      return known;
    }
    const gzip = !isUnzipped(outputType);
    return this.#drawings.of(name, request.signal, async (signal) => {
      const bytes = await this.#find(key, dataset, { ...request, signal });
      if (bytes === undefined) return undefined;
      const tile = { bytes, gzip, noted: Date.now() };
      this.#memory.set(name, tile);
      return tile;
    });
  }

  /** Draws a tile whether it is kept or not, to compare both. */
  async drawAnew(
    dataset: ServedDataset,
    { schemeId, outputType }: DrawnScheme,
    slice: TileSlice,
    [level, column, row]: readonly [level: number, column: number, row: number],
    request: TileRequest,
  ): Promise<{ tile: StoredTile | undefined; kept: Buffer | undefined }> {
    const { db, threads } = this.#parts;
    const key: TileKey = { datasetId: dataset.id, blob: dataset.blob!, schemeId, ...slice, level, column, row };
    const bytes = await threads.use(request, (draw) => this.#draw(key, dataset, draw));
    const kept = await findKeptTile(db, key);
    return { tile: bytes && { bytes, gzip: !isUnzipped(outputType) }, kept: kept?.bytes };
  }

  /** From the database, or drawn. */
  async #find(key: TileKey, dataset: ServedDataset, request: TileRequest): Promise<Uint8Array | undefined> {
    const { threads, most } = this.#parts;
    for (;;) {
      const kept = most > 0 ? await this.#kept(key) : undefined;
      if (kept !== undefined) return kept;
      const done = await threads.use(request, (draw) =>
        most > 0 ? this.#drawAndKeep(key, dataset, draw) : this.#draw(key, dataset, draw),
      );
      if (done !== 'elsewhere') return done;
      // Another process is drawing it; when that process ends, so does its lock.
      await wait(LOOK_AGAIN, undefined, { signal: request.signal });
    }
  }

  async #kept(key: TileKey): Promise<Uint8Array | undefined> {
    const kept = await findKeptTile(this.#parts.db, key);
    if (kept === null) return undefined;
    this.#parts.count('database');
    if (kept.isOld) this.#note(key);
    return kept.bytes;
  }

  async #drawAndKeep(key: TileKey, dataset: ServedDataset, draw: Draw): Promise<Uint8Array | undefined | 'elsewhere'> {
    const { db, log } = this.#parts;
    let drawn: { bytes: Uint8Array | undefined } | undefined;
    try {
      const found = await db.transaction(async (tx) => {
        if (!(await tryLockTile(tx, key))) return 'elsewhere';
        // It may have been kept since the first look.
        const kept = await findKeptTile(tx, key);
        if (kept !== null) return kept.bytes;
        const bytes = await this.#draw(key, dataset, draw);
        drawn = { bytes };
        if (bytes !== undefined) await insertKeptTile(tx, key, hash('sha256', bytes, 'buffer'), Buffer.from(bytes));
        return bytes;
      }, 0);
      if (drawn?.bytes !== undefined) this.#afterInsert(key, drawn.bytes.length);
      return found;
    } catch (error) {
      // A tile that was drawn is sent, also if it cannot be kept.
      if (drawn === undefined) throw error;
      log.warn({ err: error, dataset: dataset.id }, 'a drawn tile could not be kept');
      return drawn.bytes;
    }
  }

  async #draw(key: TileKey, dataset: ServedDataset, draw: Draw): Promise<Uint8Array | undefined> {
    const { open, count, drawn } = this.#parts;
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    const { blob, schemeId, step, layer, level, column, row } = key;
    try {
      const { size } = await open.of(dataset);
      const job: RasterJob = { blob, size, schemeId, slice: { step, layer }, place: [level, column, row] };
      const bytes = await draw(job, { read: async (offset, length) => (await open.of(dataset)).read(offset, length) });
      count('drawn');
      drawn('ok', seconds());
      return bytes;
    } catch (error) {
      drawn(error instanceof DrawingCancelled ? 'cancelled' : 'error', seconds());
      if (error instanceof FormatError)
        throw new AppError('unprocessable', `Dataset '${dataset.id}': ${error.message}`);
      throw error;
    }
  }

  #note(key: TileKey, tile?: InMemory): void {
    if (tile !== undefined) tile.noted = Date.now();
    if (this.#parts.most === 0) return;
    noteUse(this.#parts.db, key).catch((error) => this.#warn(error));
  }

  #afterInsert({ datasetId, blob }: TileKey, bytes: number): void {
    const { db, most } = this.#parts;
    if (!this.#cleaned.has(blob)) {
      if (this.#cleaned.size >= MOST_BLOBS) this.#cleaned.clear();
      this.#cleaned.add(blob);
      deleteFormerTiles(db, datasetId, blob).catch((error) => this.#warn(error));
    }
    this.#insertedBytes += bytes;
    if (this.#insertedBytes < most / 50 || this.#evicting) return;
    this.#evicting = true;
    this.#insertedBytes = 0;
    this.#evict()
      .catch((error) => this.#warn(error))
      .finally(() => {
        this.#evicting = false;
      });
  }

  /** First contents without a tile, then the least recently used tiles. */
  async #evict(): Promise<void> {
    const { db, most } = this.#parts;
    if ((await keptBytes(db)) <= most) return;
    await deleteOldestTiles(db, 0);
    for (;;) {
      const excess = (await keptBytes(db)) - Math.floor(0.9 * most);
      if (excess <= 0 || (await deleteOldestTiles(db, excess)) === 0) return;
    }
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ err: error }, 'the tiles in the database could not be maintained');
  }
}
