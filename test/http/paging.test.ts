import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type Database, sql } from '../../src/db.ts';
import type { App } from '../../src/http/route.ts';
import { behind, pageOrder } from '../../src/http/rules/paging.queries.ts';
import {
  cursorPage,
  cursorPageOf,
  cursorQuery,
  offsetPage,
  offsetPageOf,
  offsetQuery,
} from '../../src/http/rules/paging.ts';
import { queryEnum } from '../../src/http/rules/query.ts';
import { KeyStore } from '../../src/platform/keys/key-store.ts';
import { Signer } from '../../src/platform/keys/signing-keys.ts';
import { testDatabase } from '../world.ts';
import { apiApp, bearer } from './api-app.ts';

const config = { access: 'signedIn', service: 'metadata' } as const;
const Row = z.object({ id: z.string(), name: z.string(), at: z.string() });
const COLUMNS = {
  Name: { key: { column: sql.fragment`name`, type: 'text' }, value: (row: z.infer<typeof Row>) => row.name },
  CreatedAt: { key: { column: sql.fragment`at`, type: 'timestamptz' }, value: (row: z.infer<typeof Row>) => row.at },
} as const;

function addRoutes(app: App, db: Database, signer: Signer) {
  const sorting = {
    sortBy: queryEnum(['Name', 'CreatedAt']).default('Name'),
    sortOrder: queryEnum(['Asc', 'Desc']).default('Asc'),
  };
  const querystring = z.object({ ...cursorQuery, ...sorting });
  app.get(
    '/api/folder/:parent/thing/list',
    { config, schema: { querystring, response: { 200: cursorPageOf(Row) } } },
    async ({ query, caller, params }) => {
      const { key, value } = COLUMNS[query.sortBy];
      const id = sql.fragment`id`;
      const scope = ['things', (params as { parent: string }).parent, query.sortBy, query.sortOrder, caller.userId];
      return cursorPage(
        signer,
        query,
        scope,
        (position, limit) =>
          db.any(sql.type(Row)`
            select id, name, at from things where ${behind(key, id, query.sortOrder, position)}
            order by ${pageOrder(key, id, query.sortOrder)} limit ${limit}`),
        (row) => ({ value: value(row), id: row.id }),
      );
    },
  );
  app.get(
    '/api/thing/offset-list',
    { config, schema: { querystring: z.object(offsetQuery), response: { 200: offsetPageOf(Row) } } },
    async ({ query }) =>
      offsetPage(
        query,
        () => db.oneFirst(sql.type(z.object({ n: z.int() }))`select count(*)::int4 as n from things`),
        (offset, limit) =>
          db.any(sql.type(Row)`select id, name, at from things order by name, id offset ${offset} limit ${limit}`),
      ),
  );
}

async function world(t: ExecutionContext) {
  const { db, close } = await testDatabase(10, 'superuser');
  t.teardown(close);
  // many ties in both columns; names that sort otherwise by language than by code point
  await db.transaction((tx) =>
    tx.query(sql.unsafe`
    create table things as
    select uuidv7() as id, (array['a', 'B', 'ä', 'Z', '_'])[1 + n % 5] as name,
      timestamptz '2026-01-01' + (n % 7) * interval '1 microsecond' as at
    from generate_series(1, 60) n`),
  );
  const signer = await Signer.open(db, new KeyStore(), 'cursor');
  const app = await apiApp(t, (routes) => addRoutes(routes, db, signer), { db });
  const get = (url: string, who = 'anna') => app.inject({ url, headers: bearer(who) });
  return { db, get };
}

for (const sortBy of ['Name', 'CreatedAt'] as const)
  for (const sortOrder of ['Asc', 'Desc'] as const)
    test(`Cursor pages by ${sortBy} ${sortOrder} return every row once, ties by id in the same direction`, async (t) => {
      const { get } = await world(t);
      const list = `/api/folder/1/thing/list?sortBy=${sortBy}&sortOrder=${sortOrder}`;
      const seen: z.infer<typeof Row>[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const answer = await get(`${list}&limit=20${cursor ? `&cursor=${cursor}` : ''}`);
        t.is(answer.statusCode, 200);
        ({ cursor } = answer.json());
        seen.push(...answer.json().data);
        pages++;
      } while (cursor !== undefined);
      t.is(pages, 3, 'the last page, although full, has no cursor');
      const ordinal = (row: z.infer<typeof Row>) =>
        `${Buffer.from(COLUMNS[sortBy].value(row)).toString('hex')} ${row.id}`;
      const expected = seen.toSorted((a, b) => (ordinal(a) < ordinal(b) ? -1 : 1));
      t.deepEqual(seen, sortOrder === 'Asc' ? expected : expected.toReversed());
      t.is(new Set(seen.map(({ id }) => id)).size, 60);
    });

test('A cursor is valid only for its list, parent, order and caller', async (t) => {
  const { get } = await world(t);
  const list = '/api/folder/1/thing/list';
  const { cursor } = (await get(`${list}?limit=5`)).json();
  t.is((await get(`${list}?cursor=${cursor}`)).statusCode, 200);
  t.is((await get(`${list}?cursor=${cursor}`, 'berta')).statusCode, 400);
  t.is((await get(`${list}?cursor=${cursor}&sortOrder=Desc`)).statusCode, 400);
  t.is((await get(`${list}?cursor=${cursor}&sortBy=CreatedAt`)).statusCode, 400);
  t.is((await get(`/api/folder/2/thing/list?cursor=${cursor}`)).statusCode, 400);
  const [content, kid, signature] = cursor.split('.');
  const forged = Buffer.from(JSON.stringify(['a', 'x'])).toString('base64url');
  for (const bad of ['x', '', `${forged}.${kid}.${signature}`, `${content}.${kid}.`, `${content}.nobody.${signature}`])
    t.is((await get(`${list}?cursor=${bad}`)).statusCode, 400, bad);
});

test('the limit is 50 by default, and between 1 and 1000', async (t) => {
  const { get } = await world(t);
  for (const list of ['/api/folder/1/thing/list', '/api/thing/offset-list']) {
    t.is((await get(list)).json().data.length, 50);
    t.is((await get(`${list}?limit=1000`)).json().data.length, 60);
    for (const bad of ['0', '1001', '-1', 'x', '1.5']) t.is((await get(`${list}?limit=${bad}`)).statusCode, 400, bad);
  }
});

test('An offset page has the total; an offset past the end gives an empty page, a negative one is refused', async (t) => {
  const { get } = await world(t);
  const last = (await get('/api/thing/offset-list?offset=58&limit=10')).json();
  t.like(last, { totalCount: 60, offset: 58, limit: 10 });
  t.is(last.data.length, 2);
  const past = await get('/api/thing/offset-list?offset=1000');
  t.deepEqual([past.statusCode, past.json()], [200, { totalCount: 60, offset: 1000, limit: 50, data: [] }]);
  t.is((await get('/api/thing/offset-list?offset=-1')).statusCode, 400);
});
