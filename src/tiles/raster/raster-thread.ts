import { loadOnce } from 'hydrofiles/caches';
import { answerTasks } from 'hydrofiles/threads';
import { TileDrawer } from 'hydrofiles/tile-drawing';
import { StoredTiles, type TileIndex, type TileSlice } from 'hydrofiles/tiles';
import { LRUCache } from 'lru-cache';
import type { DrawContext } from '../draw-threads.ts';
import { answerPreview, type PreviewJob } from './preview-drawer.ts';

/** A tile to be drawn of the values in a blob. */
export interface RasterJob {
  readonly blob: string;
  readonly size: number;
  readonly schemeId: string;
  readonly slice: TileSlice;
  readonly index: TileIndex;
}

/** Schemes whose directories and last used values are in memory. */
const MOST_OPEN = 4;

/** The source of the running job: a scheme that stays open is read for many jobs, always of the same blob. */
let current: DrawContext | undefined;
const open = new LRUCache<string, Promise<TileDrawer>>({
  max: MOST_OPEN,
  dispose: (drawer) =>
    void drawer.then(
      (one) => one.close(),
      () => undefined,
    ),
});

function drawerOf({ blob, size, schemeId }: RasterJob): Promise<TileDrawer> {
  return loadOnce(open, `${blob} ${schemeId}`, async () => {
    const read = (offset: number, length: number) => {
      current!.throwIfAborted();
      return current!.ask({ offset, length });
    };
    return TileDrawer.open(await StoredTiles.open({ size, read }), schemeId);
  });
}

answerTasks(async (job: RasterJob | PreviewJob, context: DrawContext): Promise<Uint8Array | undefined> => {
  if ('preview' in job) return answerPreview(job, context);
  current = context;
  const drawer = await drawerOf(job);
  return drawer.draw(job.slice, job.index, context.throwIfAborted);
});
