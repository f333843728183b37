import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServedDataset } from '../datasets/served.queries.ts';
import { AppError } from '../errors.ts';
import { clientLeft } from '../http/answers/client-left.ts';
import type { App } from '../http/route.ts';
import { Id } from '../http/rules/forms.ts';
import { askerOf } from '../http/rules/signed-link.ts';
import { checkQuery, TAGS, upkeepConfig, VECTOR_PATH } from './route-parts.ts';
import { readableDataset } from './serve.ts';
import { tenantOf } from './tenant-of.ts';
import { checkOverview } from './vector/check-overview.ts';
import { findOverview, overviewIsDue } from './vector/overviews.queries.ts';
import type { VectorParts } from './vector.routes.ts';

const config = upkeepConfig;
const tags = TAGS;

const VectorTileStatus = z
  .object({
    name: z.string().meta({ description: 'Name of the dataset.', examples: ['Parcels'] }),
    overview: z.enum(['drawn', 'waiting', 'none']).meta({
      description:
        '`drawn`: tiles of many features are drawn ahead. `waiting`: a job will draw them. `none`: all are drawn when they are asked for.',
      examples: ['drawn'],
    }),
    tiles: z.int().meta({ description: 'Tiles that are drawn ahead.', examples: [270] }),
    bytes: z.number().meta({ description: 'Bytes of their archive.', examples: [41_000_000] }),
    lastLevel: z
      .int()
      .optional()
      .meta({ description: 'Zoom level of the most detailed of them.', examples: [9] }),
    drawnAt: z
      .string()
      .optional()
      .meta({ description: 'When they were drawn.', examples: ['2026-05-02T10:00:00Z'] }),
  })
  .meta({ id: 'VectorTileStatus' });
export type VectorTileStatus = z.infer<typeof VectorTileStatus>;

const VectorTileCheck = z
  .object({
    checked: z.int().meta({ description: 'Tiles that were drawn anew.', examples: [20] }),
    wrong: z
      .array(
        z.object({
          tile: z.string().meta({ description: 'Zoom level, column and row.', examples: ['7/66/42'] }),
          reason: z.string().meta({ description: 'What is wrong.', examples: ['It differs from a new drawing.'] }),
        }),
      )
      .meta({ description: 'Tiles that differ from a new drawing.' }),
  })
  .meta({ id: 'VectorTileCheck' });
export type VectorTileCheck = z.infer<typeof VectorTileCheck>;

/** Which vector tiles of a dataset are drawn ahead, and whether they are good. */
export async function vectorUpkeepRoutes(app: App, parts: VectorParts) {
  async function serve(request: FastifyRequest, id: string): Promise<{ dataset: ServedDataset; blob: string }> {
    const { dataset } = await readableDataset(parts, request, id, 'now');
    const { datasetType, blob } = dataset;
    if (datasetType !== 'gisvectordata' || blob === undefined)
      throw new AppError(
        'notFound',
        `Dataset '${id}' is of type '${datasetType}' and has no vector tiles of features.`,
      );
    return { dataset, blob };
  }

  app.get(
    `${VECTOR_PATH}/status`,
    {
      config,
      schema: {
        tags,
        operationId: 'getVectortileDatasetStatus',
        summary: 'Returns which vector tiles of a dataset of features are drawn ahead',
        params: Id,
        response: { 200: VectorTileStatus },
      },
    },
    async (request) => {
      const { dataset, blob } = await serve(request, request.params.id);
      const { id, name } = dataset;
      const found = await findOverview(parts.db, id, blob);
      if (found === null) {
        const overview = (await overviewIsDue(parts.db, id)) ? ('waiting' as const) : ('none' as const);
        return { name, overview, tiles: 0, bytes: 0 };
      }
      const { archive, tiles, bytes, lastLevel, madeAt } = found;
      if (archive === undefined) return { name, overview: 'none' as const, tiles, bytes };
      return { name, overview: 'drawn' as const, tiles, bytes, lastLevel, drawnAt: madeAt };
    },
  );

  app.get(
    `${VECTOR_PATH}/check`,
    {
      config: { ...config, limit: 'heavy' },
      schema: {
        tags,
        operationId: 'getVectortileDatasetCheck',
        summary: 'Checks vector tiles that are drawn ahead',
        description: 'Draws tiles anew that are chosen at random, and compares them.',
        params: Id,
        querystring: checkQuery(20),
        response: { 200: VectorTileCheck },
      },
    },
    async (request, reply) => {
      const { dataset, blob } = await serve(request, request.params.id);
      const tiles = await parts.sources.features(dataset, blob);
      const { lastLevel } = (await findOverview(parts.db, dataset.id, blob)) ?? {};
      if (tiles === undefined || lastLevel === undefined) return { checked: 0, wrong: [] };
      const tenant = tenantOf(askerOf(request), dataset.id);
      return checkOverview(tiles, { count: request.query.tiles, lastLevel }, { tenant, signal: clientLeft(reply) });
    },
  );
}
