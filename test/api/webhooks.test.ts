import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { readSecret, secretText, signedHeaders } from '../../src/events/signature.ts';
import { emit } from '../../src/outbox.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test, { 'outbound.allow': 'inside.example,10.1.0.0/16:9000' });
const HOOKS = '/api/eventing/webhook';
const STARTED = 'svc.platform.events.transferstartedevent';
const FINISHED = 'svc.platform.events.transferfinishedevent';

const owner = async () => {
  const user = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  return { user, client: w.as(user) };
};

test('a new webhook gets its own secret, which is shown only once', async (t) => {
  const { client } = await owner();
  const made = await client.post(HOOKS, { url: 'https://hooks.example/in' });
  t.is(made.status, 201, JSON.stringify(made.body));
  const { id, secret, createdAt, ...rest } = made.body;
  t.deepEqual(rest, { url: 'https://hooks.example/in', types: [], status: 'Active' });
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.regex(createdAt, /^\d{4}-\d\d-\d\dT/);
  const shown = { id, url: 'https://hooks.example/in', types: [], status: 'Active', createdAt };
  t.deepEqual((await client.get(`${HOOKS}/${id}`)).body, shown);
  t.deepEqual((await client.get(HOOKS)).body, { data: [shown] });
});

test('a given secret is used; an invalid one is refused without repeating it', async (t) => {
  const { client } = await owner();
  const secret = secretText(Buffer.alloc(24, 7));
  const { body } = await client.post(HOOKS, { url: 'https://hooks.example/', secret });
  t.is(body.secret, secret);
  t.is((await client.post(HOOKS, { url: 'https://hooks.example/', secret: secret.slice(6) })).body.secret, secret);
  for (const wrong of [
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    secretText(Buffer.alloc(23)),
    secretText(Buffer.alloc(65)),
    `whsec_${'ä'.repeat(40)}`,
  ]) {
    const answer = await client.post(HOOKS, { url: 'https://hooks.example/', secret: wrong });
    t.is(answer.status, 400, wrong);
    t.truthy(answer.body.errors.secret);
    if (wrong.length > 6) t.false(JSON.stringify(answer.body).includes(wrong));
  }
});

test('a repeated request is not answered with the secret again', async (t) => {
  const { client } = await owner();
  const headers = { 'idempotency-key': 'one' };
  t.is((await client.post(HOOKS, { url: 'https://hooks.example/' }, headers)).status, 201);
  const again = await client.post(HOOKS, { url: 'https://hooks.example/' }, headers);
  t.is(again.status, 409);
  t.is(again.body.code, 'ReplayUnavailable');
  t.is((await client.get(HOOKS)).body.data.length, 1);
});

test('types select the events of a webhook; unknown types are refused', async (t) => {
  const { client } = await owner();
  const { status, body } = await client.post(HOOKS, {
    url: 'https://hooks.example/',
    types: [STARTED, FINISHED, STARTED],
  });
  t.is(status, 201);
  t.deepEqual(body.types, [STARTED, FINISHED]);
  const wrong = await client.post(HOOKS, { url: 'https://hooks.example/', types: ['started'] });
  t.is(wrong.status, 400);
  t.deepEqual(Object.keys(wrong.body.errors), ['types[0]']);
});

test('an address that is internal and not in outbound.allow is refused', async (t) => {
  const { client } = await owner();
  const status = async (url: string) => (await client.post(HOOKS, { url })).status;
  for (const url of [
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost:8080/',
    'http://10.1.2.3/',
    'ftp://hooks.example/',
    'hooks.example',
    'https://user:pw@hooks.example/',
  ])
    t.is(await status(url), 400, url);
  for (const url of ['http://inside.example/', 'http://10.1.2.3:9000/x', 'https://hooks.example:8443/?a=b'])
    t.is(await status(url), 201, url);
});

test('webhooks are visible to Owners of the tenant; for others they are 404', async (t) => {
  const tenantId = await w.tenant();
  const first = w.as(await w.account({ tenantId, role: 'Owner' }));
  const second = w.as(await w.account({ tenantId, role: 'Owner' }));
  const member = w.as(await w.account({ tenantId }));
  const stranger = (await owner()).client;
  const root = w.as(await w.administrator());
  const { id } = (await first.post(HOOKS, { url: 'https://hooks.example/' })).body;
  t.is((await second.get(`${HOOKS}/${id}`)).status, 200);
  for (const client of [member, stranger, root]) {
    t.is((await client.get(`${HOOKS}/${id}`)).status, 404);
    t.is((await client.get(`${HOOKS}/${id}/delivery/list`)).status, 404);
    t.is((await client.post(`${HOOKS}/${id}/replay`, { after: 0 })).status, 404);
    t.is((await client.delete(`${HOOKS}/${id}`)).status, 404);
  }
  t.is((await member.post(HOOKS, { url: 'https://hooks.example/' })).status, 403);
  t.is((await member.get(HOOKS)).status, 403);
  t.deepEqual((await stranger.get(HOOKS)).body, { data: [] });
  t.is((await second.delete(`${HOOKS}/${id}`)).status, 204);
  t.is((await first.get(`${HOOKS}/${id}`)).status, 404);
});

test('a tenant has at most a hundred webhooks, also when they are created concurrently', async (t) => {
  const { user, client } = await owner();
  await w.sql(
    `insert into webhooks (tenant_id, url, types, secret, created_by)
     select $1, 'https://hooks.example/', '{}', decode(repeat('00', 24), 'hex'), $2 from generate_series(1, 98)`,
    [user.tenantId, user.userId],
  );
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => client.post(HOOKS, { url: 'https://hooks.example/' })),
  );
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 409, 409, 409, 409]);
});

test('each webhook gets one delivery of each event of its tenant and types, for any order of commits', async (t) => {
  const { user, client } = await owner();
  const { tenantId } = user;
  const all = (await client.post(HOOKS, { url: 'https://hooks.example/all' })).body.id;
  const some = (await client.post(HOOKS, { url: 'https://hooks.example/some', types: [FINISHED] })).body.id;
  const other = await owner();
  const foreign = (await other.client.post(HOOKS, { url: 'https://hooks.example/' })).body.id;
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const type = n % 2 === 0 ? STARTED : FINISHED;
      await w.db.transaction((tx) => emit(tx, { type, source: '/test', tenantId, resourceId: String(n), data: {} }));
      // many publish at once
      await client.get('/api/eventing/event/list?limit=1');
    }),
  );
  const deliveries = async (id: string, as = client) =>
    (await as.get(`${HOOKS}/${id}/delivery/list?limit=1000`)).body.data as {
      eventId: string;
      type: string;
      offset: number;
    }[];
  t.is(new Set((await deliveries(all)).map(({ eventId }) => eventId)).size, 40);
  t.is((await deliveries(all)).length, 40);
  t.is((await deliveries(some)).length, 20);
  t.true((await deliveries(some)).every(({ type }) => type === FINISHED));
  t.is((await deliveries(foreign, other.client)).length, 0);
});

test('deliveries are listed newest first, by state and in pages; replay has them delivered again', async (t) => {
  const { user, client } = await owner();
  const { tenantId } = user;
  for (let n = 0; n < 5; n++)
    await w.db.transaction((tx) => emit(tx, { type: STARTED, source: '/test', tenantId, data: {} }));
  const { data: events } = (await client.get('/api/eventing/event/list')).body;
  const { id } = (await client.post(HOOKS, { url: 'https://hooks.example/' })).body;
  t.deepEqual((await client.get(`${HOOKS}/${id}/delivery/list`)).body, { data: [] }, 'nothing from before it was made');

  const replayed = await client.post(`${HOOKS}/${id}/replay`, { after: events[1].offset });
  t.is(replayed.status, 202);
  t.deepEqual(replayed.body, { replayed: 3 });
  await w.sql(
    `update deliveries set state = 'Failed', next_at = null, attempts = 29, status = 500, error = 'The receiver answered 500.'
     where webhook_id = $1 and event_id = $2`,
    [id, events[4].id],
  );
  const first = (await client.get(`${HOOKS}/${id}/delivery/list?limit=2`)).body;
  t.deepEqual(
    first.data.map(({ offset }: { offset: number }) => offset),
    [events[4].offset, events[3].offset],
  );
  const { createdAt, updatedAt, ...failed } = first.data[0];
  t.deepEqual(failed, {
    eventId: events[4].id,
    offset: events[4].offset,
    type: STARTED,
    state: 'Failed',
    attempts: 29,
    status: 500,
    error: 'The receiver answered 500.',
  });
  t.truthy(createdAt && updatedAt);
  const second = (await client.get(`${HOOKS}/${id}/delivery/list?limit=2&cursor=${first.cursor}`)).body;
  t.deepEqual(
    second.data.map(({ offset }: { offset: number }) => offset),
    [events[2].offset],
  );
  t.false('cursor' in second);
  t.is((await client.get(`${HOOKS}/${id}/delivery/list?state=failed`)).body.data.length, 1);

  t.deepEqual((await client.post(`${HOOKS}/${id}/replay`, { after: events[3].offset })).body, { replayed: 1 });
  const [again] = (await client.get(`${HOOKS}/${id}/delivery/list?limit=1`)).body.data;
  t.like(again, { state: 'Pending', attempts: 0, status: undefined, error: undefined });
  t.is((await client.post(`${HOOKS}/${id}/replay`, {})).status, 400);
  t.is((await client.post(`${HOOKS}/${id}/replay`, { after: -1 })).status, 400);
});

test('signatures are those of Standard Webhooks, as its own library checks them', (t) => {
  for (const secret of [
    Buffer.alloc(24, 1),
    Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'),
    Buffer.alloc(64, 255),
  ]) {
    const body = JSON.stringify({ name: 'Grüße', n: 1 });
    const headers = signedHeaders(secret, 'msg_1', body, Date.now());
    const receiver = new Webhook(secretText(secret));
    t.deepEqual(receiver.verify(body, headers), { name: 'Grüße', n: 1 });
    t.throws(() => receiver.verify(body.replace('1', '2'), headers));
    t.throws(() => receiver.verify(body, { ...headers, 'webhook-id': 'msg_2' }));
    t.throws(() => new Webhook(secretText(Buffer.alloc(24, 2))).verify(body, headers));
    t.deepEqual(readSecret(secretText(secret)), secret);
  }
  // the example of the specification
  const { 'webhook-signature': signature } = signedHeaders(
    readSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')!,
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    '{"test": 2432232314}',
    1614265330_000,
  );
  t.is(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
