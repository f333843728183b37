import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../errors.ts';
import { clientLeft } from '../http/answers/client-left.ts';
import { sendPieces } from '../http/answers/pieces.ts';
import { vary } from '../http/answers/vary.ts';
import type { Content } from './content.ts';
import { cursorAt, decodePosition } from './cursor.ts';
import { featureById } from './item.ts';
import { featurePage, type PageEnd } from './page.ts';
import { type FeatureParameters, parseQuery } from './query.ts';
import {
  type FeatureParts,
  GEOJSON,
  isKnown,
  isSent,
  MAX_FEATURES,
  ownAddress,
  type PageParameters,
  wantedFile,
} from './request.ts';
import type { Link } from './schemas.ts';
import { sendFile } from './send-file.ts';

export const geoJson = (rel: string, href: string): Link => ({ href, rel, type: 'application/geo+json' });

/** Sends the features of a query: a page of GeoJSON, or a file. */
export function sendFeatures(
  parts: FeatureParts,
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  { f, ...page }: { f?: string | undefined; parameters: PageParameters; collection: Link },
): Promise<never> {
  const format = wantedFile(request, f);
  vary(reply, 'Accept');
  if (format === undefined) return sendPage(parts, request, reply, content, page);
  const { limit, ...parameters } = page.parameters;
  // the default is that of pages
  const file = { ...parameters, limit: isSent(request, 'limit') ? limit : undefined };
  return sendFile(parts, request, reply, content, { format, parameters: file });
}

/** Sends a page of features as GeoJSON. */
async function sendPage(
  { cursors, publicUrl }: FeatureParts,
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  { parameters, collection }: { parameters: PageParameters; collection: Link },
): Promise<never> {
  try {
    const { limit, cursor, offset, ...rest } = parameters;
    if (cursor !== undefined && offset !== undefined) throw invalid('Send either cursor or offset, not both.');
    const query = parseQuery(content, rest);
    const scope = ['features', content.dataset.id, rest];
    const from = cursor === undefined ? undefined : await decodePosition(cursors, scope, content, cursor);
    if (query.output) reply.header('content-crs', `<${query.output.uri}>`);
    if (isKnown(request, reply, content, publicUrl)) return await closed(content, reply as never);
    const page = {
      query,
      limit: Math.min(limit, MAX_FEATURES),
      signal: clientLeft(reply),
      ...(from && { from }),
      ...(offset === undefined ? {} : { offset }),
    };
    const pieces = writeCollection(featurePage(content, page), async ({ next }) => {
      const changed = next && { cursor: await cursorAt(cursors, scope, content, next), offset: undefined };
      return [
        geoJson('self', ownAddress(request, publicUrl)),
        ...(changed ? [geoJson('next', ownAddress(request, publicUrl, changed))] : []),
        collection,
      ];
    });
    return await sendPieces(reply, pieces, GEOJSON);
  } catch (error) {
    await content.source.close();
    throw error;
  }
}

async function closed<T>(content: Content, value: T): Promise<T> {
  await content.source.close();
  return value;
}

/** A GeoJSON collection around the texts of its features. */
async function* writeCollection(
  page: AsyncGenerator<Uint8Array, PageEnd>,
  linksOf: (end: PageEnd) => Promise<readonly Link[]>,
): AsyncGenerator<string | Uint8Array> {
  // the first features before anything else: until then an error is an answer of its own
  let part = await page.next();
  yield `{"type":"FeatureCollection","timeStamp":"${new Date().toISOString()}","features":[\n`;
  for (; !part.done; part = await page.next()) yield part.value;
  const { returned, matched, skipped } = part.value;
  const told = {
    ...(matched === undefined ? {} : { numberMatched: matched }),
    numberReturned: returned,
    ...(skipped.length === 0 ? {} : { skipped }),
    links: await linksOf(part.value),
  };
  yield `\n],${JSON.stringify(told).slice(1)}`;
}

/** Sends one feature as GeoJSON. */
export async function sendFeature(
  { publicUrl }: FeatureParts,
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  { id, parameters, collection }: { id: string; parameters: FeatureParameters; collection: Link },
): Promise<never> {
  try {
    const query = parseQuery(content, parameters);
    if (query.output) reply.header('content-crs', `<${query.output.uri}>`);
    if (isKnown(request, reply, content, publicUrl)) return await closed(content, reply as never);
    const text = await featureById(content, query, id, clientLeft(reply));
    const links = JSON.stringify([geoJson('self', ownAddress(request, publicUrl)), collection]);
    const feature = Buffer.from(text).toString();
    return (await reply
      .type(GEOJSON)
      .serializer((whole: string) => whole)
      .send(`${feature.slice(0, -1)},"links":${links}}`)) as never;
  } catch (error) {
    await content.source.close();
    throw error;
  }
}
