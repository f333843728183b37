import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../db.ts';
import type { SessionLocks } from '../../platform/postgres/session-locks.ts';
import type { Draw, DrawThreads, TileRequest } from '../draw-threads.ts';
import { SharedDrawings } from '../shared-drawings.ts';
import { evictTiles } from './evict.ts';
import {
  deleteFormerTiles,
  findOrLockTile,
  findTile,
  type LockedTile,
  noteUse,
  storeTile,
  TILE_BYTES,
  type TileKey,
} from './tile-store.queries.ts';

/** How often a tile that another process draws is looked for: a process that is killed announces nothing. */
const LOOK_AGAIN = 1000;
/** No drawing takes longer. */
const PATIENCE = 65_000;
/** Blobs whose former tiles were deleted. */
const MOST_BLOBS = 10_000;
const NOT_MAINTAINED = 'the stored tiles could not be maintained';

export type TileKind = 'raster' | 'vector';
/** Source of a tile. */
export type TileOrigin = 'database' | 'drawn';

/** How to draw a tile. */
export interface TileDrawing {
  readonly kind: TileKind;
  readonly key: TileKey;
  /** Tiles that are drawn in fewer milliseconds are not stored; `Infinity`: the store is not asked. */
  readonly storedFrom: number;
  /** Returns undefined for a tile with nothing in it. */
  draw(draw: Draw, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

export interface DrawnTile {
  /** Undefined: nothing lies in the tile. */
  readonly bytes: Uint8Array | undefined;
  /** Duration of the drawing, without the wait for a thread. */
  readonly milliseconds: number;
}

export interface TileStoreParts {
  readonly db: Database;
  readonly threads: Readonly<Record<TileKind, DrawThreads>>;
  /** Locks of the tiles that this process draws; announced on the channel `DRAWN`. */
  readonly locks: SessionLocks;
  /** Maximum bytes of tiles in the database; 0: it stores none. */
  readonly most: number;
  readonly log: { warn(details: object, message: string): void };
  readonly metrics: {
    tileServed(kind: TileKind, origin: TileOrigin): void;
    tileDrawn(kind: TileKind, outcome: 'ok' | 'cancelled' | 'error', seconds: number): void;
  };
}

/**
 * Drawn tiles, after the response cache. A tile comes from the database, which all API processes share, or it is drawn
 * and stored there. The process that draws a tile holds its lock, which ends with the process, so that no other process
 * draws it at the same time; the others are told when it is stored.
 */
export class TileStore {
  readonly #parts: TileStoreParts;
  readonly #drawings = new SharedDrawings<Uint8Array | undefined>();
  readonly #cleaned = new LRUCache<string, true>({ max: MOST_BLOBS });
  #storedBytes = 0;
  #isEvicting = false;

  constructor(parts: TileStoreParts) {
    this.#parts = parts;
  }

  /** Undefined for a tile with nothing in it. The caller may read the dataset. */
  tile(drawing: TileDrawing, { tenant, signal }: TileRequest): Promise<Uint8Array | undefined> {
    const isStored = this.#parts.most > 0 && drawing.storedFrom < Number.POSITIVE_INFINITY;
    return this.#drawings.of(Object.values(drawing.key).join(' '), signal, (shared) =>
      isStored
        ? this.#find(drawing, { tenant, signal: shared })
        : this.#drawUnstored(drawing, { tenant, signal: shared }),
    );
  }

  /** Draws a tile, whether it is stored or not. */
  draw({ kind, draw }: TileDrawing, request: TileRequest): Promise<DrawnTile> {
    const { threads, metrics } = this.#parts;
    return threads[kind].use(request, async (onThread) => {
      const started = performance.now();
      const milliseconds = () => performance.now() - started;
      try {
        const bytes = await draw(onThread, request.signal);
        metrics.tileDrawn(kind, 'ok', milliseconds() / 1000);
        return { bytes, milliseconds: milliseconds() };
      } catch (error) {
        const isCancelled = request.signal.aborted;
        metrics.tileDrawn(kind, isCancelled ? 'cancelled' : 'error', milliseconds() / 1000);
        throw error;
      }
    });
  }

  async #drawUnstored(drawing: TileDrawing, request: TileRequest): Promise<Uint8Array | undefined> {
    const { bytes } = await this.draw(drawing, request);
    this.#parts.metrics.tileServed(drawing.kind, 'drawn');
    return bytes;
  }

  /** Reads the tile from the database, or draws and stores it. */
  async #find(drawing: TileDrawing, request: TileRequest): Promise<Uint8Array | undefined> {
    const { locks } = this.#parts;
    const lock = lockNumber(drawing.key);
    const started = performance.now();
    for (;;) {
      // Before the lock is tried, so that no announcement is missed.
      const watch = locks.watch(lock);
      try {
        // A process that draws for too long may be paused.
        const isLate = performance.now() - started > PATIENCE;
        const found = await this.#findOrDraw(drawing, request, { lock, isLate });
        if (found !== 'elsewhere') return found;
        await watch.announced(LOOK_AGAIN, request.signal);
      } finally {
        watch.stop();
      }
    }
  }

  async #findOrDraw(
    drawing: TileDrawing,
    request: TileRequest,
    { lock, isLate }: { lock: string; isLate: boolean },
  ): Promise<Uint8Array | undefined | 'elsewhere'> {
    const { locks, metrics } = this.#parts;
    const { kind, key, storedFrom } = drawing;
    const { locked, bytes: stored, isOld } = await this.#findOrLock(key, lock);
    if (stored !== null) {
      metrics.tileServed(kind, 'database');
      if (isOld) this.#noteUse(key);
      return stored;
    }
    if (!locked && !isLate) return 'elsewhere';
    let isStored = false;
    try {
      const { bytes, milliseconds } = await this.draw(drawing, request);
      metrics.tileServed(kind, 'drawn');
      if (bytes !== undefined && milliseconds >= storedFrom) isStored = await this.#store(key, bytes, lock);
      return bytes;
    } finally {
      // Only for a tile that was not stored: the storing has announced the others.
      if (locked) locks.unlock(lock, !isStored).catch((error) => this.#warn(error, 'a lock could not be released'));
    }
  }

  /** Without a connection for locks the tile is drawn all the same, possibly by several processes. */
  async #findOrLock(key: TileKey, lock: string): Promise<LockedTile> {
    try {
      return await findOrLockTile(this.#parts.locks, key, lock);
    } catch (error) {
      this.#warn(error, 'a tile is drawn without its lock');
      const stored = await findTile(this.#parts.db, key);
      return { locked: true, bytes: stored?.bytes ?? null, isOld: stored?.isOld ?? false };
    }
  }

  /** A tile that was drawn is sent, also if it cannot be stored. */
  async #store(key: TileKey, bytes: Uint8Array, lock: string): Promise<boolean> {
    const { db, most } = this.#parts;
    try {
      await db.transaction((tx) => storeTile(tx, key, contentOf(bytes, lock)));
    } catch (error) {
      this.#warn(error, 'a drawn tile could not be stored');
      return false;
    }
    if (!this.#cleaned.has(key.blob)) {
      this.#cleaned.set(key.blob, true);
      deleteFormer(db, key).catch((error) => this.#warn(error, NOT_MAINTAINED));
    }
    this.#storedBytes += TILE_BYTES + bytes.length;
    if (this.#storedBytes >= most / 50) this.#evict();
    return true;
  }

  #evict(): void {
    if (this.#isEvicting) return;
    this.#isEvicting = true;
    this.#storedBytes = 0;
    evictTiles(this.#parts.db, this.#parts.most)
      .catch((error) => this.#warn(error, NOT_MAINTAINED))
      .finally(() => {
        this.#isEvicting = false;
      });
  }

  #noteUse(key: TileKey): void {
    this.#parts.db.transaction((tx) => noteUse(tx, key)).catch((error) => this.#warn(error, NOT_MAINTAINED));
  }

  #warn(error: unknown, message: string): void {
    this.#parts.log.warn({ err: error }, message);
  }
}

/** Deletes the tiles of former contents of a dataset, some at a time. */
export async function deleteFormer(
  db: Database,
  { datasetId, blob }: Pick<TileKey, 'datasetId' | 'blob'>,
): Promise<void> {
  while ((await db.transaction((tx) => deleteFormerTiles(tx, datasetId, blob))) > 0);
}

export const contentOf = (bytes: Uint8Array, lock: string) => ({
  hash: hash('sha256', bytes, 'buffer'),
  bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  lock,
});

/** The advisory lock of a tile. */
export const lockNumber = (key: TileKey): string =>
  hash('sha256', `drawn tile ${JSON.stringify(Object.values(key))}`, 'buffer')
    .readBigInt64BE()
    .toString();
