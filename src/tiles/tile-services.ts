import type { Stores } from '../arrays/stores.ts';
import { BlobSources } from '../blobs/blob-source.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { SessionLocks } from '../platform/postgres/session-locks.ts';
import { DrawThreads } from './draw-threads.ts';
import { OpenTiles } from './open-tiles.ts';
import { RASTER_THREAD } from './raster/raster-tiles.ts';
import { DRAWN } from './store/tile-store.queries.ts';
import { type TileKind, TileStore, type TileStoreParts } from './store/tile-store.ts';
import { VectorSources } from './vector/vector-source.ts';

const VECTOR_THREAD = new URL('./vector/vector-thread.ts', import.meta.url);

export interface TileServiceParts {
  readonly db: Database;
  /** For the connection that holds the locks of tiles. */
  readonly databaseUrl: string;
  readonly blobs: BlobStore;
  readonly stores: Stores;
  /** Threads of each kind of tiles. */
  readonly threads: number;
  /** Bytes of drawn tiles in the database. */
  readonly keptBytes: number;
  readonly log: TileStoreParts['log'];
  readonly metrics: TileStoreParts['metrics'] & {
    watchDrawings(kind: TileKind, counts: () => { waiting: number; drawing: number }): void;
  };
}

/** What the routes of tiles share: open datasets, threads that draw, and drawn tiles. */
export class TileServices {
  readonly open: OpenTiles;
  readonly store: TileStore;
  readonly vector: VectorSources;
  readonly #threads: Record<TileKind, DrawThreads>;
  readonly #locks: SessionLocks;

  constructor({ db, databaseUrl, blobs, stores, threads, keptBytes: most, log, metrics }: TileServiceParts) {
    const sources = new BlobSources(blobs);
    this.open = new OpenTiles(sources);
    this.vector = new VectorSources(sources, stores);
    this.#threads = {
      raster: new DrawThreads(RASTER_THREAD, threads),
      vector: new DrawThreads(VECTOR_THREAD, threads),
    };
    for (const kind of ['raster', 'vector'] as const) metrics.watchDrawings(kind, () => this.#threads[kind].counts);
    this.#locks = new SessionLocks({ databaseUrl, channel: DRAWN, applicationName: 'platform tiles' });
    this.store = new TileStore({ db, locks: this.#locks, threads: this.#threads, most, log, metrics });
  }

  async close(): Promise<void> {
    await this.#threads.vector.close();
    await this.vector.close();
    await this.#locks.close();
    await this.#threads.raster.close();
    await this.open.close();
  }
}
