import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServedDataset } from '../datasets/served.queries.ts';
import { AppError } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, number, objects, text } from '../http/rules/members.ts';
import { checkVectorTiles } from './check-vector-tiles.ts';
import { checkQuery, TAGS, upkeepConfig, VECTOR_PATH } from './route-parts.ts';
import { requestedDataset, tileRequest } from './serve.ts';
import { countTiles } from './store/tile-store.queries.ts';
import { drawingAheadIsDue } from './vector/draw-ahead.queries.ts';
import type { VectorParts } from './vector.routes.ts';

const VectorTileStatus = component('VectorTileStatus', {
  name: text('Name of the dataset.', 'Parcels'),
  overview: z.enum(['drawn', 'waiting', 'none']).meta({
    description:
      '`drawn`: tiles of many features are stored. `waiting`: a job will draw them. `none`: no tile is stored.',
    example: 'drawn',
  }),
  tiles: z.int().meta({ description: 'Tiles that are stored: drawn ahead, or drawn slowly on request.', example: 270 }),
  bytes: number('Bytes of these tiles; equal ones are stored once, and count each.', 41_000_000),
  lastLevel: z.int().optional().meta({ description: 'Zoom level of the most detailed of them.', example: 9 }),
  drawnAt: text('When the last of them was drawn.', '2026-05-02T10:00:00Z').optional(),
});
export type VectorTileStatus = z.infer<typeof VectorTileStatus>;

const VectorTileCheck = component('VectorTileCheck', {
  checked: z.int().meta({ description: 'Tiles that were drawn anew.', example: 20 }),
  wrong: objects('Tiles that differ from a new drawing.', {
    tile: text('Zoom level, column and row.', '7/66/42'),
    reason: text('What is wrong.', 'It differs from a new drawing.'),
  }),
});
export type VectorTileCheck = z.infer<typeof VectorTileCheck>;

/** Which vector tiles of a dataset are drawn ahead, and whether they are good. */
export async function vectorUpkeepRoutes(app: App, parts: VectorParts) {
  const routes = new Routes(app, { ...upkeepConfig, tags: TAGS });
  async function serve(request: FastifyRequest, id: string): Promise<{ dataset: ServedDataset; blob: string }> {
    const { dataset } = await requestedDataset(parts, request, id, 'now');
    const { datasetType, blob } = dataset;
    if (datasetType !== 'gisvectordata' || blob === undefined)
      throw new AppError(
        'notFound',
        `Dataset '${id}' is of type '${datasetType}' and has no vector tiles of features.`,
      );
    return { dataset, blob };
  }

  routes.get(`${VECTOR_PATH}/status`, {
    operationId: 'getVectortileDatasetStatus',
    summary: 'Returns which vector tiles of a dataset of features are drawn ahead',
    params: idParam('dataset'),
    response: { 200: VectorTileStatus },
    handler: async (request) => {
      const { dataset, blob } = await serve(request, request.params.id);
      const { id, name } = dataset;
      const isDue = await drawingAheadIsDue(parts.db, id);
      const levels = await countTiles(parts.db, id, blob);
      const tiles = levels.reduce((sum, one) => sum + one.tiles, 0);
      const bytes = levels.reduce((sum, one) => sum + one.bytes, 0);
      if (isDue || tiles === 0)
        return { name, overview: isDue ? ('waiting' as const) : ('none' as const), tiles, bytes };
      const lastLevel = Math.max(...levels.map(({ level }) => level));
      const drawnAt = levels
        .map((one) => one.drawnAt)
        .toSorted()
        .at(-1)!;
      return { name, overview: 'drawn' as const, tiles, bytes, lastLevel, drawnAt };
    },
  });

  routes.get(`${VECTOR_PATH}/check`, {
    operationId: 'getVectortileDatasetCheck',
    summary: 'Checks vector tiles that are drawn ahead',
    description: 'Draws tiles anew that are chosen at random, and compares them.',
    params: idParam('dataset'),
    querystring: checkQuery(20),
    response: { 200: VectorTileCheck },
    config: { limit: 'heavy' },
    handler: async (request, reply) => {
      const { dataset, blob } = await serve(request, request.params.id);
      const tiles = await parts.sources.features(dataset, blob);
      if (tiles === undefined) return { checked: 0, wrong: [] };
      return checkVectorTiles(parts, tiles, request.query.tiles, tileRequest(request, reply, dataset));
    },
  });
}
