import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ZodType, z } from 'zod';
import { AppError } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { textUpTo } from '../http/rules/members.ts';
import { sendFeature, sendFeatures } from './answers.ts';
import type { Content } from './content.ts';
import {
  type AddressOf,
  COLLECTION,
  COLLECTION_PATH,
  CONFORMS_TO,
  collectionDocument,
  collectionsDocument,
  featureSchema,
  landingPage,
  OPENAPI_TYPE,
  SCHEMA_TYPE,
  schemaDocument,
} from './ogc-documents.ts';
import { openapiDocument } from './ogc-openapi.ts';
import { Collection, Collections, Conformance, LandingPage, SchemaDocument } from './ogc-schemas.ts';
import {
  ANSWERS,
  config,
  DatasetId,
  type FeatureParts,
  FORMATS,
  findFeatures,
  GEOJSON_TYPE,
  isKnown,
  linkAddress,
  otherParameters,
  PAGE_ANSWERS,
  pageParameters,
  readParameters,
  shownParameters,
} from './request.ts';
import { Feature, FeaturePage } from './schemas.ts';

const ROOT = '/api/gis/dataset/:id/ogc';
const COLLECTION_ROUTE = `${ROOT}/collections/:collectionId`;

const CollectionId = DatasetId.extend({
  collectionId: textUpTo(100, `\`${COLLECTION}\`, the only collection of a dataset.`),
});

interface DocumentRoute {
  url: string;
  operationId: string;
  summary: string;
  schema: ZodType;
  type?: string;
  make(content: Content, address: AddressOf): unknown;
}

/** OGC API Features of each dataset, for programs such as QGIS, GDAL and OWSLib: a landing page and a collection. */
export async function ogcRoutes(app: App, parts: FeatureParts) {
  const routes = new Routes(app, { ...config, tags: ['OGC API Features'] });
  const { contents, publicUrl } = parts;

  const addresses = (request: FastifyRequest, id: string): AddressOf => {
    const root = ROOT.replace(':id', id);
    return (path) => linkAddress(request, publicUrl, `${root}${path}`);
  };
  const open = async (request: FastifyRequest, params: { id: string; collectionId?: string }) => {
    const dataset = await findFeatures(parts, request, params.id);
    const { collectionId = COLLECTION } = params;
    if (collectionId !== COLLECTION)
      throw new AppError('notFound', `Collection '${collectionId}' was not found. The collection is '${COLLECTION}'.`);
    return contents.open(dataset);
  };
  const document = ({ url, operationId, summary, schema, type = 'application/json', make }: DocumentRoute) =>
    routes.get(url, {
      operationId,
      summary,
      params: url.startsWith(COLLECTION_ROUTE) ? CollectionId : DatasetId,
      querystring: z.object(FORMATS),
      response: { 200: schema },
      config: { mediaType: type, described: ANSWERS },
      handler: async (request, reply: FastifyReply) => {
        const params = request.params as { id: string; collectionId?: string };
        const content = await open(request, params);
        await content.source.close();
        if (isKnown(request, reply, content, publicUrl)) return reply as never;
        return reply
          .type(`${type}${type.includes(';') ? '' : '; charset=utf-8'}`)
          .serializer((body: unknown) => JSON.stringify(body))
          .send(make(content, addresses(request, params.id)) as never) as never;
      },
    });

  document({
    url: ROOT,
    operationId: 'getFeatureService',
    summary: 'Landing page of the features of a dataset',
    schema: LandingPage,
    make: landingPage,
  });
  document({
    url: `${ROOT}/conformance`,
    operationId: 'getFeatureConformance',
    summary: 'Conformance classes',
    schema: Conformance,
    make: () => ({ conformsTo: CONFORMS_TO }),
  });
  document({
    url: `${ROOT}/api`,
    operationId: 'getFeatureApi',
    summary: 'OpenAPI document of the features of a dataset',
    schema: SchemaDocument,
    type: OPENAPI_TYPE,
    make: openapiDocument,
  });
  document({
    url: `${ROOT}/collections`,
    operationId: 'listFeatureCollections',
    summary: 'The collection of the features of a dataset, in a list',
    schema: Collections,
    make: collectionsDocument,
  });
  document({
    url: COLLECTION_ROUTE,
    operationId: 'getFeatureCollection',
    summary: 'The collection of the features of a dataset',
    schema: Collection,
    make: collectionDocument,
  });
  document({
    url: `${COLLECTION_ROUTE}/schema`,
    operationId: 'getFeatureCollectionSchema',
    summary: 'Properties of the features and their types',
    schema: SchemaDocument,
    type: SCHEMA_TYPE,
    make: (content, address) => schemaDocument(content, address(`${COLLECTION_PATH}/schema`), false),
  });
  document({
    url: `${COLLECTION_ROUTE}/queryables`,
    operationId: 'getFeatureQueryables',
    summary: 'Properties that filters may name',
    schema: SchemaDocument,
    type: SCHEMA_TYPE,
    make: (content, address) => schemaDocument(content, address(`${COLLECTION_PATH}/queryables`), true),
  });
  document({
    url: `${COLLECTION_ROUTE}/feature-schema`,
    operationId: 'getFeatureSchema',
    summary: 'JSON Schema of a feature as GeoJSON',
    schema: SchemaDocument,
    type: SCHEMA_TYPE,
    make: (content, address) => featureSchema(content, address(`${COLLECTION_PATH}/feature-schema`)),
  });

  const collection = (request: FastifyRequest, id: string) => ({
    href: addresses(request, id)(COLLECTION_PATH),
    rel: 'collection',
    type: 'application/json',
  });

  routes.get(`${COLLECTION_ROUTE}/items`, {
    operationId: 'listCollectionFeatures',
    summary: 'Features of the collection as GeoJSON',
    description: 'Returns the same as `GET /api/gis/dataset/{id}/feature`.',
    params: CollectionId,
    querystring: z.object(pageParameters),
    response: { 200: FeaturePage },
    config: { limit: 'heavy', mediaType: GEOJSON_TYPE, described: PAGE_ANSWERS },
    handler: async (request, reply) => {
      const others = otherParameters(request, pageParameters);
      const content = await open(request, request.params);
      return sendFeatures(parts, request, reply, content, {
        f: request.query.f,
        parameters: readParameters(request.query, others),
        collection: collection(request, request.params.id),
      });
    },
  });

  routes.get(`${COLLECTION_ROUTE}/items/:featureId`, {
    operationId: 'getCollectionFeature',
    summary: 'A feature of the collection as GeoJSON',
    description: 'Returns the same as `GET /api/gis/dataset/{id}/feature/{featureId}`.',
    params: CollectionId.extend({ featureId: textUpTo(400, 'Id of the feature.') }),
    querystring: z.object(shownParameters),
    response: { 200: Feature },
    config: { mediaType: GEOJSON_TYPE, described: ANSWERS },
    handler: async (request, reply) => {
      const { query, params } = request;
      const content = await open(request, params);
      return sendFeature(parts, request, reply, content, {
        id: params.featureId,
        parameters: { crs: query.crs, properties: query.properties, others: [] },
        collection: collection(request, params.id),
      });
    },
  });
}
