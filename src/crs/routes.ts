import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import {
  type Box,
  type CrsFilter,
  type Found,
  findAuthorities,
  findReplacement,
  findSystem,
  findSystems,
} from '../files/crs/catalogue.ts';
import type { App } from '../http/route.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';

const System = z
  .object({
    id: z.int(),
    name: z.string(),
    authority: z.string(),
    /** Other names, and codes of deprecated systems that this one replaces. */
    aliases: z.array(z.string()).optional(),
    /** In degrees. If west is greater than east, the area crosses the antimeridian. */
    areaOfUse: z
      .object({ name: z.string(), west: z.number(), south: z.number(), east: z.number(), north: z.number() })
      .optional(),
    /** WKT 1 if it exists, else WKT 2. */
    wkt: z.string(),
    wkt2: z.string(),
    proj4String: z.string().optional(),
  })
  .meta({ id: 'CoordinateSystem' });
export type System = z.infer<typeof System>;
const Systems = z
  .object({
    /** Number of matches; only with `limit`. */
    totalCount: z.int().optional(),
    data: z.array(System),
  })
  .meta({ id: 'CoordinateSystemPage' });
export type Systems = z.infer<typeof Systems>;

/** `west,south,east,north`. If west is greater than east, the box crosses the antimeridian. */
const box = z
  .string()
  .max(200)
  .transform((text, context): Box => {
    const [west = NaN, south = NaN, east = NaN, north = NaN, ...more] = text.split(',').map(degrees);
    const longitudes = [west, east].every((each) => Math.abs(each) <= 180);
    if (more.length === 0 && longitudes && south >= -90 && north <= 90 && south <= north)
      return { west, south, east, north };
    context.addIssue(`must be west,south,east,north in degrees, not '${text}'`);
    return z.NEVER;
  })
  .meta({ description: 'Keeps systems whose area of use intersects this box: `west,south,east,north` in degrees.' });
const degrees = (text: string) => (/^\s*[+-]?\d{1,3}(\.\d{1,15})?\s*$/.test(text) ? Number(text) : NaN);

/** Part of cache keys, so that cached answers of another catalogue are not served. */
const CATALOGUE_VERSION = createHash('sha256')
  .update(readFileSync(new URL('../files/crs/catalogue.br', import.meta.url)))
  .digest('base64url')
  .slice(0, 16);

/** Maximum number of full-text searches that wait. One takes some milliseconds. */
const MAX_WAITING = 100;
let waiting = 0;

async function search(filter: CrsFilter, offset: number, limit: number): Promise<Found> {
  if (filter.fullText === undefined) return findSystems(filter, offset, limit);
  if (waiting >= MAX_WAITING)
    throw new AppError('unavailable', `${MAX_WAITING} searches are waiting, the maximum. Try again in 2 s.`, {
      retryAfter: 2,
    });
  waiting++;
  try {
    return await findSystems(filter, offset, limit);
  } finally {
    waiting--;
  }
}

/** Serializer for records that are JSON already, which avoids encoding 20 MB again. */
const alreadyJson = (body: unknown) => body as string;
const JSON_TYPE = 'application/json; charset=utf-8';

export async function crsRoutes(app: App) {
  const cached = { resource: `crs:${CATALOGUE_VERSION}`, permission: () => 'everybody' };
  const config = { access: 'signedIn', service: 'crs', cached } as const;
  const tags = ['coordinate systems'];

  app.get(
    '/api/crs/coordinate-system/list',
    {
      config,
      schema: {
        tags,
        operationId: 'listCoordinateSystems',
        summary: 'Lists coordinate reference systems of EPSG and Esri with their definitions',
        description: 'Returns all matches unless `limit` is set. Without deprecated systems.',
        querystring: z.object({
          text: z.string().max(200).optional().meta({
            description:
              'Words that must all occur in name, aliases, code or area of use, in any letter case. The best match comes first.',
          }),
          bbox: box.optional(),
          nametext: z.string().max(200).optional(),
          fulltext: z.string().max(200).optional(),
          authority: z.string().max(20).optional(),
          ...offsetQuery,
        }),
        response: { 200: Systems },
      },
    },
    async ({ query: { text, bbox, nametext, fulltext, authority, offset = 0, limit } }, reply) => {
      const filter = { text, box: bbox, nameText: nametext, fullText: fulltext, authority };
      const { count, pieces } = await search(filter, offset, limit ?? 100_000);
      const total = limit === undefined ? '' : `"totalCount":${count},`;
      const parts = [Buffer.from(`{${total}"data":[`), ...pieces, Buffer.from(']}')];
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const body =
        length > MAX_COPIED_BYTES ? Readable.from(parts, { objectMode: false }) : Buffer.concat(parts).toString();
      return reply
        .type(JSON_TYPE)
        .header('content-length', length)
        .serializer(alreadyJson)
        .send(body as never);
    },
  );

  app.get(
    '/api/crs/coordinate-system/authority',
    {
      config,
      schema: {
        tags,
        operationId: 'listCoordinateSystemAuthorities',
        summary: 'Lists authorities of coordinate reference systems',
        response: { 200: listOf(z.string()) },
      },
    },
    async () => ({ data: await findAuthorities() }),
  );

  app.get(
    '/api/crs/coordinate-system/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getCoordinateSystem',
        summary: 'Returns a coordinate reference system',
        description: 'Send its code, `25832`, or authority and code, `ESRI:54009`.',
        params: z.object({ id: z.string().max(20) }),
        response: { 200: System },
      },
    },
    async ({ params: { id } }, reply) => {
      const [, authority, code] = /^(?:(EPSG|ESRI):)?(\d{1,9})$/i.exec(id) ?? [];
      const found = code === undefined ? undefined : await findSystem(Number(code), authority);
      if (!found) throw await unknown(id, code === undefined ? undefined : Number(code), authority);
      return reply
        .type(JSON_TYPE)
        .serializer(alreadyJson)
        .send(Buffer.from(found).toString() as never);
    },
  );
}

/** Answers larger than this are streamed from memory without a copy. */
const MAX_COPIED_BYTES = 2 ** 20;

/** Error for an unknown code. For a deprecated one, it names the replacement. */
async function unknown(id: string, code: number | undefined, authority: string | undefined): Promise<Error> {
  const replacement = code === undefined ? undefined : await findReplacement(code, authority);
  if (replacement === undefined) return notFound('Coordinate system', id);
  return new AppError('notFound', `Coordinate system '${id}' is deprecated. Use ${replacement}.`);
}
