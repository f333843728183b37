import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, invalid } from '../errors.ts';
import { sendText } from '../http/answers/etag-answer.ts';
import { httpStatus } from '../http/answers/status.ts';
import { vary } from '../http/answers/vary.ts';
import { refusedAs } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { describeCapabilities } from './capabilities.ts';
import { capabilitiesXml, exceptionXml } from './capabilities-xml.ts';
import { MEDIA_TYPES } from './media-types.ts';
import { sendRasterTile } from './raster/raster-tiles.ts';
import { config, DATASET_PATH, TAGS, textAnswer } from './route-parts.ts';
import { namingDataset, requestedTiles, type TileParts } from './serve.ts';
import { chosenSlice, parseTileIndex } from './slices.ts';
import { askedLayer, checkGetTile, type KvpQuery, parseOperation } from './wmts-request.ts';

const XML = 'application/xml; charset=utf-8';

const CODES = ['MissingParameterValue', 'InvalidParameterValue', 'TileOutOfRange', 'OperationNotSupported'];

const text = (description: string, example: string) => z.string().optional().meta({ description, example: example });
const Kvp = z.object({
  service: text('`WMTS`', 'WMTS'),
  request: text('`GetCapabilities` (default) or `GetTile`', 'GetTile'),
  version: text('`1.0.0`', '1.0.0'),
  acceptVersions: text('Must contain `1.0.0`', '1.0.0'),
  acceptFormats: text('Media type of the capabilities', 'application/xml'),
  format: text('Media type of the tile or of the capabilities', 'image/png'),
  layer: text('The scheme', 'depth'),
  style: text('`default`', 'default'),
  tileMatrixSet: text('Matrix set of the layer', 'depth'),
  tileMatrix: text('Zoom level', '3'),
  tileRow: text('Row from the top', '2'),
  tileCol: text('Column from the left', '4'),
  time: text('Time of the step', '2024-05-02T10:00:00'),
  timeStep: text('Number or time of the step', '0'),
  elevation: text('Layer, from 0', '0'),
});

/** Adds the exceptions of OWS, which clients get that ask for XML. */
const orException = ({ responses }: ReturnType<typeof textAnswer>) => ({
  responses: {
    ...responses,
    ...refusedAs('application/xml', 'Refused: a problem, or an exception of OWS.', [400, 403, 404, 'default']),
  },
});

/** A client that asks for XML gets its errors as XML too. */
function wantsXml(request: FastifyRequest): boolean {
  if (request.routeOptions.url?.endsWith('.xml')) return true;
  const query = new URLSearchParams(request.url.replace(/^[^?]*\??/, ''));
  const asked = [...query].filter(([name]) => /^(?:format|acceptformats)$/i.test(name)).map(([, value]) => value);
  const isXml = (value: string) => /(?:application|text)\/xml/i.test(value);
  const [format] = asked;
  return format !== undefined && /xml|json/i.test(format) ? isXml(format) : isXml(request.headers.accept ?? '');
}

/** OGC Web Map Tile Service 1.0.0 (07-057r7): capabilities, and tiles by key-value pairs. */
export async function wmtsRoutes(app: App, parts: TileParts) {
  const routes = new Routes(app, { ...config, tags: TAGS });
  app.setErrorHandler((given, request, reply) => {
    const error = namingDataset(given, request);
    if (!(error instanceof AppError) || error.kind === 'unauthenticated' || !wantsXml(request)) throw error;
    const { code } = error.details;
    const known = code !== undefined && CODES.includes(code) ? code : 'NoApplicableCode';
    reply.headers(error.details.headers ?? {});
    return reply
      .code(httpStatus(error.kind))
      .type(XML)
      .serializer((body: string) => body)
      .send(exceptionXml(known, error.message));
  });

  async function capabilities(request: FastifyRequest, id: string) {
    const { tiles, dataset, url } = await requestedTiles(parts, request, id, 'now');
    return { capabilities: describeCapabilities(tiles.description, url), version: dataset.rowVersion };
  }

  routes.get(`${DATASET_PATH}/wmts`, {
    operationId: 'getTileDatasetWmts',
    summary: 'Web Map Tile Service: capabilities, or a tile by key-value pairs',
    description:
      'GetCapabilities returns XML with `Accept: application/xml` or `format=application/xml`, else the same tree as JSON. GetTile takes the parameters of WMTS 1.0.0.',
    params: idParam('dataset'),
    querystring: Kvp,
    config: {
      described: orException(textAnswer('Capabilities or a tile.', 'application/json', 'application/xml', 'image/png')),
    },
    handler: async (request, reply) => {
      const query: KvpQuery = request.query;
      if (parseOperation(query) === 'GetCapabilities') {
        const made = await capabilities(request, request.params.id);
        const { version } = made;
        vary(reply, 'accept');
        if (wantsXml(request))
          return sendText(request, reply, { text: capabilitiesXml(made.capabilities), type: XML, version });
        return sendText(request, reply, {
          text: JSON.stringify(made.capabilities),
          type: 'application/json; charset=utf-8',
          version,
        });
      }
      const served = await requestedTiles(parts, request, request.params.id, 'lately');
      if (parts.responses.answerAllowed(request, reply)) return reply;
      const wanted = checkGetTile(query);
      const { description } = served.tiles;
      const scheme = askedLayer(description.tilingSchemes, query);
      const format = MEDIA_TYPES[scheme.outputType];
      if (query.format!.toLowerCase() !== format)
        throw invalid(`FORMAT '${query.format}' is not ${format}, the format of layer '${scheme.schemeId}'.`, {
          code: 'InvalidParameterValue',
        });
      const index = parseTileIndex(scheme, wanted);
      const asked = { timeStep: query.time ?? query.timeStep, layer: query.elevation };
      const slice = chosenSlice(description, asked, { timeStep: 'TIME', layer: 'ELEVATION' });
      return sendRasterTile(parts.store, served, { scheme, slice, index }, request, reply);
    },
  });

  routes.get(`${DATASET_PATH}/wmts/1.0.0/WMTSCapabilities.xml`, {
    operationId: 'getTileDatasetWmt100WMTSCapabilitiesXml',
    summary: 'Returns the capabilities of the Web Map Tile Service as XML',
    description: 'The address of the standard for clients that send no `Accept`.',
    params: idParam('dataset'),
    config: { described: orException(textAnswer('The capabilities.', 'application/xml')) },
    handler: async (request, reply) => {
      const made = await capabilities(request, request.params.id);
      return sendText(request, reply, {
        text: capabilitiesXml(made.capabilities),
        type: XML,
        version: made.version,
      });
    },
  });
}
