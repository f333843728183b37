import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import type { App } from '../http/route.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import type { Box } from './catalogue.ts';
import { findAuthorities, findReplacement, findSystem, findSystems } from './catalogue.ts';

const System = z
  .object({
    id: z.int(),
    name: z.string(),
    authority: z.string(),
    /** Other names, and deprecated numbers that it stands for. */
    aliases: z.array(z.string()).optional(),
    /** In degrees; one whose west is greater than its east crosses 180°. */
    areaOfUse: z
      .object({ name: z.string(), west: z.number(), south: z.number(), east: z.number(), north: z.number() })
      .optional(),
    /** WKT 1 where one exists, else WKT 2. */
    wkt: z.string(),
    wkt2: z.string(),
    proj4String: z.string().optional(),
  })
  .meta({ id: 'CoordinateSystem' });
const Systems = z
  .object({
    /** All that match; told when a page was asked for. */
    totalCount: z.int().optional(),
    data: z.array(System),
  })
  .meta({ id: 'CoordinateSystemPage' });

/** `west,south,east,north`; a west greater than the east crosses 180°. */
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
  .meta({ description: 'Keeps those whose area of use has a part in this box: `west,south,east,north` in degrees.' });
const degrees = (text: string) => (/^\s*[+-]?\d{1,3}(\.\d{1,15})?\s*$/.test(text) ? Number(text) : NaN);

/** Changes when the list does: kept answers of another list are not served. */
const EDITION = createHash('sha256')
  .update(readFileSync(new URL('catalogue.br', import.meta.url)))
  .digest('base64url')
  .slice(0, 16);

/** The records are JSON already: 20 MB of them need no second encoding. */
const asItIs = (body: unknown) => body as string;
const JSON_TYPE = 'application/json; charset=utf-8';

export async function crsRoutes(app: App) {
  const cached = { resource: `crs:${EDITION}`, permission: () => 'everybody' };
  const config = { access: 'signedIn', service: 'crs', cached } as const;
  const tags = ['coordinate systems'];

  app.get(
    '/api/crs/coordinate-system/list',
    {
      config,
      schema: {
        tags,
        summary: 'Coordinate reference systems of EPSG and Esri, with their definitions',
        description: 'All that the filters leave, unless `limit` is sent. Deprecated ones are left out.',
        querystring: z.object({
          text: z.string().max(200).optional().meta({
            description:
              'Words that are all contained in name, other names, number or area of use, in any letter case.',
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
      const { count, pieces } = await findSystems(filter, offset, limit ?? 100_000);
      const total = limit === undefined ? '' : `"totalCount":${count},`;
      const parts = [Buffer.from(`{${total}"data":[`), ...pieces, Buffer.from(']}')];
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const body =
        length > LONGEST_COPIED ? Readable.from(parts, { objectMode: false }) : Buffer.concat(parts).toString();
      return reply
        .type(JSON_TYPE)
        .header('content-length', length)
        .serializer(asItIs)
        .send(body as never);
    },
  );

  app.get(
    '/api/crs/coordinate-system/authority',
    { config, schema: { tags, summary: 'Registries of coordinate systems', response: { 200: listOf(z.string()) } } },
    async () => ({ data: await findAuthorities() }),
  );

  app.get(
    '/api/crs/coordinate-system/:id',
    {
      config,
      schema: {
        tags,
        summary: 'A coordinate reference system',
        description: 'By its number, `25832`, or with the registry that it is in, `ESRI:54009`.',
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
        .serializer(asItIs)
        .send(Buffer.from(found).toString() as never);
    },
  );
}

/** Longer answers are sent from where they stand. */
const LONGEST_COPIED = 2 ** 20;

/** A deprecated number is not listed; the sentence names the one that stands for it. */
async function unknown(id: string, code: number | undefined, authority: string | undefined): Promise<Error> {
  const replacement = code === undefined ? undefined : await findReplacement(code, authority);
  if (replacement === undefined) return notFound('Coordinate system', id);
  return new AppError('notFound', `Coordinate system '${id}' is deprecated. Use ${replacement}.`);
}
