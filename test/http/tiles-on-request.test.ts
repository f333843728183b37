import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { Database } from '../../src/db.ts';
import { lockNumber } from '../../src/tiles/store/tile-store.ts';
import { type Client as Caller, clientOf } from '../world/client.ts';
import { until } from '../world/hooks.ts';
import { newTilesOf, steppedGrid } from '../world/tiles.ts';
import { type Client, PASSWORD_ITERATIONS, type User, world } from '../world.ts';

const w = world(test);

const whole = { schemeType: 'XYZ', zoomLevels: [11, 13, 14, 16], minValue: 0, maxValue: 3000 };
const schemes = [
  { ...whole, schemeId: 'now' },
  { ...whole, schemeId: 'later', firstLevelOnRequest: 13 },
  { ...whole, schemeId: 'twin', firstLevelOnRequest: 13 },
];

interface Made {
  readonly owner: User;
  readonly client: Client;
  readonly id: string;
  readonly url: string;
  /** Tiles of the deepest level: row/column. */
  readonly tiles: readonly string[];
}

async function make(): Promise<Made> {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = (await client.post('/api/metadata/project', { name: 'Sea' })).body.id;
  const id = await newTilesOf(w, { projectId, user: owner, name: 'tiles' }, steppedGrid(), schemes);
  const url = `/api/tiles/dataset/${id}/scheme`;
  const { body } = await client.get(`${url}/later/availability`);
  const tiles: string[] = [];
  for (const one of body.tileMatrixSetLimits)
    for (let row = one.minTileRow; one.tileMatrix === '16' && row <= one.maxTileRow; row++)
      for (let column = one.minTileCol; column <= one.maxTileCol; column++) tiles.push(`${row}/${column}`);
  return { owner, client, id, url, tiles };
}

/** Another process of the API on the same database: with its own connections, threads and memory. */
async function otherProcess(user: User, settings: Partial<Config> = {}): Promise<Caller & { close(): Promise<void> }> {
  const db = new Database(w.url, 5);
  const config = { ...w.config, 'tiles.threads': 1, ...settings };
  const parts = { config, db, databaseUrl: w.url, blobs: w.blobs, log: pino({ level: 'fatal' }) };
  const app = await buildApp({ ...parts, passwordIterations: PASSWORD_ITERATIONS });
  await app.ready();
  const client = clientOf(
    () => app,
    async () => ({ authorization: `Bearer ${await w.tokenOf(user)}` }),
  );
  const close = async () => {
    await app.close();
    await db.end();
  };
  return { ...client, close };
}

/** Tiles by their origin, as a process counted them. */
async function origins(client: Caller): Promise<Record<string, number>> {
  const { raw } = await client.get('/metrics');
  const lines = [...raw.toString().matchAll(/^platform_tiles_on_request_total\{origin="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, origin, count]) => [origin, Number(count)]));
}

const keptRows = (id: string) =>
  w.sql<{ scheme_id: string; content: Buffer }>('select scheme_id, content from drawn_tiles where dataset_id = $1', [
    id,
  ]);

/** Bytes that are counted and are not there. */
const counted = `
  select (select sum(bytes) from drawn_tile_bytes)
    - (select coalesce(sum(size), 0) from drawn_tile_contents)
    - 300 * (select count(*) from drawn_tiles) - 300 * (select count(*) from deleted_drawn_tiles) as difference`;

test.serial('a tile is drawn once for many requests at two processes, and found after a restart', async (t) => {
  const { owner, client, url, id, tiles } = await make();
  const there = await otherProcess(owner);
  const path = `16/${tiles[3]}?timeStep=1`;
  const ask = (from: Caller) => from.get(`${url}/later/${path}`);
  const answers = await Promise.all([client, there, client, there, client, there].map(ask));
  const drawn = await client.get(`${url}/now/${path}`);
  t.deepEqual(
    answers.map(({ status, headers, raw }) => [status, headers.etag, headers['content-type'], raw.equals(drawn.raw)]),
    answers.map(() => [200, drawn.headers.etag, 'image/png', true]),
  );
  const [here, elsewhere] = [await origins(client), await origins(there)];
  t.is((here.drawn ?? 0) + (elsewhere.drawn ?? 0), 1);
  t.is((await keptRows(id)).length, 1);
  await there.close();

  const again = await otherProcess(owner);
  for (let n = 0; n < 2; n++) t.is((await ask(again)).headers.etag, drawn.headers.etag);
  t.deepEqual(await origins(again), { database: 1 });
  const current = await again.get(`${url}/later/${path}`, { 'if-none-match': String(drawn.headers.etag) });
  t.is(current.status, 304);
  // No process holds a lock of a stored tile, neither the drawing one nor a reading one.
  const held = `select from pg_locks join pg_stat_activity using (pid)
    where datname = current_database() and application_name = 'platform tiles' and locktype = 'advisory'`;
  for (let n = 0; n < 500 && (await w.sql(held)).length > 0; n++) await sleep(20);
  t.deepEqual(await w.sql(held), []);
  await again.close();
});

test.serial(
  'all tiles of all ways have the ETags of tiles that the writer drew; equal ones are kept once',
  async (t) => {
    const { client, url, id, tiles } = await make();
    t.true(tiles.length >= 6);
    const both = await Promise.all(
      ['now', 'later', 'twin'].map((scheme) => client.get(`${url}/${scheme}/availability`)),
    );
    t.deepEqual(both[1]!.body.tileMatrixSetLimits, both[0]!.body.tileMatrixSetLimits);
    const etags = async (scheme: string) => {
      const found: (string | undefined)[] = [];
      for (const tile of tiles) found.push((await client.get(`${url}/${scheme}/16/${tile}`)).headers.etag as string);
      return found;
    };
    const now = await etags('now');
    t.deepEqual(await etags('later'), now);
    t.deepEqual(await etags('twin'), now);
    const [row, column] = tiles[0]!.split('/');
    const kvp = `../wmts?service=WMTS&version=1.0.0&request=GetTile&layer=later&format=image/png&tileMatrixSet=WebMercatorQuad-later&tileMatrix=16&tileRow=${row}&tileCol=${column}`;
    t.is((await client.get(`${url}/${kvp}`.replace('scheme/../', ''))).headers.etag, now[0]);
    const rows = await keptRows(id);
    t.is(rows.length, 2 * tiles.length);
    t.is(new Set(rows.map(({ content }) => content.toString('hex'))).size, new Set(now).size);
    const { body } = await client.get(`${url.replace('/scheme', '')}/metadata`);
    t.deepEqual(
      body.tilingSchemes.map((one: { levelsOnRequest?: number[] }) => one.levelsOnRequest),
      [undefined, [13, 14, 16], [13, 14, 16]],
    );
    t.false(JSON.stringify(body).includes('drawnOf'));
  },
);

test.serial('rights are checked before stored tiles, and tiles without data or outside are not drawn', async (t) => {
  const { client, url, id, tiles } = await make();
  const path = `${url}/later/16/${tiles[0]}`;
  t.is((await client.get(path)).status, 200);
  const stranger = w.as(await w.account({ tenantId: await w.tenant() }));
  t.is((await stranger.get(path)).status, 404);
  t.is((await w.nobody.get(path)).status, 401);
  const empty = await client.get(`${url}/later/emptyTile`);
  t.is((await client.get(`${url}/later/16/0/0`)).headers.etag, empty.headers.etag);
  t.is((await client.get(`${url}/later/16/65536/0`)).status, 404);
  t.is((await client.get(`${url}/later/15/0/0`)).status, 404);
  t.is((await keptRows(id)).length, 1);
  await w.sql('delete from datasets where id = $1', [id]);
  t.is((await keptRows(id)).length, 0);
  // the right that was checked before holds for a second
  await t.notThrowsAsync(until(async () => (await client.get(path)).status === 404));
});

test.serial(
  'a request waits for the process that draws its tile, takes over when that one ends, and stops when its client leaves',
  async (t) => {
    const { owner, client, url, id, tiles } = await make();
    const [{ blob }] = (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id])) as [
      { blob: string },
    ];
    const [row, column] = tiles[1]!.split('/').map(Number) as [number, number];
    const key = { datasetId: id, blob, schemeId: 'later', step: 0, layer: 0, level: 16, column, row };
    const path = `${url}/later/16/${tiles[1]}`;
    // Stands for a process that draws the tile.
    const drawing = new pg.Client({ connectionString: w.url });
    await drawing.connect();
    const lock = async () => {
      const text = 'select pg_try_advisory_lock($1::bigint) as locked';
      t.true((await drawing.query(text, [lockNumber(key)])).rows[0].locked);
    };
    await lock();
    const address = await w.listen();
    const headers = { authorization: `Bearer ${await w.tokenOf(owner)}` };
    const leaving = new AbortController();
    const arrived = once(w.app.server, 'request');
    const left = fetch(`${address}${path}`, { headers, signal: leaving.signal });
    await arrived;
    await sleep(50);
    leaving.abort();
    await t.throwsAsync(left, { name: 'AbortError' });
    await sleep(150);
    await drawing.query('select pg_advisory_unlock_all()');
    await sleep(200);
    t.is((await keptRows(id)).length, 0);

    await lock();
    let done = false;
    const waiting = client.get(path).finally(() => {
      done = true;
    });
    await sleep(200);
    t.false(done);
    await drawing.end();
    t.is((await waiting).status, 200);
    t.is((await keptRows(id)).length, 1);
  },
);

test.serial('a process whose lock connection was closed keeps drawing, and opens a new connection', async (t) => {
  const { client, url, id, tiles } = await make();
  const holders = `select pid from pg_stat_activity
    where datname = current_database() and application_name = 'platform tiles'`;
  for (const [n, tile] of tiles.slice(0, 3).entries()) {
    t.is((await client.get(`${url}/later/16/${tile}`)).status, 200);
    t.is((await keptRows(id)).length, n + 1);
    t.true((await w.sql(holders)).length > 0);
    await w.sql(`select pg_terminate_backend(pid) from (${holders}) held`);
  }
});

test.serial('the least recently used tiles are evicted', async (t) => {
  const { owner, url, id, tiles } = await make();
  const client = await otherProcess(owner, { 'tiles.keptBytes': 3000 });
  const size = async () =>
    Number((await w.sql<{ size: string }>('select coalesce(sum(size), 0) as size from drawn_tile_contents'))[0]!.size);
  let sum = 0;
  for (const step of [0, 1, 2])
    for (const tile of tiles) sum += (await client.get(`${url}/later/16/${tile}?timeStep=${step}`)).raw.length;
  t.true(sum > 6000, String(sum));
  for (let n = 0; n < 100 && (await size()) > 3000; n++) await sleep(20);
  t.true((await size()) <= 3000);
  t.true((await keptRows(id)).length > 0);
  // The counters equal the stored tiles.
  t.deepEqual(await w.sql(counted), [{ difference: '0' }]);
  const orphans = 'select from drawn_tile_contents c where not exists (select from drawn_tiles where content = c.hash)';
  t.is((await w.sql(orphans)).length, 0);

  // Tiles of a deleted dataset are deleted first.
  const deleting = new pg.Client({ connectionString: w.url });
  await deleting.connect();
  // in one transaction, as the last insert may still make room
  await deleting.query('begin');
  await deleting.query('delete from datasets where id = $1', [id]);
  t.true((await deleting.query(orphans)).rows.length > 0);
  await deleting.query('commit');
  await deleting.end();
  const next = await make();
  const other = await otherProcess(next.owner, { 'tiles.keptBytes': 3000 });
  for (const step of [0, 1])
    for (const tile of next.tiles) await other.get(`${next.url}/later/16/${tile}?timeStep=${step}`);
  for (let n = 0; n < 100 && (await w.sql(orphans)).length > 0; n++) await sleep(20);
  t.is((await w.sql(orphans)).length, 0);
  t.true((await keptRows(next.id)).length > 0);
  t.deepEqual(await w.sql(counted), [{ difference: '0' }]);
  await other.close();
  await client.close();
});

test.serial('after a crash of Postgres, which empties them, tiles are kept and counted again', async (t) => {
  const tables = ['deleted_drawn_tiles', 'drawn_tile_bytes', 'drawn_tile_contents', 'drawn_tiles'];
  const unlogged = "select relname from pg_class where relname = any($1) and relpersistence = 'u' order by 1";
  t.deepEqual(
    await w.sql(unlogged, [tables]),
    tables.map((relname) => ({ relname })),
  );
  const { url, id, tiles, client } = await make();
  t.is((await client.get(`${url}/later/16/${tiles[0]}`)).status, 200);
  // drawn_tiles first, as the deletion of former tiles behind the answer takes its locks
  await w.sql(`truncate ${tables.toReversed().join(', ')}`);
  for (const tile of tiles.slice(1, 4)) t.is((await client.get(`${url}/later/16/${tile}`)).status, 200);
  t.is((await keptRows(id)).length, 3);
  t.deepEqual(await w.sql(counted), [{ difference: '0' }]);
  t.is((await client.get(`${url.replace(/\/scheme$/, '')}/status`)).status, 200);
});

test.serial('with tiles.keptBytes 0 drawn tiles are cached only in memory', async (t) => {
  const { owner, url, id, tiles } = await make();
  const client = await otherProcess(owner, { 'tiles.keptBytes': 0 });
  const [first, second] = [
    await client.get(`${url}/later/16/${tiles[0]}`),
    await client.get(`${url}/later/16/${tiles[0]}`),
  ];
  t.deepEqual([first.status, second.headers.etag], [200, first.headers.etag]);
  t.deepEqual(await origins(client), { drawn: 1 });
  t.is((await keptRows(id)).length, 0);
  await client.close();
});
