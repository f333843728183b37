import { drawBasemapTile } from '@data-platform/web/basemap';
import { answerTasks } from 'hydrofiles/threads';
import type { TileNumber } from 'hydrofiles/tile-drawing';
import type { DrawContext } from '../draw-threads.ts';

/** Draws one tile of the base map and answers with its gzipped bytes; undefined if nothing lies in it. */
answerTasks(
  async (tile: TileNumber, { throwIfAborted }: DrawContext): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    throwIfAborted();
    return drawBasemapTile(tile);
  },
  (bytes) => (bytes === undefined ? [] : [bytes.buffer]),
);
