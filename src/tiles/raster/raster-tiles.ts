import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type DrawnScheme,
  isUnzipped,
  type StoredTile,
  type StoredTiles,
  type TileIndex,
  type TileSlice,
} from 'hydrofiles/tiles';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import { sendBytes } from '../../http/answers/etag-answer.ts';
import type { TileRequest } from '../draw-threads.ts';
import { MEDIA_TYPES } from '../media-types.ts';
import { type ServedTiles, tileRequest } from '../serve.ts';
import type { TileDrawing, TileStore } from '../store/tile-store.ts';
import type { RasterJob } from './raster-thread.ts';

/** The script of the threads. */
export const RASTER_THREAD = new URL('./raster-thread.ts', import.meta.url);

export interface RasterTile {
  readonly scheme: DrawnScheme;
  readonly slice: TileSlice;
  readonly index: TileIndex;
}

/** Sends a tile of a dataset; the empty one where there are no data. */
export async function sendRasterTile(
  store: TileStore,
  served: Pick<ServedTiles, 'tiles' | 'dataset'>,
  tile: RasterTile,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: TileRequest = tileRequest(request, reply, served.dataset),
): Promise<FastifyReply> {
  const { tiles, dataset } = served;
  const { scheme } = tile;
  const found = (await rasterTile(store, served, tile, asked)) ?? (await emptyTile(tiles, scheme));
  const { rowVersion: version } = dataset;
  return sendBytes(request, reply, { ...found, type: MEDIA_TYPES[scheme.outputType], version });
}

/** A tile of the archive of a dataset, or drawn on request. Undefined where there are no data. */
export async function rasterTile(
  store: TileStore,
  { tiles, dataset }: Pick<ServedTiles, 'tiles' | 'dataset'>,
  tile: RasterTile,
  request: TileRequest,
): Promise<StoredTile | undefined> {
  const { scheme, slice, index } = tile;
  if (!scheme.levelsOnRequest?.includes(index[0])) return tiles.tile(scheme.schemeId, slice, index);
  if (!(await tiles.hasData(scheme.schemeId, slice, index))) return undefined;
  const bytes = await store.tile(rasterDrawing(dataset, tiles, tile), request);
  return bytes && { bytes, gzip: !isUnzipped(scheme.outputType) };
}

/** How a tile of a level on request is drawn of the values in the archive of the dataset. */
export function rasterDrawing(
  { id, blob }: ServedDataset,
  tiles: StoredTiles,
  { scheme: { schemeId }, slice, index }: RasterTile,
): TileDrawing {
  const [level, column, row] = index;
  const job: RasterJob = { blob: blob!, size: tiles.size, schemeId, slice, index };
  return {
    kind: 'raster',
    key: { datasetId: id, blob: blob!, schemeId, ...slice, level, column, row },
    storedFrom: 0,
    draw: (draw) => draw(job, { read: (offset, length) => tiles.read(offset, length) }),
  };
}

const emptyTiles = new WeakMap<StoredTiles, Map<string, StoredTile>>();

/** The tile without data, in the form in which tiles of the scheme are stored. */
export async function emptyTile(tiles: StoredTiles, { schemeId, outputType }: DrawnScheme): Promise<StoredTile> {
  const known = emptyTiles.get(tiles) ?? new Map<string, StoredTile>();
  emptyTiles.set(tiles, known);
  let tile = known.get(schemeId);
  if (tile === undefined) {
    const bytes = await tiles.emptyTile(schemeId);
    tile = MEDIA_TYPES[outputType].startsWith('image/')
      ? { bytes, gzip: false }
      : { bytes: gzipSync(bytes), gzip: true };
    known.set(schemeId, tile);
  }
  return tile;
}
