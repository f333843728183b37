import type { Content } from './content.ts';
import { type AddressOf, COLLECTION_PATH, OPENAPI_TYPE, SCHEMA_TYPE } from './ogc-documents.ts';
import { DEFAULT_FEATURES, MAX_FEATURES } from './request.ts';

/** Properties that the document names as parameters. */
const MAX_NAMED = 200;

const query = (name: string, description: string, schema: object, more: object = {}) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...more,
});
const uri = { type: 'string', format: 'uri' };
const ref = (name: string) => ({ $ref: `#/components/parameters/${name}` });

const PARAMETERS = {
  bbox: query(
    'bbox',
    'Only features that intersect the box minX,minY,maxX,maxY.',
    { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 },
    { style: 'form', explode: false },
  ),
  'bbox-crs': query('bbox-crs', 'Coordinate system of bbox; default: CRS84.', uri),
  crs: query('crs', 'Coordinate system of the answer; default: CRS84.', uri),
  datetime: query('datetime', 'A time or an interval.', { type: 'string' }, { style: 'form', explode: false }),
  limit: query(
    'limit',
    'Maximum number of features of a page.',
    { type: 'integer', minimum: 1, maximum: MAX_FEATURES, default: DEFAULT_FEATURES },
    { style: 'form', explode: false },
  ),
  offset: query('offset', 'Number of features to pass over.', { type: 'integer', minimum: 0 }),
  cursor: query('cursor', 'Of the link next.', { type: 'string' }),
  properties: query(
    'properties',
    'Names of the properties to return.',
    { type: 'array', items: { type: 'string' } },
    { style: 'form', explode: false },
  ),
  filter: query('filter', 'CQL2 text.', { type: 'string' }),
  // GDAL sends filters only to services with this name of the language
  'filter-lang': query('filter-lang', 'Language of filter.', { type: 'string', enum: ['cql2-text', 'cql-text'] }),
};

const answer = (description: string, type = 'application/json') => ({
  200: { description, content: { [type]: { schema: { type: 'object' } } } },
  default: { description: 'A problem.', content: { 'application/problem+json': { schema: { type: 'object' } } } },
});
const get = (operationId: string, summary: string, type?: string, parameters: readonly object[] = []) => ({
  get: { operationId, summary, tags: ['Features'], parameters, responses: answer(summary, type) },
});

const GEOJSON = 'application/geo+json';
const FEATURE_ID = { name: 'featureId', in: 'path', required: true, schema: { type: 'string' } };

/** The OpenAPI document of the service of one dataset. OpenAPI 3.0, as OGC API Features wants it. */
export function openapiDocument({ dataset, fields, version }: Content, address: AddressOf) {
  const usedNames = new Set(Object.keys(PARAMETERS));
  const named = fields.filter(({ name }) => !usedNames.has(name.toLowerCase())).slice(0, MAX_NAMED);
  const ofProperties = named.map(({ name, type }) =>
    query(name, `Value of the property (${type}).`, { type: 'string' }),
  );
  const items = [...Object.keys(PARAMETERS).map(ref), ...ofProperties];
  return {
    openapi: '3.0.3',
    info: { title: dataset.name, version },
    servers: [{ url: address('') }],
    security: [{ bearer: [] }, { apiKey: [] }, { signedLink: [] }],
    paths: {
      '/': get('getLandingPage', 'Landing page'),
      '/conformance': get('getConformance', 'Conformance classes'),
      '/api': get('getApi', 'This document', OPENAPI_TYPE),
      '/collections': get('getCollections', 'Collections'),
      [COLLECTION_PATH]: get('describeCollection', 'Collection'),
      [`${COLLECTION_PATH}/schema`]: get('getSchema', 'Properties', SCHEMA_TYPE),
      [`${COLLECTION_PATH}/queryables`]: get('getQueryables', 'Properties of filters', SCHEMA_TYPE),
      [`${COLLECTION_PATH}/feature-schema`]: get('getFeatureSchema', 'Schema of a feature', SCHEMA_TYPE),
      [`${COLLECTION_PATH}/items`]: get('getFeatures', 'Features', GEOJSON, items),
      [`${COLLECTION_PATH}/items/{featureId}`]: get('getFeature', 'Feature', GEOJSON, [
        FEATURE_ID,
        ref('crs'),
        ref('properties'),
      ]),
    },
    components: {
      parameters: PARAMETERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'svc-open-api-key' },
        signedLink: { type: 'apiKey', in: 'query', name: 'sig' },
      },
    },
  };
}
