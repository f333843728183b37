import type { StoredTile } from 'hydrofiles/tiles';
import { z } from 'zod';
import { sendBytes, sendText } from '../http/answers/etag-answer.ts';
import { vary } from '../http/answers/vary.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, number, texts } from '../http/rules/members.ts';
import { describeLegend, legendPicture } from './legend.ts';
import { computeMapNet, MapNet } from './map-net.ts';
import { MEDIA_TYPES } from './media-types.ts';
import { publicMetadata, TileMetadata } from './public-metadata.ts';
import { emptyTile, sendRasterTile } from './raster/raster-tiles.ts';
import {
  config,
  DATASET_PATH,
  NetAddress,
  SCHEME_PATH,
  SchemeAddress,
  SliceQuery,
  TAGS,
  TILE_ANSWER,
  TileAddress,
} from './route-parts.ts';
import { getScheme, requestedTiles, type TileParts } from './serve.ts';
import { chosenSlice, parseMercatorIndex, parseTileIndex } from './slices.ts';
import { makeTileJson, TileJson } from './tile-json.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const Limits = component('TileMatrixLimits', {
  tileMatrix: z.string().meta({ description: 'Zoom level, the name of the tile matrix.', example: '3' }),
  minTileRow: z.int().describe('First row.'),
  maxTileRow: z.int().describe('Last row.'),
  minTileCol: z.int().describe('First column.'),
  maxTileCol: z.int().describe('Last column.'),
});

const Availability = component('TileAvailability', {
  schemeId: z.string().meta({ description: 'Id of the scheme.', example: 'depth' }),
  tileMatrixSetLimits: z.array(Limits).describe('Rectangles: a tile has data exactly if it lies in one of them.'),
});

const Legend = component('TileLegend', {
  title: z.string().describe('What the colours show.'),
  unit: z.string().optional().meta({ description: 'Unit of the values.', example: 'm' }),
  minValue: number('Value of the first colour.'),
  maxValue: number('Value of the last colour.', 12.5),
  colors: texts('Colours, spread evenly from minValue to maxValue.', ['#F7FBFF', '#08306B']),
});

/** Raster tiles of datasets of type `tiles`; the Web Map Tile Service: `wmts.routes.ts`. */
export async function tileRoutes(app: App, parts: TileParts) {
  const routes = new Routes(app, { ...config, tags: TAGS });

  routes.get(`${DATASET_PATH}/metadata`, {
    operationId: 'getTileDatasetMetadata',
    summary: 'Returns the tiling schemes of a dataset',
    description:
      'Tile sizes, zoom levels, colours, time steps and layers of the schemes, and the extent of the dataset.',
    params: idParam('dataset'),
    response: { 200: TileMetadata },
    handler: async (request, reply) => {
      const { tiles, dataset } = await requestedTiles(parts, request, request.params.id, 'now');
      const text = JSON.stringify(publicMetadata(tiles.description));
      const { rowVersion: version } = dataset;
      return sendText(request, reply, { text, type: JSON_TYPE, version, lifetime: parts.metadataLifetime });
    },
  });

  routes.get(`${SCHEME_PATH}/:tileMatrix/:tileRow/:tileCol`, {
    operationId: 'getTileDatasetScheme',
    summary: 'Returns a tile',
    description:
      'A WMTS or XYZ tile, depending on the scheme. A tile without data is the empty tile; outside of the matrix 404. Tiles of `levelsOnRequest` are drawn at their first request and kept.',
    params: TileAddress,
    querystring: SliceQuery,
    config: { described: TILE_ANSWER },
    handler: async (request, reply) => {
      const served = await requestedTiles(parts, request, request.params.id, 'lately');
      if (parts.responses.answerAllowed(request, reply)) return reply;
      const { tiles } = served;
      const scheme = getScheme(tiles, request.params.schemeId);
      const index = parseTileIndex(scheme, request.params);
      const slice = chosenSlice(tiles.description, request.query);
      return sendRasterTile(parts.store, served, { scheme, slice, index }, request, reply);
    },
  });

  for (const { path, operationId } of [
    { path: 'emptyTile', operationId: 'getTileDatasetSchemeEmptyTile' },
    { path: 'empty-tile', operationId: 'getEmptyTileWithHyphen' },
  ])
    routes.get(`${SCHEME_PATH}/${path}`, {
      operationId,
      summary: 'Returns the empty tile of a scheme, which replaces all tiles without data',
      params: SchemeAddress,
      config: { described: TILE_ANSWER },
      handler: async (request, reply) => {
        const { tiles, dataset } = await requestedTiles(parts, request, request.params.id, 'lately');
        const scheme = getScheme(tiles, request.params.schemeId);
        const tile: StoredTile = await emptyTile(tiles, scheme);
        return sendBytes(request, reply, {
          ...tile,
          type: MEDIA_TYPES[scheme.outputType],
          version: dataset.rowVersion,
        });
      },
    });

  routes.get(`${SCHEME_PATH}/availability`, {
    operationId: 'getTileDatasetSchemeAvailability',
    summary: 'Returns which tiles of a scheme have data',
    params: SchemeAddress,
    querystring: SliceQuery,
    response: { 200: Availability },
    handler: async (request, reply) => {
      const { tiles, dataset } = await requestedTiles(parts, request, request.params.id, 'now');
      const { schemeId } = getScheme(tiles, request.params.schemeId);
      const slice = chosenSlice(tiles.description, request.query);
      const tileMatrixSetLimits = await tiles.limits(schemeId, slice);
      const text = JSON.stringify({ schemeId, tileMatrixSetLimits });
      return sendText(request, reply, { text, type: JSON_TYPE, version: dataset.rowVersion });
    },
  });

  routes.get(`${SCHEME_PATH}/legend`, {
    operationId: 'getTileDatasetSchemeLegend',
    summary: 'Returns the legend of a scheme',
    description: 'A PNG with the colours and their values; as JSON with `Accept: application/json`.',
    params: SchemeAddress,
    response: { 200: Legend },
    config: {
      described: {
        responses: { 200: { content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } } },
      },
    },
    handler: async (request, reply) => {
      const { tiles, dataset } = await requestedTiles(parts, request, request.params.id, 'now');
      const legend = describeLegend(getScheme(tiles, request.params.schemeId));
      const { rowVersion: version } = dataset;
      vary(reply, 'accept');
      if (/application\/json/i.test(request.headers.accept ?? ''))
        return sendText(request, reply, { text: JSON.stringify(legend), type: JSON_TYPE, version });
      const tile = { bytes: legendPicture(legend), gzip: false };
      return sendBytes(request, reply, { ...tile, type: 'image/png', version });
    },
  });

  routes.get(`${SCHEME_PATH}/tilejson.json`, {
    operationId: 'getTileDatasetSchemeTilejsonJson',
    summary: 'Returns the TileJSON 3.0 of an XYZ scheme',
    description: 'For MapLibre and other viewers. The address of the tiles has the time step and layer of the request.',
    params: SchemeAddress,
    querystring: SliceQuery,
    response: { 200: TileJson },
    handler: async (request, reply) => {
      const { tiles, dataset, url } = await requestedTiles(parts, request, request.params.id, 'now');
      const scheme = getScheme(tiles, request.params.schemeId);
      const slice = chosenSlice(tiles.description, request.query);
      const text = JSON.stringify(makeTileJson(tiles.description, scheme, slice, url));
      return sendText(request, reply, { text, type: JSON_TYPE, version: dataset.rowVersion });
    },
  });

  routes.get(`${SCHEME_PATH}/net/:zoom/:column/:row`, {
    operationId: 'getTileDatasetSchemeNet',
    summary: 'Returns where a tile of Web Mercator lies in the coordinate system of a scheme',
    description:
      'For viewers that know no other coordinate system: between the points of the net the places are nearly linear.',
    params: NetAddress,
    response: { 200: MapNet },
    handler: async (request, reply) => {
      const { tiles, dataset } = await requestedTiles(parts, request, request.params.id, 'lately');
      const scheme = getScheme(tiles, request.params.schemeId);
      const net = await computeMapNet(tiles.description, scheme, parseMercatorIndex(request.params));
      return sendText(request, reply, { text: JSON.stringify(net), type: JSON_TYPE, version: dataset.rowVersion });
    },
  });
}
