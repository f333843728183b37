import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { z } from 'zod';
import { type Database, sql } from '../../src/db.ts';
import { conflict } from '../../src/errors.ts';
import type { App } from '../../src/http/route.ts';
import { forgetOldAnswers } from '../../src/http/rules/idempotency.queries.ts';
import { afterCommit } from '../../src/http/rules/idempotency.ts';
import { announcer } from '../../src/transfers/ends/announce.ts';
import { ENDED } from '../../src/transfers/ends/notices.queries.ts';
import { testDatabase } from '../world.ts';
import { apiApp, bearer } from './api-app.ts';

const config = { access: 'signedIn', service: 'metadata' } as const;
const Name = z.object({ name: z.string() });

async function world(t: ExecutionContext) {
  const { db, close } = await testDatabase(10, 'superuser');
  t.teardown(close);
  await db.transaction((tx) =>
    tx.query(sql.unsafe`create table things (id bigint generated always as identity primary key, name text unique)`),
  );
  const gate = Promise.withResolvers<void>();
  const app = await apiApp(t, (routes) => addRoutes(routes, db, gate.promise), { db });
  // `async`: an injected request does not start before somebody awaits it
  const post = async (url: string, name: string, key?: string, who = 'anna') =>
    app.inject({
      method: 'POST',
      url,
      headers: { ...bearer(who), ...(key === undefined ? {} : { 'idempotency-key': key }) },
      payload: { name },
    });
  return { app, db, gate, post };
}

function addRoutes(app: App, db: Database, opened: Promise<void>) {
  const schema = { body: Name };
  const insert = async (name: string) =>
    db.transaction(async (tx) =>
      tx.one(
        sql.write(
          z.object({ id: z.int(), name: z.string() }),
        )`insert into things (name) values (${name}) returning id, name`,
      ),
    );
  app.post('/api/thing', { config, schema }, async (request, reply) => {
    const thing = await insert(request.body.name);
    return reply.code(201).header('location', `/api/thing/${thing.id}`).send(thing);
  });
  app.post('/api/slow', { config, schema }, async (request) => {
    const thing = await insert(request.body.name);
    await opened;
    return thing;
  });
  app.post('/api/refused', { config, schema }, async (request) => {
    await insert(request.body.name);
    throw conflict('Too late.');
  });
  app.post('/api/key', { config: { ...config, secretAnswer: true }, schema }, async (request) => {
    const thing = await insert(request.body.name);
    return { ...thing, secret: 'hunter2' };
  });
  app.post('/api/killed', { config, schema }, async (request) => {
    await insert(request.body.name);
    await db.transaction((tx) => tx.query(sql.unsafe`select pg_terminate_backend(pg_backend_pid())`));
    return {};
  });
  app.delete('/api/thing/:name', { config }, async (request, reply) => {
    await db.transaction((tx) =>
      tx.query(sql.unsafe`delete from things where name = ${(request.params as { name: string }).name}`),
    );
    return reply.code(204).send(null);
  });
  app.delete('/api/torn/:name', { config }, async (request) => {
    await db.transaction((tx) =>
      tx.query(sql.unsafe`delete from things where name = ${(request.params as { name: string }).name}`),
    );
    throw conflict('Too late.');
  });
  app.post('/api/disguised', { config, schema }, async (request) => {
    await db.any(sql.unsafe`insert into things (name) values (${request.body.name}) returning id`);
    return {};
  });
  app.post('/api/late-disguised', { config, schema }, async (request) => {
    await insert(request.body.name);
    await db.any(sql.unsafe`insert into things (name) values ('disguised') returning id`);
    throw conflict('Too late.');
  });
  app.post('/api/waits', { config, schema }, async (request, reply) => {
    const thing = await insert(request.body.name);
    return afterCommit(request, reply, thing, async () => {
      await opened;
      return { ...thing, count: await count(db) };
    });
  });
  app.post('/api/prepares', { config, schema }, async (request) => {
    await db.any(sql.unsafe`select 'update' as operation`);
    await opened;
    return insert(request.body.name);
  });
  app.post('/api/later', { config, schema }, async (request) => {
    const thing = await insert(request.body.name);
    void opened.then(() => insert(`${request.body.name} later`));
    return thing;
  });
  app.post('/api/public', { config: { access: 'public', service: 'tokens' }, schema }, async (request) =>
    insert(request.body.name),
  );
}

const count = (db: Database) => db.oneFirst(sql.type(z.object({ n: z.int() }))`select count(*)::int4 as n from things`);
const keys = (db: Database) =>
  db.oneFirst(sql.type(z.object({ n: z.int() }))`select count(*)::int4 as n from idempotency_keys`);

test('Repeated requests with the same key have one effect and get the same response', async (t) => {
  const { db, post } = await world(t);
  const first = await post('/api/thing', 'a', 'k');
  t.deepEqual([first.statusCode, first.headers['idempotent-replayed']], [201, undefined]);
  const second = await post('/api/thing', 'a', 'k');
  t.is(second.headers['idempotent-replayed'], 'true');
  t.is(second.statusCode, 201);
  t.is(second.body, first.body);
  t.is(second.headers.location, first.headers.location);
  t.is(second.headers['content-type'], first.headers['content-type']);
  t.not(second.headers['x-request-id'], first.headers['x-request-id']);
  t.is(await count(db), 1);
});

test('Keys of different callers are independent', async (t) => {
  const { db, post } = await world(t);
  await post('/api/thing', 'a', 'k', 'anna');
  t.is((await post('/api/thing', 'b', 'k', 'berta')).statusCode, 201);
  t.is(await count(db), 2);
});

test('Another body or URL with the same key is 422', async (t) => {
  const { db, post } = await world(t);
  await post('/api/thing', 'a', 'k');
  for (const [url, name] of [
    ['/api/thing', 'b'],
    ['/api/slow', 'a'],
    ['/api/thing?x=1', 'a'],
  ] as const)
    t.is((await post(url, name, 'k')).statusCode, 422);
  t.is(await count(db), 1);
});

test('one of two concurrent requests with one key runs, the other gets 409', async (t) => {
  const { db, gate, post } = await world(t);
  const first = post('/api/slow', 'a', 'k');
  while ((await claims(db)).length === 0) await sleep(5);
  const other = await post('/api/slow', 'a', 'k');
  t.deepEqual([other.statusCode, other.json().code], [409, 'StillRunning']);
  t.truthy(other.headers['retry-after']);
  gate.resolve();
  t.is((await first).statusCode, 200);
  t.is((await post('/api/slow', 'a', 'k')).headers['idempotent-replayed'], 'true');
  t.is(await count(db), 1);
});

test('Exactly one of twenty concurrent requests has an effect', async (t) => {
  const { db, post } = await world(t);
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/api/thing', 'a', 'k')));
  t.is(answers.filter(({ statusCode, headers }) => statusCode === 201 && !headers['idempotent-replayed']).length, 1);
  t.true(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409));
  t.is(await count(db), 1);
});

test('A refused request stores no key and has no effect', async (t) => {
  const { db, post } = await world(t);
  t.is((await post('/api/refused', 'a', 'k')).statusCode, 409);
  t.deepEqual([await count(db), await keys(db)], [0, 0]);
  t.is((await post('/api/thing', '', 'k')).statusCode, 201);
  t.is((await post('/api/thing', '', 'k2')).statusCode, 409, 'a unique violation is a conflict');
  t.is(await keys(db), 1);
});

test('if the database connection breaks before the commit, neither the writes nor the key are stored', async (t) => {
  const { db, post } = await world(t);
  const answer = await post('/api/killed', 'a', 'k');
  t.is(answer.statusCode, 503);
  t.deepEqual([await count(db), await keys(db)], [0, 0]);
  t.is((await post('/api/thing', 'a', 'k')).statusCode, 201);
});

test('The response is sent only after the effect is visible to others', async (t) => {
  const { app, db } = await world(t);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  for (let n = 1; n <= 20; n++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/thing`, {
      method: 'POST',
      headers: { ...bearer('anna'), 'idempotency-key': `k${n}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `n${n}` }),
    });
    t.is(answer.status, 201);
    t.is(await count(db), n);
    await answer.body?.cancel();
  }
});

test('A response with a secret is not stored: its replay is 409 ReplayUnavailable', async (t) => {
  const { db, post } = await world(t);
  t.is((await post('/api/key', 'a', 'k')).json().secret, 'hunter2');
  const again = await post('/api/key', 'a', 'k');
  t.deepEqual([again.statusCode, again.json().code], [409, 'ReplayUnavailable']);
  const rows = await db.any(sql.type(z.record(z.string(), z.unknown()))`select * from idempotency_keys`);
  t.false(JSON.stringify(rows).includes('hunter2'));
  t.is(await count(db), 1);
});

test('A response without content is replayed without content', async (t) => {
  const { app } = await world(t);
  const remove = () =>
    app.inject({ method: 'DELETE', url: '/api/thing/a', headers: { ...bearer('anna'), 'idempotency-key': 'k' } });
  t.is((await remove()).statusCode, 204);
  const again = await remove();
  t.deepEqual([again.statusCode, again.body, again.headers['idempotent-replayed']], [204, '', 'true']);
});

test('Prefer: wait starts after the commit, and its outcome is not stored', async (t) => {
  const { db, gate, post } = await world(t);
  const first = post('/api/waits', 'a', 'k');
  while ((await count(db)) === 0) await sleep(5);
  const early = await post('/api/waits', 'a', 'k');
  t.deepEqual([early.statusCode, early.headers['idempotent-replayed']], [200, 'true']);
  gate.resolve();
  const waited = (await first).json();
  t.is(waited.count, 1);
  const { count: _, ...kept } = waited;
  t.deepEqual(early.json(), kept);
});

test('Deferred work of a handler does not use the finished transaction', async (t) => {
  const { db, gate, post } = await world(t);
  t.is((await post('/api/later', 'a', 'k')).statusCode, 200);
  gate.resolve();
  while ((await count(db)) < 2) await sleep(5);
  t.is(await count(db), 2);
});

test('Keys expire after a day', async (t) => {
  const { db, post } = await world(t);
  await post('/api/thing', 'a', 'k');
  await db.transaction((tx) =>
    tx.query(sql.unsafe`update idempotency_keys set created_at = now() - interval '24 hours 1 second'`),
  );
  t.is((await post('/api/thing', 'b', 'k')).statusCode, 201);
  t.deepEqual(await db.transaction((tx) => forgetOldAnswers(tx)), { count: 0, isLast: true });
  await db.transaction((tx) =>
    tx.query(sql.unsafe`update idempotency_keys set created_at = now() - interval '24 hours 1 second'`),
  );
  t.deepEqual(await db.transaction((tx) => forgetOldAnswers(tx)), { count: 1, isLast: true });
});

test('Keys that are too long are refused; keys on public routes are ignored', async (t) => {
  const { db, post } = await world(t);
  t.is((await post('/api/thing', 'a', 'k'.repeat(256))).statusCode, 400);
  t.is((await post('/api/thing', 'a', 'k'.repeat(255))).statusCode, 201);
  t.is((await post('/api/public', 'b', 'k')).statusCode, 200);
  t.is(await keys(db), 1);
});

const TENANT = '018f3c1e-7a4b-7c2d-9e1f-001122334455';
const PROJECT = '018f3c1e-7a4b-7c2d-9e1f-00112233aaaa';
const OTHER = '018f3c1e-7a4b-7c2d-9e1f-00112233bbbb';

test('Tenant, project, dataset and version headers are part of the request that a key identifies', async (t) => {
  const { app, db } = await world(t);
  const send = async (key: string, headers: Record<string, string> = {}, url = '/api/thing') =>
    app.inject({
      method: 'POST',
      url,
      headers: { ...bearer('anna'), 'idempotency-key': key, ...headers },
      payload: { name: key },
    });
  const variants: Record<string, Record<string, string>> = {
    tenant: { 'svc-tenant-id': TENANT },
    project: { 'svc-project-id': PROJECT },
    dataset: { 'dhi-dataset-id': 'any text' },
    version: { 'api-version': '3' },
  };
  for (const [name, headers] of Object.entries(variants)) {
    t.is((await send(`plain ${name}`)).statusCode, 201);
    t.is((await send(`plain ${name}`, headers)).statusCode, 422, `${name} was not there`);
    t.is((await send(name, headers)).statusCode, 201);
    t.is((await send(name, headers)).headers['idempotent-replayed'], 'true', name);
    t.is((await send(name)).statusCode, 422, `${name} is gone`);
  }
  t.is((await send('project', { 'svc-project-id': OTHER })).statusCode, 422);
  t.is((await send('version', { 'api-version': '2' })).statusCode, 422);
  t.is((await send('query', {}, '/api/thing?api-version=3')).statusCode, 201);
  t.is((await send('query', {}, '/api/thing?api-version=2')).statusCode, 422);
  t.is((await send('query', { 'api-version': '2' }, '/api/thing?api-version=3')).statusCode, 422, 'the header wins');

  const aliases: Record<string, string>[] = [
    { 'dhi-tenant-id': TENANT.toUpperCase() },
    { 'svc-customer-guid': TENANT },
    { 'dhi-customer-guid': TENANT },
  ];
  for (const alias of aliases) t.is((await send('tenant', alias)).headers['idempotent-replayed'], 'true');
  t.is((await send('project', { 'dhi-project-id': PROJECT })).headers['idempotent-replayed'], 'true');
  t.is((await send('version', { 'api-version': '3.0' })).headers['idempotent-replayed'], 'true');
  t.is(await count(db), 2 * Object.keys(variants).length + 1);
});

test('A request holds no database connection until its first write', async (t) => {
  const { db, gate, post } = await world(t);
  const all = Array.from({ length: 20 }, (_, n) => post('/api/prepares', `n${n}`, `k${n}`));
  while ((await claims(db)).length < 20) await sleep(5);
  while (db.connections().inUse > 0) await sleep(5);
  t.is((await post('/api/thing', 'another')).statusCode, 201);
  gate.resolve();
  t.true((await Promise.all(all)).every(({ statusCode }) => statusCode === 200));
  t.is(await count(db), 21);
  t.is((await claims(db)).length, 0);
});

const Claim = z.object({ key: z.string(), claim: z.string(), leasedUntil: z.string() });
const claims = (db: Database) => db.any(sql.type(Claim)`select key, claim, leased_until from idempotency_claims`);

/** Simulates a process that claimed this key and has not renewed the claim for this time. */
const claimElsewhere = (db: Database, key: string, silence: string) =>
  db.transaction((tx) =>
    tx.query(sql.unsafe`
    insert into idempotency_claims (user_id, key, claim, leased_until)
    values ('00000000-0000-4000-8000-000000000000', ${key}, gen_random_uuid(), now() + interval '15 seconds' - ${silence}::interval)`),
  );

test('The key of a dead process can be reused soon, the key of a running one cannot', async (t) => {
  const { db, post } = await world(t);
  // it goes on renewing its claim
  await claimElsewhere(db, 'runs', '-1 hour');
  await claimElsewhere(db, 'gone', '16 seconds');
  const refused = await post('/api/thing', 'a', 'runs');
  t.deepEqual([refused.statusCode, refused.json().code], [409, 'StillRunning']);
  t.is((await post('/api/thing', 'a', 'gone')).statusCode, 201);
  t.is((await post('/api/thing', 'a', 'gone')).headers['idempotent-replayed'], 'true');
  t.deepEqual(
    (await claims(db)).map(({ key }) => key),
    ['runs'],
  );
});

test('A process that stalled while another took over its key has no effect', async (t) => {
  const { db, gate, post } = await world(t);
  const still = post('/api/slow', 'a', 'k');
  while ((await claims(db)).length === 0) await sleep(5);
  const isRenewed = () =>
    db.oneFirst(sql.type(z.object({ held: z.boolean() }))`select leased_until > now() as held from idempotency_claims`);
  let status: number;
  // the process has not really stalled: every 5 s it renews its claim
  do {
    await db.transaction((tx) =>
      tx.query(sql.unsafe`update idempotency_claims set leased_until = now() - interval '1 second'`),
    );
    status = (await post('/api/thing', 'b', 'k')).statusCode;
  } while (status === 409 && (await isRenewed()));
  t.is(status, 201);
  gate.resolve();
  const late = await still;
  t.deepEqual([late.statusCode, late.json().code], [409, 'StillRunning']);
  const names = await db.anyFirst(sql.type(Name)`select name from things`);
  t.deepEqual([...names], ['b']);
  t.is((await post('/api/thing', 'b', 'k')).headers['idempotent-replayed'], 'true');
});

test('A slow request keeps its key', async (t) => {
  const { db, gate, post } = await world(t);
  const long = post('/api/prepares', 'a', 'k');
  while ((await claims(db)).length === 0) await sleep(5);
  const [before] = await claims(db);
  for (let now = before; now?.leasedUntil === before?.leasedUntil; [now] = await claims(db)) await sleep(50);
  t.is((await post('/api/prepares', 'a', 'k')).statusCode, 409);
  gate.resolve();
  t.is((await long).statusCode, 200);
});

test('old claims are deleted', async (t) => {
  const { db } = await world(t);
  await claimElsewhere(db, 'old', '2 hours');
  await claimElsewhere(db, 'new', '0 seconds');
  await db.transaction((tx) => forgetOldAnswers(tx));
  t.deepEqual(
    (await claims(db)).map(({ key }) => key),
    ['new'],
  );
});

test('A write that is sent as a read fails before the first write, and is part of the transaction after it', async (t) => {
  const { db, post } = await world(t);
  const send = async (url: string, key: string) => post(url, 'a', key);
  t.is((await send('/api/disguised', 'k')).statusCode, 500);
  t.is(await count(db), 0);
  const error = await t.throwsAsync(db.any(sql.unsafe`insert into things (name) values ('b') returning id`));
  t.is((error as { code?: string }).code, '25006');
  await post('/api/thing', 'c');
  t.is((await send('/api/late-disguised', 'l')).statusCode, 409);
  t.deepEqual([...(await db.anyFirst(sql.type(Name)`select name from things`))], ['c']);
});

test('A write is rolled back with the error that follows it', async (t) => {
  const { app, db, post } = await world(t);
  await post('/api/thing', 'a');
  const remove = async (name: string) =>
    app.inject({ method: 'DELETE', url: `/api/torn/${name}`, headers: { ...bearer('anna'), 'idempotency-key': name } });
  t.is((await remove('a')).statusCode, 409);
  t.is(await count(db), 1);
});

test('The end of a transfer is announced outside of the transaction of the request that waits for it', async (t) => {
  const { db, url, close } = await testDatabase();
  const listener = new pg.Client(url);
  await listener.connect();
  t.teardown(async () => {
    await listener.end();
    await close();
  });
  await listener.query(`listen ${ENDED}`);
  const told = once(listener, 'notification');
  const transaction = db.lazyTransaction();
  const id = randomUUID();
  await db.within(transaction, async () => {
    await db.transaction((tx) => tx.query(sql.unsafe`select 1`));
    announcer(db)(id);
    // the transaction waits until the announcement has arrived
    await db.transaction(async () => t.is((await told)[0].payload, id));
  });
  await transaction.rollBack();
});
