import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import type { App } from '../../src/http/route.ts';
import { overHttp } from '../world/client.ts';
import { hasRedis, startRedis } from '../world/redis.ts';
import { startServer } from '../world/server.ts';
import { newTiles } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { PASSWORD, type User, world } from '../world.ts';
import { newKey } from './isolation/credentials.ts';

const w = world(test);
const LIST = '/api/metadata/project/list';
const HOUR_MS = 3_600_000;
const rate = (count: number, windowMs = HOUR_MS) => ({ count, windowMs });

/** An API process with limits of its own. */
async function limited(t: { teardown(work: () => Promise<void>): void }, settings: Partial<Config>): Promise<App> {
  const app = await buildApp({
    config: { ...w.config, ...settings },
    db: w.db,
    databaseUrl: w.url,
    blobs: w.blobs,
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    passwordIterations: 10,
  });
  await app.ready();
  t.teardown(() => app.close());
  return app;
}

const bearer = async (user: Pick<User, 'userId'>) => ({ authorization: `Bearer ${await w.tokenOf(user)}` });
const statuses = async (count: number, ask: () => Promise<{ statusCode: number }>) => {
  const list: number[] = [];
  for (let n = 0; n < count; n++) list.push((await ask()).statusCode);
  return list;
};

test('A caller that sends more than its rate is 429 with Retry-After, and others are not', async (t) => {
  const app = await limited(t, { 'limits.rate': rate(3), 'limits.concurrent': 7 });
  const [one, other] = [await bearer(await w.account()), await bearer(await w.account())];
  const ask = (headers: Record<string, string>) => app.inject({ url: LIST, headers });
  const first = await ask(one);
  t.is(first.headers['ratelimit-policy'], '"default";q=3;w=3600, "concurrent";q=7;qu="concurrent-requests"');
  t.is(first.headers.ratelimit, '"default";r=2;t=3600, "concurrent";r=6');
  t.deepEqual(await statuses(3, () => ask(one)), [200, 200, 429]);
  const refused = await ask(one);
  t.like(refused.json(), { status: 429, code: 'TooManyRequests' });
  t.regex(String(refused.headers['retry-after']), /^3\d{3}$/);
  t.regex(String(refused.headers.ratelimit), /^"default";r=0;t=3\d{3}/);
  t.deepEqual(await statuses(1, () => ask(other)), [200]);
  const { key } = await newKey(w, await w.administrator(), {});
  t.deepEqual(await statuses(4, () => ask({ 'svc-open-api-key': key })), [200, 200, 200, 429]);
  // health and pages are free
  for (const url of ['/health/live', '/health/ready', '/docs', '/docs/guide/concepts', '/openapi.json', '/'])
    t.false((await statuses(5, () => app.inject(url))).includes(429), url);
});

test('Requests without valid credentials count for their client address, and a valid token still passes', async (t) => {
  const app = await limited(t, { 'limits.rate': rate(3) });
  const wrong = () => app.inject({ url: LIST, headers: { authorization: 'Bearer wrong' } });
  t.deepEqual(await statuses(5, wrong), [401, 401, 401, 429, 429]);
  t.is((await app.inject({ url: LIST, headers: await bearer(await w.account()) })).statusCode, 200);
  const from = (address: string) => app.inject({ url: LIST, remoteAddress: address });
  t.deepEqual(await statuses(4, () => from('2001:db8::1')), [401, 401, 401, 429]);
  t.is((await from('2001:db8::2')).statusCode, 429, 'the same /64');
  t.is((await from('2001:db8:0:1::1')).statusCode, 401);
});

test('Revoked keys and wrong passwords do not stop other clients at their address from logging in or using signed addresses', async (t) => {
  const app = await limited(t, { 'limits.rate': rate(3) });
  const dead = () => app.inject({ url: LIST, headers: { 'svc-open-api-key': randomUUID() } });
  t.deepEqual(await statuses(5, dead), [401, 401, 401, 429, 429]);
  const { id } = await w.account();
  const login = (password: string) => app.inject({ method: 'POST', url: '/api/tokens', payload: { id, password } });
  t.is((await login(PASSWORD)).statusCode, 200);
  t.is((await app.inject('/api/blob/staging/none?sig=1')).statusCode, 403);
  for (let n = 0; n < 5; n++) await login('wrong');
  t.is((await login(PASSWORD)).statusCode, 200);
});

test('Searches and exports of values have a share of their own', async (t) => {
  const app = await limited(t, { 'limits.rate': rate(10), 'limits.heavyRate': rate(2) });
  const headers = await bearer(await w.account());
  const find = () => app.inject({ url: '/api/metadata/find?name=x', headers });
  const { headers: sent } = await app.inject({ url: LIST, headers });
  t.is(sent['ratelimit-policy'], '"default";q=10;w=3600');
  const policies = (await find()).headers['ratelimit-policy'];
  t.is(policies, '"default";q=10;w=3600, "heavy";q=2;w=3600');
  t.is((await find()).statusCode === 429, false);
  t.is((await find()).statusCode, 429);
  t.is((await app.inject({ url: LIST, headers })).statusCode, 200);
});

test('Blob addresses are 503 with Retry-After, which blob clients understand', async (t) => {
  const app = await limited(t, { 'limits.rate': rate(1) });
  const url = '/api/blob/staging/none?sig=1';
  t.deepEqual(await statuses(1, () => app.inject(url)), [403]);
  const { statusCode, headers } = await app.inject(url);
  t.deepEqual([statusCode, headers['x-ms-error-code']], [503, 'ServerBusy']);
  t.regex(String(headers['retry-after']), /^\d+$/);
});

/** Opens a stream of events and returns its end. */
async function openStream(address: string, headers: Record<string, string>) {
  const request = get(`${address}/api/eventing/event/list`, {
    headers: { ...headers, accept: 'text/event-stream' },
    agent: new Agent(),
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return {
    status: answer.statusCode,
    close(): void {
      request.destroy();
    },
  };
}
const untilStatus = async (status: number, ask: () => Promise<{ status: number | undefined; close(): void }>) => {
  for (;;) {
    const one = await ask();
    if (one.status === status) return one;
    one.close();
    await sleep(20);
  }
};

test('A caller has a number of requests in flight, and a place is free again when its client leaves', async (t) => {
  const app = await limited(t, { 'limits.concurrent': 2 });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = await bearer(await w.account());
  const open = [await openStream(address, headers), await openStream(address, headers)];
  t.deepEqual(
    open.map(({ status }) => status),
    [200, 200],
  );
  const refused = await app.inject({ url: LIST, headers });
  t.is(refused.statusCode, 429);
  t.is(refused.headers['retry-after'], '1');
  t.is((await app.inject({ url: LIST, headers: await bearer(await w.account()) })).statusCode, 200);
  open[0]?.close();
  open.push(await untilStatus(200, () => openStream(address, headers)));
  for (const one of open) one.close();
});

test('tiles from the response cache count, too', async (t) => {
  const user = await w.administrator();
  const id = await newTiles(w, await newProject(w.as(user)), user);
  const app = await limited(t, { 'limits.rate': rate(20) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const ask = await overHttp(await app.listen({ host: '127.0.0.1', port: 0 }), agent);
  const headers = await bearer(user);
  const list: number[] = [];
  for (let n = 0; n < 22; n++) list.push((await ask(`/api/tiles/dataset/${id}/scheme/map/0/0/0`, headers)).status);
  t.deepEqual(list, [...Array(20).fill(200), 429, 429]);
});

const redisTest = hasRedis ? test : test.skip;

redisTest(
  'Processes share the limits in Redis, forget what a killed one had in flight, and limit alone without Redis',
  async (t) => {
    const { redis, port } = await startRedis(t);
    const settings = { 'cache.url': `redis://127.0.0.1:${port}`, 'limits.rate': rate(6), 'limits.concurrent': 1 };
    const [one, two] = [await limited(t, settings), await limited(t, settings)];
    const address = await one.listen({ host: '127.0.0.1', port: 0 });
    const headers = await bearer(await w.account());
    const ask = (app: App) => app.inject({ url: LIST, headers });
    // until both are connected
    const warm = await bearer(await w.account());
    for (const app of [one, two])
      while (!/r=[0-4];/.test(String((await app.inject({ url: LIST, headers: warm })).headers.ratelimit)))
        await sleep(20);
    t.deepEqual([(await ask(one)).statusCode, (await ask(two)).statusCode], [200, 200]);
    t.regex(String((await ask(one)).headers.ratelimit), /^"default";r=3;/);
    const stream = await openStream(address, headers);
    t.is(stream.status, 200);
    t.is((await ask(two)).statusCode, 429, 'in flight in the other process');
    t.is((await ask(one)).headers.ratelimit?.toString().slice(0, 13), '"default";r=0');
    stream.close();
    t.is((await ask(two)).statusCode, 429, 'rate');

    // nobody renews what a killed process had in flight
    const other = await bearer(await w.account());
    const server = await startServer(w, {
      'cache.url': settings['cache.url'],
      'limits.concurrent': '1',
    });
    const connected = async () => (await openStream(server.url, warm)).close();
    await connected();
    await sleep(500);
    const lost = await openStream(server.url, other);
    t.is(lost.status, 200);
    t.is((await two.inject({ url: LIST, headers: other })).statusCode, 429);
    server.process.kill('SIGKILL');
    // each request counts: a few within the rate
    await sleep(16_000);
    t.is((await two.inject({ url: LIST, headers: other })).statusCode, 200);
    redis.kill('SIGKILL');
    await once(redis, 'exit');
    const third = await bearer(await w.account());
    t.is((await two.inject({ url: LIST, headers: third })).statusCode, 200);
    t.deepEqual(await statuses(6, () => two.inject({ url: LIST, headers: third })), [200, 200, 200, 200, 200, 429]);
  },
);
