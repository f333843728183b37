import type { FastifyReply } from 'fastify';
import { sendText } from '../http/answers/etag-answer.ts';
import { PREFER } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { preferredWait } from '../http/rules/prefer.ts';
import { chosenTile } from './chosen-tile.ts';
import type { PreviewPlace } from './place.ts';
import { Preview, PreviewTileQuery, TILE_ANSWER, TileFile } from './route-forms.ts';
import { sendPreviewTile, type TileSending } from './send-tile.ts';
import { drawable, lookAt, type PreviewSubject, requestOf, type SubjectParts } from './subject.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface PreviewRoutes extends SubjectParts, TileSending {
  readonly place: PreviewPlace;
}

/** The routes that read a preview, for callers and for the holders of links. */
export async function previewRoutes(app: App, { place, ...parts }: PreviewRoutes) {
  const { path, params, named, note, config, onRequest } = place;
  const routes = new Routes(app, config);
  app.setErrorHandler((error) => {
    throw place.failure(error);
  });
  if (onRequest !== undefined) app.addHook('onRequest', onRequest);

  routes.get(path, {
    operationId: `getPreview${named.operation}`,
    summary: `Describes what can be drawn of ${named.summary}: items, steps, layers, colours, addresses of tiles`,
    description: [
      'A content that cannot be drawn as it is stored gets a store, which a job makes: `building` with `progress`.',
      '`Prefer: wait=N` delays the answer until it is made, by at most 60 seconds.',
      note,
    ].join(' '),
    params,
    response: { 200: Preview },
    config: { described: { parameters: [PREFER] } },
    handler: async (request, reply) => {
      const subject = await place.subject(request, 'now');
      const wait = preferredWait(request, reply) ?? 0;
      const answer = await describe(parts, subject, reply, wait);
      return sendText(request, reply, {
        text: JSON.stringify(answer),
        type: JSON_TYPE,
        version: subject.dataset.rowVersion,
      });
    },
  });

  routes.get(`${path}/:zoom/:column/:file`, {
    operationId: `getPreviewTile${named.operation}`,
    summary: `Returns a tile of Web Mercator of ${named.summary}`,
    description: [
      '`{row}.png`, `{row}@2x.png`, `.webp`, `.values` (Float32) or `.vector.pbf`.',
      '503 `PreviewBuilding` while the store is made. Wrong items, colours and ranges are 400, too deep levels 404.',
      note,
    ].join(' '),
    params: params.extend(TileFile.shape),
    querystring: PreviewTileQuery,
    config: { described: TILE_ANSWER },
    handler: async (request, reply) => {
      const subject = await place.subject(request, 'lately');
      if (place.answered(request, reply)) return reply;
      const shown = await drawable(parts, subject, requestOf(reply, subject));
      const tile = chosenTile(shown.description, request.params as never, request.query);
      return sendPreviewTile(parts, subject, shown, tile, request, reply);
    },
  });
}

async function describe(
  parts: SubjectParts,
  subject: PreviewSubject,
  reply: FastifyReply,
  wait: number,
): Promise<Preview> {
  const found = await lookAt(parts, subject, requestOf(reply, subject), wait);
  if (!('content' in found)) return found;
  const { tiles, items, layers, bbox, coarsest: _, ...description } = found.description;
  const address = (extension: string) =>
    `${subject.base}/{z}/{x}/{y}.${extension}${subject.signature === undefined ? '' : `?${subject.signature}`}`;
  return {
    state: 'ready',
    ...(description as Omit<Preview, 'state'>),
    items: [...items],
    layers: layers as Preview['layers'],
    ...(bbox !== undefined && { bbox: [...bbox] }),
    tiles: {
      ...(tiles.raster && { raster: address(tiles.picture ?? 'png') }),
      ...(tiles.values && { values: address('values') }),
      ...(tiles.vector && { vector: address('vector.pbf') }),
    },
  };
}
