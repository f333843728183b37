import { hash } from 'node:crypto';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { Db } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { FormatError } from '../../files/errors.ts';
import type { StoredTile } from '../../files/formats/io/pmtiles/archive-reader.ts';
import { isUnzipped } from '../../files/tiles/dataset/describe-tiles.ts';
import type { DrawnScheme, TileSlice } from '../../files/tiles/dataset/description.ts';
import type { SessionLocks } from '../../platform/postgres/session-locks.ts';
import { type Draw, DrawingCancelled, type DrawThreads, type TileRequest } from '../draw-threads.ts';
import type { OpenTiles } from '../open-tiles.ts';
import { bytesOfTile, RecentlyUsed } from '../recently-used.ts';
import { SharedDrawings } from '../shared-drawings.ts';
import {
  deleteFormerTiles,
  findKeptTile,
  keepTile,
  type LockedTile,
  lockKeptTile,
  noteUse,
  TILE_BYTES,
  type TileKey,
} from './kept-tiles.queries.ts';
import { makeRoom } from './make-room.ts';
import type { RasterJob } from './raster-thread.ts';

/** Bytes of tiles in the memory of this process. */
const IN_MEMORY = 32 << 20;
/** A use is noted in the database at most this often. */
const NOTED_EVERY = 10 * 60_000;
/**
 * Until a tile that another process draws is looked for again, if nothing is announced: a process that is killed
 * announces nothing.
 */
const LOOK_AGAIN = 1000;
/** No drawing takes longer. */
const PATIENCE = 65_000;
/** Blobs whose former tiles were deleted. */
const MOST_BLOBS = 10_000;
const NOT_MAINTAINED = 'the tiles in the database could not be maintained';

/** The script of the threads. */
export const RASTER_THREAD = new URL('./raster-thread.ts', import.meta.url);

/** Where a tile came from. */
export type TileOrigin = 'memory' | 'database' | 'drawn';

export interface KeptTilesParts {
  readonly db: Db;
  readonly open: OpenTiles;
  readonly threads: DrawThreads;
  /** Of tiles that this process draws; announced on the channel `DRAWN`. */
  readonly locks: SessionLocks;
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
 * Tiles of levels that are drawn on request. A drawn tile is kept in the database, where all API processes find it,
 * also after a restart. The process that draws it holds its lock, which ends with the process, so that no other one
 * does the same; the others are told when it is done. The last used tiles are in memory, too.
 */
export class KeptTiles {
  readonly #parts: KeptTilesParts;
  readonly #memory = new RecentlyUsed<InMemory>(IN_MEMORY, bytesOfTile);
  readonly #drawings = new SharedDrawings<StoredTile | undefined>();
  readonly #cleaned = new Set<string>();
  #insertedBytes = 0;
  #isMakingRoom = false;

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
    const { locks, threads, most } = this.#parts;
    if (most === 0) return threads.use(request, (draw) => this.#draw(key, dataset, draw));
    const number = lockNumber(key);
    const started = performance.now();
    for (;;) {
      // From before the lock is tried, so that nothing is missed.
      const watch = locks.watch(number);
      try {
        const isLate = performance.now() - started > PATIENCE;
        const found = await this.#findOrDraw(key, number, { dataset, request, isLate });
        if (found !== 'elsewhere') return found;
        await watch.announced(LOOK_AGAIN, request.signal);
      } finally {
        watch.stop();
      }
    }
  }

  /** @param isLate whether it is drawn although another process does: that one may be paused */
  async #findOrDraw(
    key: TileKey,
    number: string,
    { dataset, request, isLate }: { dataset: ServedDataset; request: TileRequest; isLate: boolean },
  ): Promise<Uint8Array | undefined | 'elsewhere'> {
    const { locks, threads, count } = this.#parts;
    const { locked, bytes: kept, isOld } = await this.#tryLock(key, number);
    if (kept !== null) {
      count('database');
      if (isOld) this.#note(key);
      return kept;
    }
    if (!locked && !isLate) return 'elsewhere';
    let isKept = false;
    try {
      const bytes = await threads.use(request, (draw) => this.#draw(key, dataset, draw));
      if (bytes !== undefined) isKept = await this.#keep(key, bytes, number);
      return bytes;
    } finally {
      // Who waits for a tile that was kept has been told with it.
      if (locked) locks.unlock(number, !isKept).catch((error) => this.#warn(error, 'a lock could not be released'));
    }
  }

  /** Without a connection for locks a tile is drawn more than once, but it is drawn. */
  async #tryLock(key: TileKey, number: string): Promise<LockedTile> {
    try {
      return await lockKeptTile(this.#parts.locks, key, number);
    } catch (error) {
      this.#warn(error, 'a tile is drawn without its lock');
      const kept = await findKeptTile(this.#parts.db, key);
      return { locked: true, bytes: kept?.bytes ?? null, isOld: kept?.isOld ?? false };
    }
  }

  /** A tile that was drawn is sent, also if it cannot be kept. */
  async #keep(key: TileKey, bytes: Uint8Array, number: string): Promise<boolean> {
    try {
      const { buffer, byteOffset, byteLength } = bytes;
      const content = {
        hash: hash('sha256', bytes, 'buffer'),
        bytes: Buffer.from(buffer, byteOffset, byteLength),
        number,
      };
      const keep = () => keepTile(this.#parts.locks, key, content);
      // The connection may have ended; a tile that is there already stays.
      await keep().catch(keep);
    } catch (error) {
      this.#warn(error, 'a drawn tile could not be kept');
      return false;
    }
    this.#afterInsert(key, bytes.length);
    return true;
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
    noteUse(this.#parts.db, key).catch((error) => this.#warn(error, NOT_MAINTAINED));
  }

  #afterInsert(key: TileKey, bytes: number): void {
    const { db, most } = this.#parts;
    const { blob } = key;
    if (!this.#cleaned.has(blob)) {
      if (this.#cleaned.size >= MOST_BLOBS) this.#cleaned.clear();
      this.#cleaned.add(blob);
      this.#deleteFormer(key).catch((error) => this.#warn(error, NOT_MAINTAINED));
    }
    this.#insertedBytes += TILE_BYTES + bytes;
    if (this.#insertedBytes < most / 50 || this.#isMakingRoom) return;
    this.#isMakingRoom = true;
    this.#insertedBytes = 0;
    makeRoom(db, most)
      .catch((error) => this.#warn(error, NOT_MAINTAINED))
      .finally(() => {
        this.#isMakingRoom = false;
      });
  }

  /** Some at a time. */
  async #deleteFormer({ datasetId, blob }: TileKey): Promise<void> {
    while ((await deleteFormerTiles(this.#parts.db, datasetId, blob)) > 0);
  }

  #warn(error: unknown, message: string): void {
    this.#parts.log.warn({ err: error }, message);
  }
}

/** The advisory lock of a tile. */
export const lockNumber = (key: TileKey): string =>
  hash('sha256', `kept tile ${JSON.stringify(Object.values(key))}`, 'buffer')
    .readBigInt64BE()
    .toString();
