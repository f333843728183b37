import { TileDrawer } from 'hydrofiles/tile-drawing';
import { StoredTiles, type TileSlice } from 'hydrofiles/tiles';
import { answerJobs, type ThreadJob } from '../thread-jobs.ts';

/** A tile to be drawn of the values in a blob. */
export interface RasterJob {
  readonly blob: string;
  readonly size: number;
  readonly schemeId: string;
  readonly slice: TileSlice;
  readonly place: readonly [level: number, column: number, row: number];
}

/** Schemes whose directories and last used values are in memory. */
const MOST_OPEN = 4;

/** The source of the running job: a scheme that stays open is read for many jobs, always of the same blob. */
let current: ThreadJob | undefined;
/** Least recently used first. */
const open = new Map<string, Promise<TileDrawer>>();

function drawerOf({ blob, size, schemeId }: RasterJob): Promise<TileDrawer> {
  const key = `${blob} ${schemeId}`;
  let drawer = open.get(key);
  if (drawer === undefined) {
    const read = (offset: number, length: number) => {
      current!.throwIfCancelled();
      return current!.read(offset, length);
    };
    drawer = StoredTiles.open({ size, read }).then((tiles) => TileDrawer.open(tiles, schemeId));
    drawer.catch(() => open.delete(key));
  }
  open.delete(key);
  open.set(key, drawer);
  if (open.size > MOST_OPEN) {
    const [oldest, one] = open.entries().next().value!;
    open.delete(oldest);
    one.then(
      (done) => done.close(),
      () => undefined,
    );
  }
  return drawer;
}

answerJobs<RasterJob>(async (job, context) => {
  current = context;
  const drawer = await drawerOf(job);
  return drawer.draw(job.slice, job.place, context.throwIfCancelled);
});
