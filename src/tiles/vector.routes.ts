import type { FastifyRequest } from 'fastify';
import { tileFieldKind } from 'hydrofiles/tiles';
import { z } from 'zod';
import { invalid } from '../errors.ts';
import { ASKED_AGAIN, sendBytes, sendText } from '../http/answers/etag-answer.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { BINARY } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, texts, textUpTo } from '../http/rules/members.ts';
import { VECTOR_TILE_TYPE } from './media-types.ts';
import { config, TAGS, VECTOR_PATH } from './route-parts.ts';
import { type Checked, requestedDataset, type TileParts, tileRequest } from './serve.ts';
import { chosenSlice, outOfRange, parseInteger } from './slices.ts';
import type { VectorSources } from './vector/vector-source.ts';
import type { TileField, VectorSubject } from './vector/vector-subject.ts';

export interface VectorParts extends Omit<TileParts, 'metadataLifetime' | 'open'> {
  readonly sources: VectorSources;
}

const PATH = VECTOR_PATH;
const DEEPEST = 22;
/** The deepest level of the description: viewers enlarge its tiles, whose units are 0.6 m. */
const DESCRIBED = 14;

const Address = idParam('dataset').extend({
  zoom: z.string().meta({ description: 'Zoom level, 0 to 22.', example: '3' }),
  tileCol: z.string().meta({ description: 'x: column from the west.', example: '4' }),
  tileRow: z.string().meta({ description: 'y: row from the north.', example: '2' }),
});

const Slice = z.object({
  timeStep: z
    .string()
    .max(100)
    .optional()
    .meta({
      description: 'Step of a mesh: its number from 0, or its time. Default: the first.',
      examples: ['0', '2024-05-02T10:00:00'],
    }),
  layer: textUpTo(100, 'Layer of a mesh with layers: its number from 0, the lowest. Default: 0.', '0').optional(),
});

const Query = Slice.extend({
  attributes: textUpTo(10_000, 'Names of the attributes, with commas between. Default: all.', 'name,depth').optional(),
});

const VectorTileJson = component('VectorTileJson', {
  tilejson: z.literal('3.0.0').describe('Version of the format.'),
  name: z.string().meta({ description: 'Name of the dataset.', example: 'Wells' }),
  scheme: z.literal('xyz').describe('Rows count from the top.'),
  tiles: texts('Address of the tiles, with {z}, {x} and {y}.'),
  bounds: z.array(z.number()).describe('West, south, east, north in degrees.'),
  minzoom: z.int().describe('Level with the least detail.'),
  maxzoom: z.int().describe('Level whose tiles viewers enlarge further.'),
  vector_layers: z.array(z.record(z.string(), z.unknown())).describe('The layer and its fields.'),
  timeStamps: texts('Times of the steps of a mesh.'),
  layerIds: z.array(z.int()).describe('Numbers of the layers of a mesh, from the lowest.'),
});

/** @throws AppError for a name that no field has */
function chosenFields({ fields }: VectorSubject, attributes: string | undefined): readonly TileField[] {
  if (attributes === undefined) return fields;
  const names = attributes.split(',').filter((name) => name !== '');
  const missing = names.find((name) => !fields.some((field) => field.name === name));
  if (missing !== undefined)
    throw invalid(`There is no attribute '${missing}'; there are ${fields.map(({ name }) => name).join(', ')}.`, {
      code: 'InvalidParameterValue',
    });
  return fields.filter(({ name }) => names.includes(name));
}

function parseTile({ zoom, tileCol, tileRow }: { zoom: string; tileCol: string; tileRow: string }) {
  const [level, column, row] = [
    parseInteger('zoom', zoom),
    parseInteger('tileCol', tileCol),
    parseInteger('tileRow', tileRow),
  ];
  if (level < 0 || level > DEEPEST) throw outOfRange(`There is no zoom level ${level}; there are 0 to ${DEEPEST}.`);
  const side = 2 ** level;
  if (column < 0 || row < 0 || column >= side || row >= side)
    throw outOfRange(`Column ${column}, row ${row} is outside of zoom level ${level}, which has ${side} of both.`);
  return { level, column, row };
}

/** Vector tiles of datasets of features and of meshes, drawn when they are asked for. */
export async function vectorTileRoutes(app: App, parts: VectorParts) {
  const routes = new Routes(app, { ...config, tags: TAGS });
  const serve = async (request: FastifyRequest, id: string, checked: Checked) => {
    const served = await requestedDataset(parts, request, id, checked);
    return { ...served, subject: await parts.sources.of(served.dataset) };
  };

  routes.get(`${PATH}/:zoom/:tileCol/:tileRow.vector.pbf`, {
    operationId: 'getVectortileDataset',
    summary: 'Returns a vector tile of a dataset of features or of a mesh',
    description:
      'One layer: `features`, or `elements` of a multidimensional dataset that holds a mesh, each element a polygon with one attribute an item (of items at nodes their mean). Features of less than a pixel are coalesced until they make one; where more than fit into 500,000 bytes, those of up to 4 pixels are coalesced, then the smallest left out; of many points every second, fourth … is taken.',
    params: Address,
    querystring: Query,
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
      const { dataset, subject } = await serve(request, request.params.id, 'lately');
      if (parts.responses.answerAllowed(request, reply)) return reply;
      const tile = parseTile(request.params);
      const { attributes, ...slice } = request.query;
      const drawing = subject?.drawing({
        tile,
        fields: chosenFields(subject, attributes),
        slice: chosenSlice(subject, slice),
      });
      const bytes = drawing && (await parts.store.tile(drawing, tileRequest(request, reply, dataset)));
      if (bytes === undefined) {
        reply.header('cache-control', ASKED_AGAIN);
        return reply.code(204).send();
      }
      return sendBytes(request, reply, { bytes, gzip: true, type: VECTOR_TILE_TYPE, version: dataset.rowVersion });
    },
  });

  routes.get(`${PATH}/tilejson.json`, {
    operationId: 'getVectortileDatasetTilejsonJson',
    summary: 'Returns the TileJSON 3.0 of the vector tiles of a dataset',
    description: '`timeStep` and `layer` are put into the address of the tiles.',
    params: idParam('dataset'),
    querystring: Slice,
    response: { 200: VectorTileJson },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { dataset, subject, signature } = await serve(request, id, 'now');
      const extent = await subject?.extent();
      const base = `${publicBase(parts.publicUrl, request)}${PATH.replace(':id', id)}`;
      const { layer = 'features', fields = [], timeStamps = [], layerIds = [] } = subject ?? {};
      chosenSlice({ timeStamps, layerIds }, request.query);
      const { west, south, east, north } = extent ?? { west: -180, south: -85.0511, east: 180, north: 85.0511 };
      const slice = Object.entries(request.query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
      const query = [...slice, ...(signature === undefined ? [] : [signature])].join('&');
      const text = JSON.stringify({
        tilejson: '3.0.0',
        name: dataset.name,
        scheme: 'xyz',
        tiles: [`${base}/{z}/{x}/{y}.vector.pbf${query === '' ? '' : `?${query}`}`],
        bounds: east > 180 ? [-180, south, 180, north] : [west, south, east, north],
        minzoom: 0,
        maxzoom: DESCRIBED,
        vector_layers: [
          {
            id: layer,
            fields: Object.fromEntries(fields.map(({ name, type }) => [name, tileFieldKind(type)])),
          },
        ],
        timeStamps,
        layerIds,
      });
      return sendText(request, reply, { text, type: 'application/json; charset=utf-8', version: dataset.rowVersion });
    },
  });
}
