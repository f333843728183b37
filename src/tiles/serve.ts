import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConversionError, FormatError } from 'hydrofiles/errors';
import type { DrawnScheme, StoredTiles } from 'hydrofiles/tiles';
import { type Served, servedDataset } from '../datasets/served.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import { clientLeft } from '../http/answers/client-left.ts';
import { publicBase } from '../http/answers/public-base.ts';
import type { ResponseCache } from '../http/cache/response-cache.ts';
import { readAsker, shareOf } from '../http/rules/signed-link.ts';
import type { LinkSigner } from '../uploads/address.ts';
import type { TilesUrl } from './capabilities.ts';
import type { TileRequest } from './draw-threads.ts';
import type { OpenTiles } from './open-tiles.ts';
import type { TileStore } from './store/tile-store.ts';

/** Services that decide whether a request may read a dataset. */
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

/** A tiles dataset that the request may read. */
export interface ServedTiles extends Served {
  readonly tiles: StoredTiles;
  readonly url: TilesUrl;
}

/**
 * `now`: a description is never older than the last write. `lately`: a tile may be as old as the right to read it,
 * which this process has checked within the last second.
 */
export type Checked = 'now' | 'lately';

/** The dataset of a request that may read it. */
export async function requestedDataset(
  parts: RightParts,
  request: FastifyRequest,
  id: string,
  checked: Checked,
): Promise<Served> {
  const asker = readAsker(request);
  const read = () => servedDataset(parts, asker, id);
  return checked === 'now' ? read() : parts.responses.readLately(request, id, read);
}

/** The tiles dataset of a request that may read it. */
export async function requestedTiles(
  parts: TileParts,
  request: FastifyRequest,
  id: string,
  checked: Checked,
): Promise<ServedTiles> {
  const served = await requestedDataset(parts, request, id, checked);
  const tiles = await parts.open.of(served.dataset);
  const base = `${publicBase(parts.publicUrl, request)}/api/tiles/dataset/${id}`;
  return { ...served, tiles, url: { base, name: served.dataset.name, signature: served.signature } };
}

/** @throws AppError `notFound` for an unknown scheme */
export function getScheme(tiles: StoredTiles, schemeId: string): DrawnScheme {
  const scheme = tiles.scheme(schemeId);
  if (scheme !== undefined) return scheme;
  const ids = tiles.description.tilingSchemes.map((one) => `'${one.schemeId}'`).join(', ');
  throw new AppError('notFound', `There is no scheme '${schemeId.slice(0, 100)}'. There are ${ids}.`, {
    code: 'InvalidParameterValue',
  });
}

/** Whose share of the drawing threads a request takes, and when its client leaves; a signed link has its own share. */
export function tileRequest(request: FastifyRequest, reply: FastifyReply, { id }: Served['dataset']): TileRequest {
  const asker = readAsker(request);
  const tenant = shareOf(asker, id);
  return { tenant, signal: clientLeft(reply) };
}

/**
 * Content that cannot be read or drawn is 422, with the id of the dataset: anybody who may write it can put other bytes
 * there. A coordinate system that is not known is a wrong request elsewhere, and here a fault of the content.
 */
export function namingDataset(error: unknown, { params }: FastifyRequest): unknown {
  if (!(error instanceof FormatError || error instanceof ConversionError)) return error;
  const { id } = params as { id?: string };
  // the holder of a link to a dataset does not learn its id
  return new AppError('unprocessable', id === undefined ? error.message : `Dataset '${id}': ${error.message}`);
}
