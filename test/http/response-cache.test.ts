import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import type { Config } from '../../src/config.ts';
import { rawConnection } from '../world/raw-connection.ts';
import { answerWith, openReceiver } from '../world/receiver.ts';
import { newFeatures } from '../world/tiles.ts';
import { type Answer, type User, world } from '../world.ts';
import { bearerOf, type Get, stopClock, tileScene, tileServer } from './tile-server.ts';

const w = world(test, { trustedProxies: '127.0.0.1', 'cors.origins': 'https://maps.example' });

const server = (t: ExecutionContext, settings?: Partial<Config>) => tileServer(t, w, settings);
const bearer = (user: Pick<User, 'userId'>) => bearerOf(w, user);
const scene = () => tileScene(w);

/** Statements that the process sends while `work` runs. */
async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    count++;
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return count;
}

/** An answer that needed no statement; on a busy machine the right may be checked again before it is asked for. */
async function knownAnswer(get: Get, url: string, headers: Record<string, string>): Promise<Answer> {
  for (let n = 0; n < 100; n++) {
    await get(url, headers);
    let answer: Answer | undefined;
    const statements = await statementsDuring(async () => {
      answer = await get(url, headers);
    });
    if (statements === 0 && answer !== undefined) return answer;
  }
  throw new Error(`${url} was never answered without a statement.`);
}

/** An answer without the parts that differ between any two answers. */
function shown({ status, headers, raw }: Answer) {
  const { date: _, 'x-request-id': id, ...rest } = headers;
  return { status, headers: Object.fromEntries(Object.entries(rest).sort()), raw: raw.toString('base64'), hasId: !!id };
}

// serial: statements are counted over the whole process
test.serial('a cached tile needs no SQL statement and gives the same answer', async (t) => {
  const [fresh, { get }] = [await server(t), await server(t)];
  const { tile, vector, nothing, owner } = await scene();
  const own = await bearer(owner);
  const forms: Record<string, string>[] = [
    {},
    { 'accept-encoding': 'gzip' },
    { 'accept-encoding': 'br, gzip;q=0' },
    { origin: 'https://maps.example', 'api-version': '1' },
    { origin: 'https://elsewhere.example', 'Accept-Encoding': 'gzip' },
  ];
  for (const url of [tile, `${tile}?timeStep=1`, vector, nothing])
    for (const form of forms) {
      const what = `${url} ${JSON.stringify(form)}`;
      const headers = { ...own, ...form };
      const known = await knownAnswer(get, url, headers);
      const current = { ...headers, 'if-none-match': `"old", ${known.headers.etag}` };
      // this server has sent no such tile yet, so that nothing is cached
      const short = shown(await fresh.get(url, current));
      t.deepEqual(shown(known), shown(await fresh.get(url, headers)), what);
      t.is(known.status, url === nothing ? 204 : 200);
      if (url === nothing) continue;
      t.is(short.status, 304);
      t.deepEqual(shown(await knownAnswer(get, url, current)), short, `${what} 304`);
    }
  const named = await knownAnswer(get, tile, { ...own, 'x-request-id': 'mine' });
  t.is(named.headers['x-request-id'], 'mine');
  t.not((await knownAnswer(get, tile, { ...own, 'x-request-id': 'not ascii é' })).headers['x-request-id'], 'mine');
});

test.serial('HEAD has the headers of GET', async (t) => {
  const { app, get } = await server(t);
  const { tile, owner } = await scene();
  const headers = { ...(await bearer(owner)), 'accept-encoding': 'gzip' };
  const { 'x-request-id': _, date, ...expected } = (await knownAnswer(get, tile, headers)).headers;
  const head = await app.inject({ method: 'HEAD', url: tile, headers });
  t.is(head.statusCode, 200);
  t.is(head.body, '');
  t.like(head.headers, { etag: expected.etag, 'content-type': expected['content-type'] });
});

test.serial('Vary lists the request headers that change an answer, also besides Origin', async (t) => {
  const { get } = await server(t);
  const { id, tile, vector, owner } = await scene();
  const headers = { ...(await bearer(owner)), origin: 'https://maps.example' };
  const varyOf = async (url: string) =>
    String((await get(url, headers)).headers.vary)
      .toLowerCase()
      .split(/, */)
      .sort();
  t.deepEqual(await varyOf(vector), ['accept-encoding', 'origin']);
  t.deepEqual(await varyOf(tile), ['origin']);
  t.deepEqual(await varyOf(`/api/tiles/dataset/${id}/wmts`), ['accept', 'origin']);
  t.deepEqual(await varyOf(`/api/tiles/dataset/${id}/scheme/depth/legend`), ['accept', 'origin']);
  t.deepEqual(await varyOf('/'), ['accept', 'origin']);
});

test.serial('cached tiles are logged and counted like other answers', async (t) => {
  const { get, lines } = await server(t);
  const { tile, owner } = await scene();
  const own = await bearer(owner);
  await knownAnswer(get, `${tile}?layer=0&token=hunter2`, own);
  const asked = lines.length;
  await get(tile, { ...own, 'x-request-id': 'a"b\\c' });
  const answer = await knownAnswer(get, tile, { ...own, 'x-request-id': 'a"b\\c' });
  const [usual, ...rest] = lines.slice(asked).map((line) => JSON.parse(line));
  const last = rest.at(-1);
  t.deepEqual(Object.keys(last), Object.keys(usual));
  t.deepEqual({ ...last, time: 0, ms: 0 }, { ...usual, time: 0, ms: 0 });
  t.like(last, { requestId: 'a"b\\c', method: 'GET', url: tile, status: 200, caller: owner.id, msg: 'request' });
  t.is(answer.status, 200);
  t.false(lines.join('').includes('hunter2'));
  const metrics = (await get('/metrics', await bearer(await w.administrator()))).body as string;
  const route = '/api/tiles/dataset/:id/scheme/:schemeId/:tileMatrix/:tileRow/:tileCol';
  const count = metrics.split('\n').find((line) => line.includes(`duration_seconds_count`) && line.includes(route));
  const tiles = lines.filter((line) => line.includes('/scheme/depth/0/0/0'));
  t.is(Number(count?.split(' ').at(-1)), tiles.length);
});

/** What the collector got of requests for a tile that was sent before, and how long their server took to end. */
async function tracedTiles(t: ExecutionContext) {
  const collector = await openReceiver(answerWith(200));
  t.teardown(() => collector.close());
  const { get, lines, close } = await server(t, { 'otel.endpoint': `http://${collector.place}/` });
  const { tile, owner } = await scene();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const traced = { ...(await bearer(owner)), traceparent: `00-${trace}-b7ad6b7169203331-01`, 'x-request-id': 'traced' };
  await knownAnswer(get, tile, traced);
  await get(`${tile}?layer=0`, traced);
  const ends = performance.now();
  await close();
  const took = performance.now() - ends;
  const asked = lines.filter((line) => line.includes('"requestId":"traced"')).length;
  const told = collector.received
    .flatMap(({ body }) => JSON.parse(body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .filter(({ traceId, name }) => traceId === trace && name.startsWith('GET '))
    .map(({ name, parentSpanId, attributes }) => JSON.stringify([name, parentSpanId, attributes]));
  return { asked, told, took };
}

test.serial('cached tiles have spans like other answers', async (t) => {
  let seen = await tracedTiles(t);
  // a server that ends waits one second for the collector, which a busy machine may exceed
  while (seen.told.length < seen.asked && seen.took > 990) seen = await tracedTiles(t);
  t.is(seen.told.length, seen.asked);
  t.is(new Set(seen.told).size, 1);
  t.regex(seen.told[0]!, /GET \/api\/tiles\/dataset\/:id.*b7ad6b7169203331.*200.*/);
});

test.serial('a cached right ends immediately with a change by this process', async (t) => {
  const { get, app } = await server(t);
  const { tile, vector, owner, reader, projectId, id, tenantId } = await scene();
  const asOwner = await bearer(owner);
  const send = async (
    method: 'POST' | 'DELETE' | 'PUT',
    url: string,
    headers: Record<string, string>,
    payload = {},
  ) => {
    const answer = await app.inject({ method, url, headers, payload });
    t.true(answer.statusCode < 300, `${url} ${answer.statusCode} ${answer.body}`);
    return answer.body === '' ? {} : answer.json();
  };
  const link = async () =>
    (await get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true`, asOwner)).body.data;
  const [one, two] = [await link(), await link()];
  const { key, id: keyId } = await send('POST', '/api/iam/key', asOwner, { name: 'robot', role: 'Reader' });
  const asReader = await bearer(reader);
  t.is((await knownAnswer(get, tile, asReader)).status, 200);
  t.is((await knownAnswer(get, tile, { 'svc-open-api-key': key })).status, 200);
  t.is((await knownAnswer(get, `${tile}?${one}`, {})).status, 200);
  t.is((await knownAnswer(get, tile, { 'svc-sas-token': two })).status, 200);
  await send('POST', `/api/metadata/dataset/${id}/revoke-grants`, asOwner);
  t.is((await get(`${tile}?${one}`)).status, 403);
  t.is((await get(tile, { 'svc-sas-token': two })).status, 403);

  await knownAnswer(get, tile, { 'svc-open-api-key': key });
  await send('DELETE', `/api/iam/key/${keyId}`, asOwner);
  t.is((await get(tile, { 'svc-open-api-key': key })).status, 401);

  await knownAnswer(get, vector, asReader);
  await send('DELETE', `/api/metadata/project/${projectId}/member/${reader.userId}`, asOwner);
  t.is((await get(vector, asReader)).status, 404);
  t.is((await get(tile, asReader)).status, 404);

  const leaving = await w.account({ tenantId });
  await send('POST', `/api/metadata/project/${projectId}/member`, asOwner, { userId: leaving.userId, role: 'Reader' });
  const asLeaving = await bearer(leaving);
  await knownAnswer(get, tile, asLeaving);
  const asAdministrator = await bearer(await w.administrator());
  await send('DELETE', `/api/accounts/${leaving.id}`, asAdministrator);
  t.is((await get(tile, asLeaving)).status, 401);

  const before = await knownAnswer(get, tile, asOwner);
  await send('PUT', `/api/metadata/project/${projectId}/dataset`, asOwner, { id, name: 'another name' });
  // checks the right anew, with the new version
  await get(`${tile}?layer=0`, asOwner);
  const after = await get(tile, asOwner);
  t.is(after.status, 200);
  t.not(after.headers.etag, before.headers.etag);
  t.is((await knownAnswer(get, tile, asOwner)).headers.etag, after.headers.etag);
  await send('DELETE', `/api/metadata/dataset/${id}`, asOwner);
  t.is((await get(tile, asOwner)).status, 404);
});

test.serial('a cached right ends within 10 s of a change by another process', async (t) => {
  const { get } = await server(t);
  const { tile, owner, reader, projectId } = await scene();
  const [asOwner, asReader] = [await bearer(owner), await bearer(reader)];
  await knownAnswer(get, tile, asReader);
  // a server that shares nothing with the other one
  await w.as(owner).delete(`/api/metadata/project/${projectId}/member/${reader.userId}`);
  await w.sql('update accounts set enabled = false where user_id = $1', [owner.userId]);
  const changed = performance.now();
  for (;;) {
    const asked = performance.now();
    const statuses = [(await get(tile, asReader)).status, (await get(tile, asOwner)).status];
    if (statuses.join() === '404,401') return t.pass();
    if (asked - changed > 10_000) return t.deepEqual(statuses, [404, 401]);
    await sleep(100);
  }
});

test.serial('rights are checked again when any process announces the end of a transfer', async (t) => {
  const { get } = await server(t);
  const { tile, owner } = await scene();
  const own = await bearer(owner);
  await knownAnswer(get, tile, own);
  // from now on, rights do not end with time
  stopClock(t);
  await knownAnswer(get, tile, own);
  const during = await statementsDuring(async () => {
    for (let n = 0; n < 50; n++) await get(tile, own);
  });
  // the process has other work now and then
  t.true(during < 10, `${during} statements`);
  for (let inTurn = 0; inTurn < 3; ) {
    await w.sql("select pg_notify('transfer_ended', '00000000-0000-4000-8000-000000000000')");
    inTurn = (await statementsDuring(() => get(tile, own))) > 0 ? inTurn + 1 : 0;
  }
  t.is((await knownAnswer(get, tile, own)).status, 200);
});

test.serial('descriptions show a change by another process at once', async (t) => {
  const [here, there] = [await server(t), await server(t)];
  const { id, features, owner, tile, vector } = await scene();
  const own = await bearer(owner);
  const described = [
    `/api/tiles/dataset/${id}/wmts`,
    `/api/tiles/dataset/${id}/wmts/1.0.0/WMTSCapabilities.xml`,
    `/api/vectortiles/dataset/${features}/tilejson.json`,
  ];
  const client = w.as(owner);
  for (let n = 0; n < 5; n++) {
    for (const url of [tile, vector]) t.is((await here.get(url, own)).status, 200);
    for (const dataset of [id, features]) {
      const { body: record } = await client.get(`/api/metadata/dataset/${dataset}`);
      const { status } = await client.put(`/api/metadata/project/${record.projectId}/dataset`, {
        ...record,
        name: `Renamed ${n}`,
      });
      t.is(status, 200);
    }
    for (const { get } of [here, there])
      for (const url of described) t.true((await get(url, own)).raw.includes(`Renamed ${n}`), url);
  }
});

test.serial('a cached right is bound to credentials, client address and headers of its check', async (t) => {
  const { get } = await server(t);
  const { tile, owner, projectId, id, tenantId } = await scene();
  const asOwner = await bearer(owner);
  const stranger = await w.account({ tenantId: await w.tenant() });
  const asStranger = await bearer(stranger);
  await knownAnswer(get, tile, asOwner);
  t.is((await get(tile, asStranger)).status, 404);
  t.is((await get(tile)).status, 401);
  t.is((await get(tile, { authorization: `${asOwner.authorization}x` })).status, 401);
  t.is((await get(tile, { ...asOwner, 'svc-tenant-id': stranger.tenantId })).status, 403);
  t.is((await get(tile, { ...asOwner, 'dhi-project-id': tenantId })).status, 400);
  t.is((await get(tile, { ...asOwner, 'svc-project-id': projectId })).status, 200);
  t.is((await get(tile, { ...asOwner, 'svc-service-id': 'nothing' })).status, 400);
  t.is((await get(tile, { ...asOwner, 'api-version': '9' })).status, 400);
  t.is((await get(`${tile}?api-version=9`, asOwner)).status, 400);

  const networks = { name: 'robot', role: 'Reader', allowedNetworks: ['192.0.2.0/24'] };
  const { key } = (await w.as(owner).post('/api/iam/key', networks)).body;
  const from = (address: string) => ({ 'svc-open-api-key': key, 'x-forwarded-for': address });
  t.is((await knownAnswer(get, tile, from('192.0.2.7'))).status, 200);
  t.is((await get(tile, from('198.51.100.7'))).status, 403);
  t.is((await get(tile, { 'svc-open-api-key': key })).status, 403);

  const here = { name: 'robot', role: 'Reader', allowedNetworks: ['127.0.0.2'] };
  const local = { 'svc-open-api-key': (await w.as(owner).post('/api/iam/key', here)).body.key };
  const fromTwo: Get = (url, headers) => get(url, headers, '127.0.0.2');
  t.is((await knownAnswer(fromTwo, tile, local)).status, 200);
  t.is((await get(tile, local)).status, 403);

  // a signature in the query counts however its name is encoded, and for nothing but its own query
  const path = `/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true`;
  const link = (await get(path, asOwner)).body.data as string;
  const encoded = link.replace('sig=', '%73ig=');
  t.is((await get(`${tile}?${encoded}`, asStranger)).status, 200);
  t.is((await get(`${tile}?${encoded}`, asStranger)).status, 200);
  t.is((await get(tile, asStranger)).status, 404);
  t.is((await knownAnswer(get, `${tile}?${link}`, {})).status, 200);
  t.is((await get(`${tile}?${link.slice(0, -4)}AAAA`)).status, 403);
});

test.serial('a cached right ends with the credentials', async (t) => {
  const { get } = await server(t);
  const { tile, owner, projectId, id } = await scene();
  const path = `/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true&expiration=0:00:03`;
  const asOwner = await bearer(owner);
  let link: string;
  let ends: number;
  let first: number;
  // on a busy machine a link may end before it is asked with
  do {
    link = (await get(path, asOwner)).body.data as string;
    ends = Date.parse(new URLSearchParams(link).get('se')!);
    first = (await get(`${tile}?${link}`)).status;
  } while (first !== 200 && Date.now() >= ends);
  t.is(first, 200);
  while (Date.now() < ends) await get(`${tile}?${link}`);
  t.is((await get(`${tile}?${link}`)).status, 403);
});

test.serial('a cached right ends in the millisecond in which the credentials expire', async (t) => {
  const { get } = await server(t);
  const { tile, owner, projectId, id } = await scene();
  const asOwner = await bearer(owner);
  const path = `/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true&expiration=1:00:00`;
  const link = (await get(path, asOwner)).body.data as string;
  const { exp } = JSON.parse(Buffer.from(asOwner.authorization.split('.')[1]!, 'base64url').toString());
  const clock = stopClock(t);
  for (const [url, headers, ends, status] of [
    // tokens are accepted for five seconds more
    [tile, asOwner, (exp + 5) * 1000, 401],
    [`${tile}?${link}`, {}, Date.parse(new URLSearchParams(link).get('se')!), 403],
  ] as const) {
    clock.set(ends - 1);
    t.is((await knownAnswer(get, url, headers)).status, 200);
    clock.set(ends);
    t.is((await get(url, headers)).status, status);
  }
});

test.serial('pipelined requests on one connection are answered in order', async (t) => {
  const { app } = await server(t);
  const { tile, vector, owner } = await scene();
  const { authorization } = await bearer(owner);
  const connection = await rawConnection(app.server);
  t.teardown(() => connection.destroy());
  const head = (url: string) => `GET ${url} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`;
  const [image, drawn] = [await connection.ask(head(tile)), await connection.ask(head(vector))];
  t.notDeepEqual(image.body, drawn.body);
  const list = '/api/metadata/project/list';
  for (let n = 0; n < 20; n++) {
    await connection.send([tile, list, vector, tile].map(head).join(''));
    t.deepEqual((await connection.answer())?.body, image.body);
    t.regex((await connection.answer())!.head, /content-type: application\/json/i);
    t.deepEqual((await connection.answer())?.body, drawn.body);
    t.deepEqual((await connection.answer())?.body, image.body);
  }
});

test.serial('a large answer that is being read is not cut when the server closes', async (t) => {
  const { app, close } = await server(t);
  const { owner, projectId } = await scene();
  const properties = { text: 'x'.repeat(4_000_000) };
  const geometry = { type: 'Point', coordinates: [9, 54.1] };
  const features = JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] });
  const big = await newFeatures(w, projectId, owner, features);
  const { authorization } = await bearer(owner);
  const url = `/api/vectortiles/dataset/${big}/0/0/0.vector.pbf`;
  const head = `GET ${url} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`;
  const connection = await rawConnection(app.server);
  t.teardown(() => connection.destroy());
  const { body } = await connection.ask(head);
  t.true(body.length > 4_000_000);
  connection.pause();
  await connection.send(head);
  const closing = close();
  await new Promise(setImmediate);
  connection.resume();
  t.true((await connection.answer())?.body.equals(body));
  await closing;
});

test.serial('the size of the cache is bounded in bytes, and recently used answers stay', async (t) => {
  const { get } = await server(t, { 'limits.rate': { count: 1000, windowMs: 60_000 } });
  const { owner, projectId } = await scene();
  const properties = { text: 'x'.repeat(2_000_000) };
  const geometry = { type: 'Point', coordinates: [9, 54.1] };
  const features = JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] });
  const big = await newFeatures(w, projectId, owner, features);
  const own = await bearer(owner);
  const of = (n: number) => `/api/vectortiles/dataset/${big}/0/0/0.vector.pbf?n=${n}`;
  /** Cached answers omit the remaining rate limit of the caller. */
  const isCached = async (n: number) => (await get(of(n), own)).headers.ratelimit === undefined;
  // rights do not end with time
  stopClock(t);
  for (let n = 0; n < 80; n++) {
    await get(of(n), own);
    t.true(await isCached(n));
    t.true(await isCached(0));
  }
  t.false(await isCached(1));
  t.true(await isCached(0));
});
