import type { Field, FieldType } from 'hydrofiles/data';
import type { Content } from './content.ts';
import { CRS84 } from './crs-names.ts';
import { geometryTypeOf } from './description.ts';
import type { Collection } from './ogc-schemas.ts';
import { offeredCrs } from './query.ts';
import type { Link } from './schemas.ts';

/** Id of the only collection of a dataset. */
export const COLLECTION = 'features';
export const COLLECTION_PATH = `/collections/${COLLECTION}`;
export const SCHEMA_TYPE = 'application/schema+json';
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';

const features = (part: number, name: string) => `http://www.opengis.net/spec/ogcapi-features-${part}/1.0/conf/${name}`;
const cql2 = (name: string) => `http://www.opengis.net/spec/cql2/1.0/conf/${name}`;
/** Conformance classes. */
export const CONFORMS_TO = [
  'http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core',
  ...['core', 'geojson', 'oas30'].map((name) => features(1, name)),
  features(2, 'crs'),
  ...['queryables', 'queryables-query-parameters', 'filter', 'features-filter'].map((name) => features(3, name)),
  ...['cql2-text', 'basic-cql2', 'advanced-comparison-operators'].map(cql2),
];

/** The address of a path below the landing page. */
export type AddressOf = (path: string) => string;

const json = (rel: string, href: string, title?: string): Link => ({
  href,
  rel,
  type: 'application/json',
  ...(title === undefined ? {} : { title }),
});

export const landingPage = ({ dataset }: Content, address: AddressOf) => ({
  title: dataset.name,
  description: 'Features of a dataset: OGC API Features.',
  links: [
    json('self', address('')),
    { href: address('/api'), rel: 'service-desc', type: OPENAPI_TYPE, title: 'OpenAPI' },
    json('conformance', address('/conformance')),
    json('data', address('/collections')),
  ],
});

const REL = 'http://www.opengis.net/def/rel/ogc/1.0';

export function collectionDocument(content: Content, address: AddressOf): Collection {
  const { dataset, header, location } = content;
  const { offered, stored } = offeredCrs(content);
  const at = (path: string) => address(`${COLLECTION_PATH}${path}`);
  return {
    id: COLLECTION,
    title: dataset.name,
    itemType: 'feature',
    ...(header.count > 0 ? { itemCount: header.count } : {}),
    ...(location.extent === undefined ? {} : { extent: { spatial: { bbox: [[...location.extent]], crs: CRS84.uri } } }),
    ...(offered.length === 0 ? {} : { crs: offered }),
    ...(stored === undefined ? {} : { storageCrs: stored }),
    links: [
      json('self', at('')),
      { href: at('/items'), rel: 'items', type: 'application/geo+json' },
      { href: at('/schema'), rel: `${REL}/schema`, type: SCHEMA_TYPE },
      { href: at('/queryables'), rel: `${REL}/queryables`, type: SCHEMA_TYPE },
      { href: at('/feature-schema'), rel: 'describedby', type: SCHEMA_TYPE },
    ],
  };
}

export const collectionsDocument = (content: Content, address: AddressOf) => ({
  links: [json('self', address('/collections'))],
  collections: [collectionDocument(content, address)],
});

type JsonSchema = Readonly<Record<string, unknown>>;
const TYPES: Readonly<Record<FieldType, JsonSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  integer64: { type: 'integer', format: 'int64' },
  real: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  dateTime: { type: 'string', format: 'date-time' },
  json: {},
};
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const describeProperties = (fields: readonly Field[], types = TYPES) =>
  Object.fromEntries(fields.map(({ name, type }) => [name, { title: name, ...types[type] }]));

/** A name for the geometry that no field has. */
const geometryName = (fields: readonly Field[]): string =>
  fields.some(({ name }) => name === 'geometry') ? '_geometry' : 'geometry';

/**
 * The properties of features with their types, by Part 5 of OGC API Features; by Part 3 those that filters may name.
 */
export function schemaDocument(content: Content, address: string, isQueryables: boolean) {
  const { fields, dataset } = content;
  const type = geometryTypeOf(content);
  const format = `geometry-${type === 'Geometry' ? 'any' : type.toLowerCase()}`;
  return {
    $schema: DRAFT,
    $id: address,
    type: 'object',
    title: dataset.name,
    properties: {
      ...describeProperties(fields),
      ...(isQueryables ? {} : { [geometryName(fields)]: { 'x-ogc-role': 'primary-geometry', format } }),
    },
    additionalProperties: false,
  };
}

/** Programs such as GDAL take an integer for one of 32 bits, so larger ones are numbers. */
const GEOJSON_TYPES = { ...TYPES, integer64: { type: 'number' } };

/** JSON Schema of a feature as GeoJSON has it. */
export const featureSchema = ({ fields, dataset }: Content, address: string) => ({
  $schema: DRAFT,
  $id: address,
  title: dataset.name,
  type: 'object',
  required: ['type', 'geometry', 'properties'],
  properties: {
    type: { type: 'string', enum: ['Feature'] },
    geometry: { description: 'A geometry of GeoJSON, or null.' },
    properties: { type: 'object', properties: describeProperties(fields, GEOJSON_TYPES) },
  },
});
