import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import {
  type CrsFilter,
  catalogueFile,
  type Found,
  findAuthorities,
  findReplacement,
  findSystem,
  findSystems,
} from 'hydrofiles/crs';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { queryBox } from '../http/rules/box.ts';
import { component, number, text, texts, textUpTo } from '../http/rules/members.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';

const System = component('CoordinateSystem', {
  id: z.int().meta({ description: 'Code in its authority.', example: 25832 }),
  name: text('Name of the coordinate system.', 'ETRS89 / UTM zone 32N'),
  authority: text('Authority of the code.', 'EPSG'),
  aliases: texts('Other names, and deprecated codes that it replaces.', ['Web Mercator']).optional(),
  areaOfUse: z
    .object({
      name: text('Name of the area.', 'Europe between 6°E and 12°E'),
      west: number('Western longitude; greater than the eastern one if the area crosses the antimeridian.'),
      south: number('Southern latitude.', 38.76),
      east: number('Eastern longitude.'),
      north: number('Northern latitude.', 84.33),
    })
    .optional()
    .describe('Area of use in degrees; west is greater than east if it crosses the antimeridian.'),
  wkt: text('Definition as WKT 1, or as WKT 2 if there is no WKT 1.', 'PROJCS["ETRS89 / UTM zone 32N",…]'),
  wkt2: text('Definition as WKT 2.', 'PROJCRS["ETRS89 / UTM zone 32N",…]'),
  proj4String: text(
    'Definition as a PROJ.4 string, if there is one.',
    '+proj=utm +zone=32 +ellps=GRS80 +units=m +no_defs',
  ).optional(),
});
export type System = z.infer<typeof System>;
const Systems = component('CoordinateSystemPage', {
  totalCount: z.int().optional().describe('Number of matches; only with `limit`.'),
  data: z.array(System).describe('Coordinate systems of this page.'),
});
export type Systems = z.infer<typeof Systems>;

const box = queryBox().describe(
  'Keeps systems whose area of use intersects this box: `west,south,east,north` in degrees.',
);

/** Part of cache keys, so that cached answers of another catalogue are not served. */
const CATALOGUE_VERSION = createHash('sha256').update(readFileSync(catalogueFile)).digest('base64url').slice(0, 16);

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
  const routes = new Routes(app, { access: 'signedIn', service: 'crs', cached, tags: ['coordinate systems'] });

  routes.get('/api/crs/coordinate-system/list', {
    operationId: 'listCoordinateSystems',
    summary: 'Lists coordinate reference systems of EPSG and Esri with their definitions',
    description: 'Returns all matches unless `limit` is set. Without deprecated systems.',
    querystring: z.object({
      text: textUpTo(
        200,
        'Words that must all occur in name, aliases, code or area of use, in any letter case. The best match comes first.',
      ).optional(),
      bbox: box.optional(),
      nametext: textUpTo(200, 'Text in the name; case-insensitive.').optional(),
      fulltext: textUpTo(200, 'Text in any value of the record; case-insensitive.').optional(),
      authority: textUpTo(20, 'Authority of the code.').optional(),
      ...offsetQuery,
    }),
    response: { 200: Systems },
    handler: async ({ query: { text, bbox, nametext, fulltext, authority, offset = 0, limit } }, reply) => {
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
  });

  routes.get('/api/crs/coordinate-system/authority', {
    operationId: 'listCoordinateSystemAuthorities',
    summary: 'Lists authorities of coordinate reference systems',
    response: { 200: listOf(text('Name of an authority.', 'EPSG')) },
    handler: async () => ({ data: await findAuthorities() }),
  });

  routes.get('/api/crs/coordinate-system/:id', {
    operationId: 'getCoordinateSystem',
    summary: 'Returns a coordinate reference system',
    description: 'Send its code, `25832`, or authority and code, `ESRI:54009`.',
    params: z.object({ id: textUpTo(20, 'EPSG or ESRI code to look up.') }),
    response: { 200: System },
    handler: async ({ params: { id } }, reply) => {
      const [, authority, code] = /^(?:(EPSG|ESRI):)?(\d{1,9})$/i.exec(id) ?? [];
      const found = code === undefined ? undefined : await findSystem(Number(code), authority);
      if (!found) throw await unknown(id, code === undefined ? undefined : Number(code), authority);
      return reply
        .type(JSON_TYPE)
        .serializer(alreadyJson)
        .send(Buffer.from(found).toString() as never);
    },
  });
}

/** Answers larger than this are streamed from memory without a copy. */
const MAX_COPIED_BYTES = 2 ** 20;

/** Error for an unknown code. For a deprecated one, it names the replacement. */
async function unknown(id: string, code: number | undefined, authority: string | undefined): Promise<Error> {
  const replacement = code === undefined ? undefined : await findReplacement(code, authority);
  if (replacement === undefined) return notFound('Coordinate system', id);
  return new AppError('notFound', `Coordinate system '${id}' is deprecated. Use ${replacement}.`);
}
