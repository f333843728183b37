import { z } from 'zod';
import { sendBytes } from '../../http/answers/etag-answer.ts';
import { BINARY } from '../../http/openapi/headers.ts';
import { type App, Routes } from '../../http/route.ts';
import { VECTOR_TILE_TYPE } from '../media-types.ts';
import { parseMercatorIndex } from '../slices.ts';
import { DEEPEST_LEVEL, type WorldTiles } from './world-tiles.ts';

/** Nothing in the tiles is secret, and they change with the version of the platform. */
const LIFETIME = 'public, max-age=86400';

/** `/assets/basemap/{z}/{x}/{y}.pbf`: the world below every map. */
export async function worldRoutes(app: App, tiles: WorldTiles) {
  const routes = new Routes(app, { access: 'public', service: 'none', limit: 'free', tags: ['tiles'] });

  routes.get('/assets/basemap/:zoom/:column/:row.pbf', {
    operationId: 'getBasemapTile',
    summary: 'Returns a vector tile of the world, which lies below every map',
    description:
      'Natural Earth 1:10m (public domain): layers `land`, `coast`, `borders` and `names` (`name`; `level`: from which zoom level of MapLibre there is room for it; `size` of the country in km).',
    params: z.object({
      zoom: z.string().meta({ description: `Zoom level, 0 to ${DEEPEST_LEVEL}.`, example: '3' }),
      column: z.string().meta({ description: 'x of the base map: column from the west.', example: '4' }),
      row: z.string().meta({ description: 'y: row from the north.', example: '2' }),
    }),
    config: {
      described: {
        responses: {
          200: { description: 'A Mapbox Vector Tile 2.1.', content: { [VECTOR_TILE_TYPE]: { schema: BINARY } } },
          204: { description: 'There is nothing in the tile.' },
          304: { description: 'The ETag of the caller is current.' },
        },
      },
    },
    handler: async (request, reply) => {
      const [level, column, row] = parseMercatorIndex(request.params, DEEPEST_LEVEL);
      const bytes = await tiles.tile({ level, column, row });
      if (bytes === undefined) return reply.code(204).header('cache-control', LIFETIME).send();
      const answer = { bytes, gzip: true, type: VECTOR_TILE_TYPE, version: 'world', cacheControl: LIFETIME };
      return sendBytes(request, reply, answer);
    },
  });
}
