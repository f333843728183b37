import type { FastifyReply, FastifyRequest } from 'fastify';
import { ASKED_AGAIN, sendBytes } from '../http/answers/etag-answer.ts';
import { MEDIA_TYPES, VECTOR_TILE_TYPE } from '../tiles/media-types.ts';
import { rasterTile } from '../tiles/raster/raster-tiles.ts';
import { outOfRange } from '../tiles/slices.ts';
import type { TileServices } from '../tiles/tile-services.ts';
import { type ChosenTile, schemeKey } from './chosen-tile.ts';
import type { MissingOverview } from './drawable-content.ts';
import type { Previews } from './previews.ts';
import { schemeOf } from './stored-tiles.ts';
import { beingMade, type Drawable, type PreviewSubject, requestOf } from './subject.ts';

/** Faster drawings are about as fast as the store. */
const SLOW_MS = 30;

/** Pixels of a tile, and deepest levels whose pixels are smaller than cells. */
const [TILE_PIXELS, LEVELS_OF_SMALLER_PIXELS] = [256 * 256, 2];

const TYPES = {
  png: { type: 'image/png', gzip: false },
  webp: { type: 'image/webp', gzip: false },
  values: { type: 'application/octet-stream', gzip: true },
  vector: { type: VECTOR_TILE_TYPE, gzip: true },
} as const;

export interface TileSending {
  readonly previews: Previews;
  readonly drawn: TileServices;
}

/** Sends a tile of a preview; 204 if nothing lies in it. */
export async function sendPreviewTile(
  { previews, drawn }: TileSending,
  subject: PreviewSubject,
  { content, description, missing }: Drawable,
  tile: ChosenTile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { dataset } = subject;
  const { rowVersion: version } = dataset;
  const { format, z, x, y, scale, item, step, layer, scheme, isUsual } = tile;
  const place = { step, layer, level: z, column: x, row: y };
  if (!description.tiles[format === 'vector' ? 'vector' : format === 'values' ? 'values' : 'raster'])
    throw outOfRange(description.reason ?? `The preview has no tiles of this kind.`);
  if (content.access === 'tiles') {
    const tiles = await previews.tilesOf(content);
    const stored = schemeOf(tiles, tile);
    const found = stored.zoomLevels.includes(z)
      ? await rasterTile(
          drawn.store,
          { tiles, dataset },
          { scheme: stored, slice: { step, layer }, index: [z, x, y] },
          requestOf(reply, subject),
        )
      : undefined;
    if (found === undefined) return nothing(reply);
    return sendBytes(request, reply, { ...found, type: MEDIA_TYPES[stored.outputType], version });
  }
  if (missing !== undefined && cellsBelow(z, description.deepest, missing) > missing.most)
    throw beingMade('The overview for this zoom level is being made.');
  const { layers, levels } = tile;
  const shown = { z, x, y, item, step, layer, scheme };
  const task =
    format === 'vector'
      ? ({ ask: 'vectorTile', tile: { ...shown, ...(layers && { layers }), ...(levels && { levels }) } } as const)
      : ({ ask: 'tile', tile: { ...shown, format, scale } } as const);
  const storedFrom = isUsual ? SLOW_MS : Number.POSITIVE_INFINITY;
  const drawing = previews.drawing(dataset, content, task, { schemeId: schemeKey(tile), ...place }, storedFrom);
  const bytes = await drawn.store.tile(drawing, requestOf(reply, subject));
  return bytes === undefined ? nothing(reply) : sendBytes(request, reply, { bytes, ...TYPES[format], version });
}

/** About so many cells of a grid lie in a tile: at a level before the deepest one its pixels have their size. */
const cellsBelow = (z: number, deepest: number, { cells }: MissingOverview) =>
  Math.min(cells, TILE_PIXELS * 4 ** (deepest - LEVELS_OF_SMALLER_PIXELS - z));

function nothing(reply: FastifyReply): FastifyReply {
  reply.header('cache-control', ASKED_AGAIN);
  return reply.code(204).send();
}
