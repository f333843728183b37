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

export interface TileServices {
  readonly open: OpenTiles;
  readonly store: TileStore;
  readonly vector: VectorSources;
  close(): Promise<void>;
}

/** What the routes of tiles share: open datasets, threads that draw, and drawn tiles. */
export function openTileServices(parts: TileServiceParts): TileServices {
  const { db, databaseUrl, blobs, stores, keptBytes: most, log, metrics } = parts;
  const threadsOf = (kind: TileKind, script: URL) => {
    const threads = new DrawThreads(script, parts.threads);
    metrics.watchDrawings(kind, () => threads.counts);
    return threads;
  };
  const threads = { raster: threadsOf('raster', RASTER_THREAD), vector: threadsOf('vector', VECTOR_THREAD) };
  const sources = new BlobSources(blobs);
  const open = new OpenTiles(sources);
  const vector = new VectorSources(sources, stores);
  const locks = new SessionLocks({ databaseUrl, channel: DRAWN, applicationName: 'platform tiles' });
  return {
    open,
    vector,
    store: new TileStore({ db, locks, threads, most, log, metrics }),
    async close() {
      await threads.vector.close();
      await vector.close();
      await locks.close();
      await threads.raster.close();
      await open.close();
    },
  };
}
