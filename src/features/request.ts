import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptedFormat, FEATURE_FILES, fileAnswers } from '../datasets/files/file-formats.ts';
import type { FileThreads } from '../datasets/files/file-threads.ts';
import { servedDataset } from '../datasets/served.ts';
import type { Database } from '../db.ts';
import { invalidMember } from '../errors.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { isCurrent } from '../http/cache/cached.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { textUpTo } from '../http/rules/members.ts';
import { queryEnum, queryInteger, queryList } from '../http/rules/query.ts';
import { isSigned, readAsker, SIGNATURE_MEMBERS } from '../http/rules/signed-link.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import type { LinkSigner } from '../uploads/address.ts';
import type { Content, Contents } from './content.ts';
import type { FeatureParameters } from './query.ts';

/** Services for the routes of features. */
export interface FeatureParts {
  /** Writes answers as files. */
  files: FileThreads;
  db: Database;
  contents: Contents;
  /** Verifies signed links. */
  signer: LinkSigner;
  /** Signs cursors. */
  cursors: Signer;
  publicUrl: string | undefined;
}

export const GEOJSON_TYPE = 'application/geo+json';
export const GEOJSON = `${GEOJSON_TYPE}; charset=utf-8`;
export const DEFAULT_FEATURES = 50;
export const MAX_FEATURES = 10_000;

/** Routes of features: for callers, and for the holders of a signed address of the dataset. */
export const config = { access: 'signedIn', service: 'gis', signedLinks: true } as const;
export const TAGS = ['features'];

const NOT_MODIFIED = { description: 'Not modified: If-None-Match contains the current ETag.' };
const UNREADABLE = { description: 'The content is empty or damaged.' };
const REPLACED = { description: 'The content was replaced after the page that the cursor continues.' };
/** Answers besides those of other routes. */
export const ANSWERS = {
  responses: { 200: { headers: { ETag: { $ref: '#/components/headers/ETag' } } }, 304: NOT_MODIFIED, 422: UNREADABLE },
};

export const DatasetId = z.object({ id: uuidParam().describe('Id of the dataset.') });
export const FORMATS = { f: queryEnum(['json', 'geojson']).optional().describe('Format: `json`.') };
const crs = (sentence: string) =>
  textUpTo(
    200,
    `${sentence} A URI such as \`http://www.opengis.net/def/crs/EPSG/0/25832\`, or \`EPSG:25832\`; default: CRS84, longitude and latitude on WGS 84. The order of coordinates is that of the registry: latitude first in EPSG:4326.`,
  ).optional();

/** Parameters that select the written parts of a feature. */
export const shownParameters = {
  properties: queryList(z.string().max(4000))
    .optional()
    .describe('Names of the properties to return, separated by commas; default: all.'),
  crs: crs('Coordinate system of the answer.'),
  ...FORMATS,
};

export const pageParameters = {
  bbox: textUpTo(
    400,
    'Only features that intersect this box: `minX,minY,maxX,maxY`. With minX greater than maxX it crosses the antimeridian.',
  ).optional(),
  'bbox-crs': crs('Coordinate system of `bbox`.'),
  filter: textUpTo(
    4000,
    "Only features that match, in CQL2 text: `name = 'Ribe' AND depth >= 5`, with `=`, `<>`, `<`, `<=`, `>`, `>=`, `LIKE`, `ILIKE`, `IN`, `BETWEEN`, `IS NULL`, `AND`, `OR`, `NOT`. Any other parameter is the name of a property and its value: `name=Ribe`.",
  ).optional(),
  'filter-lang': queryEnum(['cql2-text', 'cql-text']).optional().describe('Language of `filter`.'),
  datetime: textUpTo(
    200,
    'Only features of this time or interval (`2026-01-01/2026-02-01`, `2026-01-01/..`), by any of their properties of dates and times. Ignored without one.',
  ).optional(),
  limit: queryInteger(1, Number.MAX_SAFE_INTEGER)
    .default(DEFAULT_FEATURES)
    .describe(`Maximum number of features of a page, at most ${MAX_FEATURES}. Larger numbers mean that.`),
  cursor: textUpTo(4096, 'Cursor of the link `next`; continues the list.').optional(),
  offset: queryInteger(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Number of features to pass over. The link `next` is quicker.'),
  ...shownParameters,
  f: queryEnum(['json', 'geojson', ...FEATURE_FILES])
    .optional()
    .describe(
      'Format: `json`, pages of GeoJSON; or a file of all matches, or of the first `limit`: `gpkg`, a GeoPackage; `parquet`, a GeoParquet; `csv`; `fgb`, a FlatGeobuf; `shp`, a shapefile in a zip. `Accept` with the media type of a file does the same. Up to 100,000 features of 64 MB; more are 413.',
    ),
};

/** The format of a file that the request asks for by `f`, else by `Accept`; undefined: a page. */
export const wantedFile = (request: FastifyRequest, f: string | undefined) =>
  f === undefined ? acceptedFormat(request.headers.accept, FEATURE_FILES) : FEATURE_FILES.find((one) => one === f);

const TOO_LARGE = { description: 'A file would have too many features; the sentence names the limit.' };
export const PAGE_ANSWERS = {
  ...ANSWERS,
  responses: {
    ...ANSWERS.responses,
    200: { ...ANSWERS.responses[200], content: fileAnswers(FEATURE_FILES) },
    410: REPLACED,
    413: TOO_LARGE,
  },
};

/** The dataset of the request, if the caller may read it or a signed link admits to it. */
export async function findFeatures(parts: FeatureParts, request: FastifyRequest, id: string) {
  const { dataset, signature } = await servedDataset(parts, readAsker(request), id);
  if (signature !== undefined) readingSignatures.set(request, signature);
  return dataset;
}

/** For addresses in answers: the signatures of requests with a signed link, which grant reading alone. */
const readingSignatures = new WeakMap<FastifyRequest, string>();

/** The query of a request; a signature in it is one that grants reading. */
function readingQuery(request: FastifyRequest): [string, string][] {
  const query = parseQuery(request);
  if (!query.some(([name]) => name === 'sig')) return query;
  const signature = new URLSearchParams(readingSignatures.get(request));
  return [...query.filter(([name]) => !SIGNATURE_MEMBERS.has(name)), ...signature];
}

/** Parameters of the request that the schema does not declare: names of properties. */
export function otherParameters(request: FastifyRequest, declared: object): FeatureParameters['others'] {
  const known = new Set(['api-version', ...Object.keys(declared)]);
  if (isSigned(request)) for (const name of SIGNATURE_MEMBERS) known.add(name);
  const sent = Object.entries((request.sentQuery ?? {}) as Record<string, unknown>);
  return sent.flatMap(([name, value]) => {
    if (known.has(name.toLowerCase())) return [];
    if (typeof value !== 'string')
      throw invalidMember(name, `The parameter '${name}' was sent more than once. Use filter with ${name} IN (…).`);
    return [[name, value] as const];
  });
}

export interface PageParameters extends FeatureParameters {
  limit: number;
  cursor?: string | undefined;
  offset?: number | undefined;
}

/** Whether the query of the request has a parameter: others have their defaults. */
export const isSent = (request: FastifyRequest, name: string): boolean =>
  Object.keys(request.sentQuery ?? {}).some((one) => one.toLowerCase() === name);

/** The parameters that decide which features a page has, and how they are written. */
export function readParameters(
  query: z.output<z.ZodObject<typeof pageParameters>>,
  others: FeatureParameters['others'],
): PageParameters {
  const { bbox, crs, filter, datetime, properties, limit, cursor, offset } = query;
  return { bbox, 'bbox-crs': query['bbox-crs'], crs, filter, datetime, properties, limit, cursor, offset, others };
}

/** Address of a path of this dataset; a signed link of the query goes with it. */
export function linkAddress(
  request: FastifyRequest,
  publicUrl: string | undefined,
  path: string,
  parameters: Record<string, string> = {},
): string {
  const query = isSigned(request) ? readingQuery(request).filter(([name]) => SIGNATURE_MEMBERS.has(name)) : [];
  return withQuery(`${publicBase(publicUrl, request)}${path}`, [...query, ...Object.entries(parameters)]);
}

/** The address of the request, with some parameters in the place of others. */
export function ownAddress(
  request: FastifyRequest,
  publicUrl: string | undefined,
  changed: Record<string, string | undefined> = {},
): string {
  const kept = readingQuery(request).filter(([name]) => !(name.toLowerCase() in changed));
  const added = Object.entries(changed).filter((one): one is [string, string] => one[1] !== undefined);
  return withQuery(`${publicBase(publicUrl, request)}${request.url.split('?')[0]}`, [...kept, ...added]);
}

const parseQuery = ({ url }: FastifyRequest): [string, string][] =>
  url.includes('?') ? [...new URLSearchParams(url.slice(url.indexOf('?') + 1))] : [];
const withQuery = (address: string, query: readonly [string, string][]): string =>
  query.length === 0 ? address : `${address}?${new URLSearchParams(query.map((pair) => [...pair]))}`;

/** Raised when answers for the same content and address change. */
const RENDERING = 2;

/**
 * Sets the ETag of an answer, which is that of the content and the address: the time in an answer does not count.
 * Returns whether the client has the answer; then 304 was sent.
 */
export function isKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  publicUrl: string | undefined,
  format = 'json',
): boolean {
  const parts = [RENDERING, format, content.version, content.dataset.name, publicBase(publicUrl, request), request.url];
  const tag = `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`;
  reply.header('etag', `W/${tag}`).header('cache-control', 'private, no-cache');
  if (!isCurrent(request.headers['if-none-match'], tag)) return false;
  void reply.code(304).send();
  return true;
}
