import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, number, objects, text } from '../http/rules/members.ts';
import { checkTiles } from './check-tiles.ts';
import { checkQuery, DATASET_PATH, TAGS, upkeepConfig } from './route-parts.ts';
import { requestedTiles, type TileParts, tileRequest } from './serve.ts';
import { countTiles } from './store/tile-store.queries.ts';

const TileStatus = component('TileStatus', {
  name: text('Name of the dataset.', 'Depths'),
  schemes: objects('State of each scheme, in the order of the request.', {
    schemeId: text('Id of the scheme.', 'depth'),
    schemeType: text('`WMTS` or `XYZ`.', 'XYZ'),
    levels: objects('From the least detail.', {
      level: number('Zoom level.', 16),
      onRequest: z.boolean().meta({ description: 'Tiles are drawn at their first request.', example: true }),
      tiles: number('Tiles with data, of all steps and layers.', 36),
      keptTiles: number('Number of stored tiles of a level that is drawn on request.', 4),
      keptBytes: number('Bytes of these tiles; equal ones are stored once, and count each.', 20_480),
    }),
  }),
});
export type TileStatus = z.infer<typeof TileStatus>;

const TileCheckAnswer = component('TileCheck', {
  checked: number('Tiles with data that were checked.', 100),
  drawnAnew: number('Number of checked tiles that were drawn again, because their level is drawn on request.', 40),
  checkedEmpty: number('Places without data at which there must be no tile.', 93),
  wrong: objects('Tiles that cannot be decoded or differ.', {
    schemeId: text('Id of the scheme.', 'depth'),
    tile: text('Zoom level, row and column.', '16/20984/34406'),
    timeStep: number('Number of the time step.', 0),
    layer: number('Number of the layer.', 0),
    reason: text('What is wrong.', 'The checksum of its chunk IDAT is wrong.'),
  }),
});
export type TileCheckAnswer = z.infer<typeof TileCheckAnswer>;

/** How far the tiles of a dataset are drawn, and whether they are good. */
export async function tileUpkeepRoutes(app: App, parts: TileParts) {
  const routes = new Routes(app, { ...upkeepConfig, tags: TAGS });
  routes.get(`${DATASET_PATH}/status`, {
    operationId: 'getTileDatasetStatus',
    summary: 'Returns how many tiles of each zoom level there are and are kept',
    params: idParam('dataset'),
    response: { 200: TileStatus },
    handler: async (request) => {
      const { tiles, dataset } = await requestedTiles(parts, request, request.params.id, 'now');
      const kept = await countTiles(parts.db, dataset.id, dataset.blob!);
      const schemes: TileStatus['schemes'] = [];
      for (const { schemeId, schemeType, zoomLevels, levelsOnRequest } of tiles.description.tilingSchemes) {
        const counts = await tiles.countTiles(schemeId);
        const levels = zoomLevels.map((level) => {
          const own = kept.find((one) => one.schemeId === schemeId && one.level === level);
          const onRequest = levelsOnRequest?.includes(level) ?? false;
          const kepts = { keptTiles: own?.tiles ?? 0, keptBytes: own?.bytes ?? 0 };
          return { level, onRequest, tiles: counts.get(level) ?? 0, ...kepts };
        });
        schemes.push({ schemeId, schemeType, levels });
      }
      return { name: dataset.name, schemes };
    },
  });

  routes.get(`${DATASET_PATH}/check`, {
    operationId: 'getTileDatasetCheck',
    summary: 'Checks tiles that are chosen at random',
    description:
      'Decodes tiles, compares them with the availability, and draws those of `levelsOnRequest` anew to compare them with kept ones. At as many places without data there must be no tile.',
    params: idParam('dataset'),
    querystring: checkQuery(100),
    response: { 200: TileCheckAnswer },
    config: { limit: 'heavy' },
    handler: async (request, reply) => {
      const served = await requestedTiles(parts, request, request.params.id, 'now');
      return checkTiles(parts, served, request.query.tiles, tileRequest(request, reply, served.dataset));
    },
  });
}
