import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { findServed, type ServedDataset } from '../../datasets/served.queries.ts';
import type { Reads } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { ASKED_AGAIN, sendBytes } from '../../http/answers/etag-answer.ts';
import { BINARY } from '../../http/openapi/headers.ts';
import { type Access, type App, Routes } from '../../http/route.ts';
import { component } from '../../http/rules/members.ts';
import type { TileRequest } from '../draw-threads.ts';
import { MEDIA_TYPES, VECTOR_TILE_TYPE } from '../media-types.ts';
import type { OpenTiles } from '../open-tiles.ts';
import { sendRasterTile } from '../raster/raster-tiles.ts';
import { outOfRange, parseInteger, parseMercatorIndex } from '../slices.ts';
import type { TileStore } from '../store/tile-store.ts';
import type { VectorSources } from '../vector/vector-source.ts';

/** The maps that the datasets lie below, and who may see them. */
export interface BasemapPlace {
  readonly path: string;
  readonly params: z.ZodObject;
  readonly config: {
    readonly access: Access;
    readonly service: 'tiles' | 'none';
    readonly tags: string[];
    readonly signedLinks?: boolean;
  };
  /** Within the names of operations, and the end of their summaries. */
  readonly named: { readonly operation: string; readonly summary: string };
  readonly onRequest?: onRequestAsyncHookHandler;
  /** The error that is sent instead of this one. */
  failure(error: unknown, request: FastifyRequest): unknown;
  /** @throws AppError for a request that may not see the map */
  ask(request: FastifyRequest, reply: FastifyReply): Promise<TileRequest>;
}

export interface BasemapParts {
  readonly db: Reads;
  readonly open: OpenTiles;
  readonly vector: VectorSources;
  readonly store: TileStore;
  /** Ids of the datasets that lie below every map, from the lowest. */
  readonly datasetIds: readonly string[];
  readonly log: { warn(details: object, message: string): void };
}

/** The deepest level of vector tiles: the map enlarges them. */
const DEEPEST_VECTOR = 14;
const FIRST = { step: 0, layer: 0 };

const BasemapLayers = component('BasemapLayers', {
  layers: z
    .array(
      z.object({
        number: z.int().describe('Number in the address of its tiles.'),
        type: z.enum(['raster', 'vector']).describe('PNG or WebP, or Mapbox Vector Tiles with the layer `features`.'),
        bounds: z.array(z.number()).describe('West, south, east, north in degrees.'),
        minzoom: z.int().describe('Level with the least detail.'),
        maxzoom: z.int().describe('Level with the most detail.'),
      }),
    )
    .describe('From the lowest.'),
});
type Layer = z.infer<typeof BasemapLayers>['layers'][number];

const boundsOf = ({ west, south, east, north }: Record<'west' | 'south' | 'east' | 'north', number>) =>
  east > 180 ? [-180, south, 180, north] : [west, south, east, north];

/**
 * Datasets of the operator below every map. Who may read a dataset may see these below it, and nothing else of them:
 * neither their names nor their attributes.
 */
export async function basemapLayerRoutes(app: App, { place, ...parts }: BasemapParts & { place: BasemapPlace }) {
  const { path, params, config, named } = place;
  const routes = new Routes(app, config);
  if (place.onRequest) app.addHook('onRequest', place.onRequest);
  app.setErrorHandler((error, request) => {
    throw place.failure(error, request);
  });

  async function rasterScheme(dataset: ServedDataset) {
    const tiles = await parts.open.of(dataset);
    const isPicture = ({ schemeType, outputType }: { schemeType: string; outputType: string }) =>
      schemeType === 'XYZ' && (outputType === 'PNG' || outputType === 'WEBP');
    const found = tiles.description.tilingSchemes.find(isPicture);
    if (found === undefined) throw new AppError('notFound', `Dataset '${dataset.id}' has no XYZ scheme of pictures.`);
    return { tiles, scheme: tiles.scheme(found.schemeId)! };
  }

  async function describe(dataset: ServedDataset, number: number): Promise<Layer | undefined> {
    if (dataset.datasetType === 'tiles') {
      const { tiles, scheme } = await rasterScheme(dataset);
      const [west, south, east, north] = tiles.description.geographicBox;
      const [minzoom, maxzoom] = [scheme.zoomLevels[0]!, scheme.zoomLevels.at(-1)!];
      return { number, type: 'raster', bounds: boundsOf({ west, south, east, north }), minzoom, maxzoom };
    }
    const extent = await (await features(dataset))?.extent();
    return extent && { number, type: 'vector', bounds: boundsOf(extent), minzoom: 0, maxzoom: DEEPEST_VECTOR };
  }

  async function features(dataset: ServedDataset) {
    if (dataset.datasetType !== 'gisvectordata')
      throw new AppError('notFound', `Dataset '${dataset.id}' is of type '${dataset.datasetType}'.`);
    return parts.vector.of(dataset);
  }

  routes.get(path, {
    operationId: `list${named.operation}BasemapLayers`,
    summary: `Lists the datasets of the operator that lie below the map of ${named.summary}`,
    description: 'Those of the setting `map.basemapDatasets` that exist and can be drawn.',
    params,
    response: { 200: BasemapLayers },
    handler: async (request, reply) => {
      await place.ask(request, reply);
      const layers = parts.datasetIds.map(async (id, number) => {
        try {
          const dataset = await findServed(parts.db, id);
          if (dataset !== null) return await describe(dataset, number);
          parts.log.warn({ datasetId: id }, 'a dataset of map.basemapDatasets does not exist');
        } catch (err) {
          parts.log.warn({ err, datasetId: id }, 'a dataset of map.basemapDatasets cannot be drawn');
        }
        return undefined;
      });
      return { layers: (await Promise.all(layers)).filter((layer) => layer !== undefined) };
    },
  });

  routes.get(`${path}/:layer/:zoom/:column/:row`, {
    operationId: `get${named.operation}BasemapLayerTile`,
    summary: `Returns a tile of a dataset of the operator that lies below the map of ${named.summary}`,
    description: 'The caller needs no right to the dataset of the operator. Vector tiles have no attributes.',
    params: params.extend({
      layer: z.string().meta({ description: 'Number of the layer below the map, from 0.', example: '0' }),
      zoom: z.string().meta({ description: 'Zoom level of the base map.', example: '3' }),
      column: z.string().meta({ description: 'x of the base map: column from the west.', example: '4' }),
      row: z.string().meta({ description: 'y: row from the north.', example: '2' }),
    }),
    config: {
      described: {
        responses: {
          200: {
            description: 'The tile.',
            content: Object.fromEntries(
              [VECTOR_TILE_TYPE, MEDIA_TYPES.PNG, MEDIA_TYPES.WEBP].map((type) => [type, { schema: BINARY }]),
            ),
          },
          204: { description: 'There is nothing in the tile.' },
          304: { description: 'The ETag of the caller is current.' },
        },
      },
    },
    handler: async (request, reply) => {
      const asked = await place.ask(request, reply);
      const { layer } = request.params as { layer: string };
      const id = parts.datasetIds[parseInteger('layer', layer)];
      const dataset = id === undefined ? null : await findServed(parts.db, id);
      if (dataset === null) throw outOfRange(`There is no layer ${layer} below the map.`);
      return dataset.datasetType === 'tiles'
        ? sendRaster(request, reply, { dataset, asked })
        : sendVector(request, reply, { dataset, asked });
    },
  });

  type Asked = { dataset: ServedDataset; asked: TileRequest };
  type Place = { zoom: string; column: string; row: string };

  async function sendRaster(request: FastifyRequest, reply: FastifyReply, { dataset, asked }: Asked) {
    const { tiles, scheme } = await rasterScheme(dataset);
    const index = parseMercatorIndex(request.params as Place);
    if (!scheme.zoomLevels.includes(index[0])) throw outOfRange(`The layer has no zoom level ${index[0]}.`);
    return sendRasterTile(parts.store, { tiles, dataset }, { scheme, slice: FIRST, index }, request, reply, asked);
  }

  async function sendVector(request: FastifyRequest, reply: FastifyReply, { dataset, asked }: Asked) {
    const subject = await features(dataset);
    const [level, column, row] = parseMercatorIndex(request.params as Place, DEEPEST_VECTOR);
    const drawing = subject?.drawing({ tile: { level, column, row }, fields: [], slice: FIRST });
    const bytes = drawing && (await parts.store.tile(drawing, asked));
    if (bytes === undefined) return reply.code(204).header('cache-control', ASKED_AGAIN).send();
    return sendBytes(request, reply, { bytes, gzip: true, type: VECTOR_TILE_TYPE, version: dataset.rowVersion });
  }
}
