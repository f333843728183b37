import { loadOnce } from 'hydrofiles/caches';
import type { TileNumber } from 'hydrofiles/tile-drawing';
import { LRUCache } from 'lru-cache';
import { DrawThreads } from '../draw-threads.ts';

/** The deepest level: a unit of its tiles is 150 m, finer than the data. Viewers enlarge its tiles. */
export const DEEPEST_LEVEL = 6;

/** Tiles of all levels; together they have 5 MB. */
const MOST_TILES = (4 ** (DEEPEST_LEVEL + 1) - 1) / 3;

/**
 * Tiles of land, borders and names of countries. Each is drawn at its first request, by the one thread that holds the
 * data, and stays in memory.
 */
export class WorldTiles {
  readonly #threads = new DrawThreads(new URL('./basemap-thread.ts', import.meta.url), 1);
  readonly #tiles = new LRUCache<string, Promise<Uint8Array | undefined>>({ max: MOST_TILES });

  /** Gzipped; undefined: nothing lies in it. */
  tile(tile: TileNumber): Promise<Uint8Array | undefined> {
    return loadOnce(this.#tiles, `${tile.level}/${tile.column}/${tile.row}`, () => {
      // a client that leaves does not end it: others will want the tile
      const { signal } = new AbortController();
      return this.#threads.use({ tenant: 'everybody', signal }, (draw) => draw(tile));
    });
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
