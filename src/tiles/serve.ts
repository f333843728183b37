import { gzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { FormatError } from 'hydrofiles/errors';
import { type DrawnScheme, isUnzipped, type StoredTile, type StoredTiles, type TileSlice } from 'hydrofiles/tiles';
import { type Served, servedDataset } from '../datasets/served.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import type { ResponseCache } from '../http/cache/response-cache.ts';
import { callerOf } from '../http/rules/auth.ts';
import { askerOf, expiryOf } from '../http/rules/signed-link.ts';
import type { LinkSigner } from '../uploads/address.ts';
import type { Place } from './capabilities.ts';
import type { TileRequest } from './draw-threads.ts';
import { MEDIA_TYPES } from './media-types.ts';
import type { OpenTiles } from './open-tiles.ts';
import { rasterDrawing } from './raster/raster-drawing.ts';
import type { TileStore } from './store/tile-store.ts';

/** What decides whether a request may read a dataset. */
export interface RightParts {
  readonly db: Database;
  /** Verifies signed links. */
  readonly signer: LinkSigner;
  /** Rights that were checked lately, and tiles that were sent before. */
  readonly responses: ResponseCache<Served>;
}

export interface TileParts extends RightParts {
  readonly publicUrl: string | undefined;
  /** ms for which clients may keep the metadata of tiles. */
  readonly metadataLifetime: number;
  readonly open: OpenTiles;
  readonly store: TileStore;
}

export interface WantedTile {
  readonly scheme: DrawnScheme;
  readonly slice: TileSlice;
  readonly place: readonly [level: number, column: number, row: number];
  /** Called only if the tile is drawn on request. */
  request(): TileRequest;
}

/** A tiles dataset that the request may read. */
export interface ServedTiles extends Served {
  readonly tiles: StoredTiles;
  readonly place: Place;
}

/**
 * `now`: a description is never older than the last write. `lately`: a tile may be as old as the right to read it,
 * which this process has checked within the last second.
 */
export type Checked = 'now' | 'lately';

/** The dataset of a request that may read it. */
export async function readableDataset(
  parts: RightParts,
  request: FastifyRequest,
  id: string,
  checked: Checked,
): Promise<Served> {
  if (checked === 'now') return servedDataset(parts, askerOf(request), id);
  const right = await parts.responses.right(request, id, async () => {
    const asker = askerOf(request);
    const subject = await servedDataset(parts, asker, id);
    const { rowVersion: version } = subject.dataset;
    return { subject, version, expires: expiryOf(asker), caller: callerOf(request) };
  });
  return right.subject;
}

/** @param origin scheme and host of addresses in the answer */
export async function servedTiles(
  parts: TileParts,
  request: FastifyRequest,
  id: string,
  { origin, checked }: { origin: string; checked: Checked },
): Promise<ServedTiles> {
  const served = await readableDataset(parts, request, id, checked);
  const tiles = await parts.open.of(served.dataset);
  const base = `${origin}/api/tiles/dataset/${id}`;
  return { ...served, tiles, place: { base, name: served.dataset.name, signature: served.signature } };
}

/** @throws AppError `notFound` for an unknown scheme */
export function schemeOf(tiles: StoredTiles, schemeId: string): DrawnScheme {
  const scheme = tiles.scheme(schemeId);
  if (scheme !== undefined) return scheme;
  const ids = tiles.description.tilingSchemes.map((one) => `'${one.schemeId}'`).join(', ');
  throw new AppError('notFound', `There is no scheme '${schemeId.slice(0, 100)}'. There are ${ids}.`, {
    code: 'InvalidParameterValue',
  });
}

const emptyTiles = new WeakMap<StoredTiles, Map<string, StoredTile>>();

/** The tile without data, in the form in which tiles of the scheme are stored. */
export async function emptyTileOf(tiles: StoredTiles, { schemeId, outputType }: DrawnScheme): Promise<StoredTile> {
  const kept = emptyTiles.get(tiles) ?? new Map<string, StoredTile>();
  emptyTiles.set(tiles, kept);
  let tile = kept.get(schemeId);
  if (tile === undefined) {
    const bytes = await tiles.emptyTile(schemeId);
    tile = MEDIA_TYPES[outputType].startsWith('image/')
      ? { bytes, gzip: false }
      : { bytes: gzipSync(bytes), gzip: true };
    kept.set(schemeId, tile);
  }
  return tile;
}

/** A tile; the empty one where there are no data. */
export async function tileAt(
  { store }: Pick<TileParts, 'store'>,
  { tiles, dataset }: ServedTiles,
  { scheme, slice, place, request }: WantedTile,
): Promise<StoredTile> {
  const { schemeId, levelsOnRequest, outputType } = scheme;
  return fromStored(dataset, async () => {
    if (!levelsOnRequest?.includes(place[0]))
      return (await tiles.tile(schemeId, slice, place)) ?? emptyTileOf(tiles, scheme);
    const hasData = await tiles.hasData(schemeId, slice, place);
    const bytes = hasData
      ? await store.tile(rasterDrawing(dataset, tiles, { scheme, slice, place }), request)
      : undefined;
    return bytes === undefined ? emptyTileOf(tiles, scheme) : { bytes, gzip: !isUnzipped(outputType) };
  });
}

/** What is read of stored tiles. Anybody who may write the dataset can put other bytes there: damaged ones are 422. */
export async function fromStored<T>({ id }: Served['dataset'], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${id}': ${error.message}`);
    throw error;
  }
}
