import type { Stores } from '../arrays/stores.ts';
import { BlobSources } from '../blobs/blob-source.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { SessionLocks } from '../platform/postgres/session-locks.ts';
import { DrawThreads } from './draw-threads.ts';
import { OpenTiles } from './open-tiles.ts';
import { DRAWN } from './raster/kept-tiles.queries.ts';
import { KeptTiles, type KeptTilesParts, RASTER_THREAD, type TileOrigin } from './raster/kept-tiles.ts';
import { VectorOverviews } from './vector/overviews.ts';
import { VECTOR_THREAD, VectorDrawings, type VectorTileOrigin } from './vector/vector-drawings.ts';
import { VectorSources } from './vector/vector-source.ts';

type Kind = 'raster' | 'vector';

/** Where drawings are counted. */
interface DrawingMetrics {
  watchDrawings(kind: Kind, counts: () => { waiting: number; drawing: number }): void;
  tileOnRequest(origin: TileOrigin): void;
  vectorTile(origin: VectorTileOrigin): void;
  tileDrawn(kind: Kind, outcome: 'ok' | 'cancelled' | 'error', seconds: number): void;
}

export interface TileServiceParts {
  readonly db: Db;
  /** For the connection that holds the locks of tiles. */
  readonly databaseUrl: string;
  readonly blobs: BlobStore;
  readonly stores: Stores;
  /** Threads of each kind of tiles. */
  readonly threads: number;
  /** Bytes of raster tiles in the database. */
  readonly keptBytes: number;
  readonly log: KeptTilesParts['log'];
  readonly metrics: DrawingMetrics;
}

export interface TileServices {
  readonly open: OpenTiles;
  /** Raster tiles that are drawn at their first request. */
  readonly onRequest: KeptTiles;
  readonly vector: VectorSources;
  close(): Promise<void>;
}

/** What the routes of tiles share: open archives, threads that draw, and tiles that are kept. */
export function openTileServices(parts: TileServiceParts): TileServices {
  const { db, databaseUrl, blobs, stores, threads, keptBytes, log, metrics } = parts;
  const threadsOf = (kind: Kind, script: URL) => {
    const made = new DrawThreads(script, threads);
    metrics.watchDrawings(kind, () => made.counts);
    return made;
  };
  const [rasterThreads, vectorThreads] = [threadsOf('raster', RASTER_THREAD), threadsOf('vector', VECTOR_THREAD)];
  const sources = new BlobSources(blobs);
  const open = new OpenTiles(sources);
  const locks = new SessionLocks({ databaseUrl, channel: DRAWN, applicationName: 'platform tiles' });
  const onRequest = new KeptTiles({
    db,
    locks,
    open,
    threads: rasterThreads,
    most: keptBytes,
    log,
    count: metrics.tileOnRequest,
    drawn: (outcome, seconds) => metrics.tileDrawn('raster', outcome, seconds),
  });
  const drawings = new VectorDrawings({
    threads: vectorThreads,
    count: metrics.vectorTile,
    drawn: (outcome, seconds) => metrics.tileDrawn('vector', outcome, seconds),
  });
  const overviews = new VectorOverviews({ db, sources, log });
  const vector = new VectorSources(sources, { stores, drawings, overviews });
  return {
    open,
    onRequest,
    vector,
    async close() {
      await vectorThreads.close();
      await vector.close();
      await overviews.close();
      await locks.close();
      await rasterThreads.close();
      await open.close();
    },
  };
}
