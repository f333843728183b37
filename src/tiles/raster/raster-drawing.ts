import type { DrawnScheme, StoredTiles, TileSlice } from 'hydrofiles/tiles';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { TileDrawing } from '../store/tile-store.ts';
import type { RasterJob } from './raster-thread.ts';

/** The script of the threads. */
export const RASTER_THREAD = new URL('./raster-thread.ts', import.meta.url);

/** A tile of a level that is drawn on request, of the values in the archive of the dataset. */
export function rasterDrawing(
  { id, blob }: ServedDataset,
  tiles: StoredTiles,
  {
    scheme: { schemeId },
    slice,
    place,
  }: {
    readonly scheme: DrawnScheme;
    readonly slice: TileSlice;
    readonly place: readonly [level: number, column: number, row: number];
  },
): TileDrawing {
  const [level, column, row] = place;
  const job: RasterJob = { blob: blob!, size: tiles.size, schemeId, slice, place };
  return {
    kind: 'raster',
    key: { datasetId: id, blob: blob!, schemeId, ...slice, level, column, row },
    storedFrom: 0,
    draw: (draw) => draw(job, { read: (offset, length) => tiles.read(offset, length) }),
  };
}
