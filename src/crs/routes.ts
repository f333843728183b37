import { z } from 'zod';
import { notFound } from '../errors.ts';
import { listOf, offsetQuery } from '../http/paging.ts';
import type { App } from '../http/route.ts';
import { findAuthorities, findSystem, findSystems } from './catalogue.ts';

const System = z
  .object({
    id: z.int(),
    name: z.string(),
    authority: z.string(),
    /** WKT 1 where one exists, else WKT 2. */
    wkt: z.string(),
    wkt2: z.string(),
    proj4String: z.string().optional(),
  })
  .meta({ id: 'CoordinateSystem' });

/** The records are JSON already: 25 MB of them need no second encoding. */
const asItIs = (body: unknown) => body as string;
const JSON_TYPE = 'application/json; charset=utf-8';

export async function crsRoutes(app: App) {
  const config = { access: 'signedIn', service: 'crs' } as const;
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
          nametext: z.string().max(200).optional(),
          fulltext: z.string().max(200).optional(),
          authority: z.string().max(20).optional(),
          ...offsetQuery,
        }),
        response: { 200: listOf(System) },
      },
    },
    async ({ query: { nametext, fulltext, authority, offset = 0, limit = 100_000 } }, reply) => {
      const found = await findSystems({ nameText: nametext, fullText: fulltext, authority });
      const page = found.slice(offset, offset + limit);
      const parts = page.flatMap((record, index) => (index === 0 ? [record] : [COMMA, record]));
      return reply
        .type(JSON_TYPE)
        .serializer(asItIs)
        .send(Buffer.concat([OPEN, ...parts, CLOSE]) as never);
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
      if (!found) throw notFound('Coordinate system', id);
      return reply
        .type(JSON_TYPE)
        .serializer(asItIs)
        .send(found as never);
    },
  );
}

const OPEN = Buffer.from('{"data":[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']}');
