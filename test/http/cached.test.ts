import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { MemoryStore } from '../../src/http/cache/store.ts';
import type { App } from '../../src/http/route.ts';
import { hasRedis, startRedis } from '../world/redis.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test, { 'cache.lifetimes': 'accounts=90s,converters=3s' });
const URL = '/api/account/list';
const basic = (id: string, password = PASSWORD) => ({
  authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`,
});
const admin = async () => w.as(await w.administrator());

/** Another API process on the same database, as far as a test can have one. */
async function anotherApp(t: { teardown(work: () => Promise<void>): void }, settings: object = {}): Promise<App> {
  const app = await buildApp({
    config: { ...w.config, ...settings },
    db: w.db,
    databaseUrl: w.url,
    blobs: w.blobs,
    log: pino({ level: 'silent' }),
    passwordIterations: 10,
  });
  await app.ready();
  t.teardown(() => app.close());
  return app;
}

test.serial('the legacy list is a bare array sorted by Id, with redacted hashes', async (t) => {
  const { id } = await w.account({ roles: 'BackOffice,CreditSpender' });
  const { status, body } = await (await admin()).get(URL);
  t.is(status, 200);
  t.deepEqual(
    body.map(({ Id }: { Id: string }) => Id),
    body.map(({ Id }: { Id: string }) => Id).sort(),
  );
  t.deepEqual(
    body.find(({ Id }: { Id: string }) => Id === id),
    { Id: id, Name: id, Roles: 'BackOffice,CreditSpender', Activated: true, EncryptedPassword: 'redacted' },
  );
});

test.serial('Basic authentication is accepted only on the legacy list and only from administrators', async (t) => {
  const { id } = await w.administrator();
  t.is((await w.nobody.get(URL, basic(id))).status, 200);
  t.is((await w.nobody.get(URL, basic(id, 'Wrong-horse-77'))).status, 401);
  t.is((await w.nobody.get(URL, basic('nobody-known'))).status, 401);
  t.is((await w.nobody.get(URL, { authorization: 'Basic !' })).status, 401);
  t.is((await w.nobody.get(URL, basic((await w.account()).id))).status, 403);
  t.is((await w.nobody.get('/api/accounts', basic(id))).status, 401);
});

test.serial('Basic authentication of an account that needs a one-time password is 401', async (t) => {
  const { id } = await w.account({ userGroups: ['Administrators'] });
  t.is((await w.nobody.get(URL, basic(id))).status, 200);
  t.is((await w.nobody.post('/api/tokens/otp/registration', { id, password: PASSWORD })).status, 200);
  t.is((await w.nobody.get(URL, basic(id))).status, 401);
});

test.serial('a cached response keeps its ETag; a 304 has ETag and Cache-Control and no body', async (t) => {
  const root = await admin();
  const first = await root.get(URL);
  const { etag } = first.headers as { etag: string };
  t.regex(etag, /^"[\w-]{10,}"$/);
  t.is(first.headers['cache-control'], 'must-revalidate, max-age=90');
  t.regex(String(first.headers.vary), /Authorization/);
  const second = await root.get(URL);
  t.is(second.headers.etag, etag);
  t.deepEqual(second.body, first.body);
  t.is(second.headers['content-type'], first.headers['content-type']);
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const same = await root.get(URL, { 'if-none-match': header });
    t.is(same.status, 304, header);
    t.is(same.raw.length, 0);
    t.is(same.headers.etag, etag);
    t.is(same.headers['cache-control'], 'must-revalidate, max-age=90');
  }
  t.is((await root.get(URL, { 'if-none-match': '"other"' })).status, 200);
});

test.serial('a successful write invalidates the cache in every API process; a failed one does not', async (t) => {
  const root = await admin();
  const other = await anotherApp(t);
  const authorization = `Bearer ${await w.tokenOf(await w.administrator())}`;
  const elsewhere = () => other.inject({ url: URL, headers: { authorization } });
  const etag = (await root.get(URL)).headers.etag;
  const there = (await elsewhere()).headers.etag;
  t.is((await elsewhere()).headers.etag, there);
  await root.post('/api/accounts', { id: 'refused', password: 'weak' });
  t.is((await root.get(URL)).headers.etag, etag);
  const { id } = await w.account();
  const fresh = await root.get(URL);
  t.not(fresh.headers.etag, etag);
  t.true(fresh.body.some(({ Id }: { Id: string }) => Id === id));
  const answer = await elsewhere();
  t.not(answer.headers.etag, there);
  t.deepEqual(answer.json(), fresh.body);
  await root.put('/api/accounts', { id, name: 'Renamed' });
  t.true((await elsewhere()).body.includes('Renamed'));
  await root.delete(`/api/accounts/${id}`);
  t.false((await elsewhere()).body.includes('Renamed'));
});

test.serial(
  'the cache never serves a response older than a finished write, also during concurrent writes',
  async (t) => {
    const root = await admin();
    const { id } = await w.account();
    for (let n = 0; n < 20; n++) {
      const reads = Array.from({ length: 3 }, () => root.get(URL));
      const written = root.put('/api/accounts', { id, name: `Name ${n}` });
      await Promise.all([...reads, written]);
      t.true((await root.get(URL)).raw.includes(`"Name ${n}"`));
    }
  },
);

test.serial('failed logins are counted but do not invalidate the cached list', async (t) => {
  const root = await admin();
  const { id } = await w.account();
  const { etag } = (await root.get(URL)).headers;
  await w.nobody.post('/api/tokens', { id, password: 'Wrong-horse-77' });
  t.is((await root.get(URL)).headers.etag, etag);
});

test.serial('an expired response is computed again; a 304 extends its lifetime', async (t) => {
  const member = w.as(await w.account());
  const url = '/api/conversion/reader/list';
  /**
   * Asks again and again for longer than the lifetime. On a busy machine a step may exceed it: then there is no etag.
   */
  async function keptAlive(): Promise<string | undefined> {
    const began = performance.now();
    const { etag } = (await member.get(url)).headers as { etag: string };
    for (let last = began; last - began < 3200; ) {
      await sleep(400);
      const asked = performance.now();
      const { status } = await member.get(url, { 'if-none-match': etag });
      if (performance.now() - last >= 3000) return undefined;
      t.is(status, 304);
      last = asked;
    }
    return etag;
  }
  let etag: string | undefined;
  while (etag === undefined) etag = await keptAlive();
  t.is((await member.get(url, { 'if-none-match': etag })).headers['cache-control'], 'must-revalidate, max-age=3');
  await sleep(3200);
  const late = await member.get(url, { 'if-none-match': etag });
  t.is(late.status, 200);
  t.not(late.headers.etag, etag);
  t.not((await member.get(`${url}?filter=File`)).headers.etag, late.headers.etag, 'another query is another answer');
});

test('the in-memory cache is bounded and evicts the least recently used responses', async (t) => {
  const store = new MemoryStore(100_000);
  const kept = (body: string) => ({ etag: '"1"', generation: 1, contentType: 'application/json', body });
  for (let n = 0; n < 100; n++) {
    await store.set(`key ${n}`, kept('x'.repeat(1000)), 60_000);
    await store.get('key 0');
  }
  t.truthy(await store.get('key 0'));
  t.falsy(await store.get('key 1'));
  t.truthy(await store.get('key 99'));
  await store.set('huge', kept('x'.repeat(90_000)), 60_000);
  t.falsy(await store.get('huge'));
  t.truthy(await store.get('key 99'), 'nothing else has to go for it');
});

const redisTest = hasRedis ? test.serial : test.serial.skip;

redisTest('with Redis all processes return the same ETag; while Redis is down requests still succeed', async (t) => {
  const { redis, port } = await startRedis(t);
  const settings = { 'cache.url': `redis://127.0.0.1:${port}` };
  const apps = [await anotherApp(t, settings), await anotherApp(t, settings)];
  const authorization = `Bearer ${await w.tokenOf(await w.administrator())}`;
  const get = (app: App | undefined, headers = {}) =>
    (app as App).inject({ url: URL, headers: { authorization, ...headers } });
  const settled = async () => {
    for (;;) {
      const [one, two] = [await get(apps[0]), await get(apps[1])];
      const { etag } = one.headers as { etag: string };
      const asked = performance.now();
      const same = await get(apps[1], { 'if-none-match': etag });
      // a Redis that is silent for 100 ms counts as down, and its answer is computed anew
      const inTime = performance.now() - asked < 90;
      if (etag === two.headers.etag && (same.statusCode === 304 || inTime)) return { etag, same };
      await sleep(50);
    }
  };
  const { etag, same } = await settled();
  t.is(same.statusCode, 304);
  const { id } = await w.account();
  const fresh = await get(apps[1]);
  t.not(fresh.headers.etag, etag);
  t.true(fresh.body.includes(id));
  redis.kill('SIGKILL');
  await once(redis, 'exit');
  t.is((await get(apps[0])).statusCode, 200);
  t.is((await get(apps[1])).statusCode, 200);
});
