import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fileAnswers, VALUE_FILES } from '../datasets/files/file-formats.ts';
import { servedDataset } from '../datasets/served.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { text } from '../http/rules/members.ts';
import { queryDataTime, queryEnum, queryInteger, queryList } from '../http/rules/query.ts';
import { readAsker } from '../http/rules/signed-link.ts';
import { MultidimensionalDataset, MultidimensionalValues } from './answers.ts';
import { withDataset } from './dataset.ts';
import { describe } from './describe.ts';
import { mostValues } from './limits.ts';
import { JSON_TYPES, sendValues, type ValueParts } from './send-values.ts';

const formats = queryEnum(['json', 'covjson', ...VALUE_FILES]).optional();

const DATASET_PATH = '/api/md/dataset/:id';
const TAGS = ['multidimensional data'];

const Query = z.object({
  item: queryList(z.string())
    .optional()
    .meta({ description: 'Id or name of an item; may be repeated. Absent: all items.', example: ['Water level'] }),
  from: queryDataTime('First time, inclusive').optional(),
  to: queryDataTime('Last time, inclusive').optional(),
  point: text(
    '`x,y`. Values of the cell that contains it, of an item at nodes those of the nearest node of that cell; all layers, unless `layer` is sent. Outside of the data: 400.',
    '614500,6120100',
  ).optional(),
  bbox: text(
    '`minx,miny,maxx,maxy`. Cells whose centre, or nodes that lie in it or on its edge.',
    '610000,6120000,620000,6130000',
  ).optional(),
  element: queryList(z.string())
    .optional()
    .meta({
      description:
        'Numbers of elements of a mesh, of an item at nodes of nodes, as files count them, from 1; repeated or with commas.',
      example: ['17'],
    }),
  layer: queryInteger(0, 1_000_000).optional().meta({ description: 'Layer, from 0, the lowest.', example: 0 }),
  crs: text(
    'Coordinate system of `point` and `bbox`: SRID, `CRS84` or URI. Absent: that of the data. Answers are always in that of the data.',
    'EPSG:25832',
  ).optional(),
  f: formats.describe(
    '`json` (default) and `csv`: a table; `covjson`: CoverageJSON 1.0; `parquet`: the table as Parquet, with units in the names of columns; `netcdf`: grids, meshes (UGRID) and places (discrete sampling) by CF 1.11. `Accept` with the media type of a file does the same.',
  ),
  format: formats.describe('The same as `f`.'),
});

const OTHER_FORMATS = {
  responses: {
    200: {
      content: {
        ...fileAnswers(VALUE_FILES),
        'text/csv': {
          schema: { type: 'string' },
          example: 'time,x,y,Level\r\n2026-01-24T08:00:00.0000000,1.5,2.5,0.25\r\n',
        },
        [JSON_TYPES.covjson]: { schema: { type: 'object', description: 'CoverageJSON 1.0, OGC 21-069r2.' } },
      },
    },
  },
};

/** Queries of multidimensional datasets, for callers and the holders of a signed link. */
export async function multidimensionalRoutes(app: App, parts: ValueParts) {
  const routes = new Routes(app, {
    access: 'signedIn',
    service: 'md',
    signedLinks: true,
    cached: {
      resource: ({ params }: FastifyRequest) => `multidimensional:${(params as { id: string }).id.toLowerCase()}`,
      permission: async (request: FastifyRequest) => {
        const { id } = request.params as { id: string };
        const { blob, rowVersion } = (await servedDataset(parts, readAsker(request), id)).dataset;
        return `${blob} ${rowVersion}`;
      },
    },
    tags: TAGS,
  });
  /** Answers are shared by all who see the dataset, as long as neither its record nor its content changes. */

  routes.get(DATASET_PATH, {
    operationId: 'getMdDataset',
    summary: 'Returns what a multidimensional dataset holds',
    description: 'Items, times, axes, coordinate system and extent, without values.',
    params: idParam('dataset'),
    response: { 200: MultidimensionalDataset },
    handler: async (request) =>
      withDataset(parts, readAsker(request), request.params.id, async (dataset, { id, name }) => ({
        id,
        name,
        ...describe(dataset),
      })),
  });

  routes.get(`${DATASET_PATH}/values`, {
    operationId: 'getMdDatasetValues',
    summary: 'Returns values of a multidimensional dataset',
    description: [
      `At most ${mostValues} values; more are 413. Without \`point\`, \`bbox\` and \`element\` values of all places.`,
      'Values have scale and offset applied; no data is null. Coordinates are centres of cells, or nodes, in the coordinate system of the data.',
    ].join(' '),
    params: idParam('dataset'),
    querystring: Query,
    response: { 200: MultidimensionalValues },
    config: { limit: 'heavy', described: OTHER_FORMATS },
    handler: (request, reply) => sendValues(parts, request, reply, request),
  });
}
