import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { hookWorld, until } from '../world/hooks.ts';
import { type Answering, answerWith, openReceiver } from '../world/receiver.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedProcess } from '../world/worker.ts';

const { w, settings, newHook } = await hookWorld(test, 30);
const worker = sharedProcess(test, w, { ...settings, 'webhooks.timeout': '10s', 'worker.concurrency': '2' });

test('an event is delivered as a CloudEvent in structured mode, signed so that the library of Standard Webhooks accepts it', async (t) => {
  await worker();
  const hook = await newHook(answerWith(202));
  const resourceId = await hook.happen();
  await until(() => hook.receiver.received.length > 0);
  const [{ headers, body }] = hook.receiver.received as [(typeof hook.receiver.received)[number]];
  t.is(headers['content-type'], 'application/cloudevents+json');
  const event = new Webhook(hook.secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
  t.is(headers['webhook-id'], event.id as string);
  t.is(event.resourceid, resourceId);
  t.is(event.specversion, '1.0');
  const { data } = (await hook.client.get('/api/eventing/event/list')).body;
  const { offset: _, ...listed } = data[0];
  t.deepEqual(event, listed);
  t.like((await hook.settled())[0], { state: 'Delivered', attempts: 1, status: 202, error: undefined });
  const said = (await worker()).output();
  t.false(said.includes(hook.secret.slice('whsec_'.length)));
  t.notRegex(said, /Warning/);
});

test('events are retried after dropped connections, timeouts, redirects and 500; each attempt is signed again', async (t) => {
  await worker();
  const elsewhere = await newHook(answerWith(200));
  const ways: Answering[] = [
    (_, response) => void response.destroy(),
    (_, response) => void response.writeHead(500).end('no'),
    () => new Promise(() => {}),
    (_, response) => void response.writeHead(307, { location: elsewhere.receiver.url }).end(),
    (_, response) => {
      response.writeHead(503, { 'content-length': '1000' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    },
  ];
  const tries = new Map<string, number>();
  const hook = await newHook((request, response, count) => {
    const id = String(request.headers['webhook-id']);
    const tried = (tries.get(id) ?? 0) + 1;
    tries.set(id, tried);
    // each event fails three times, in another way each time
    const way = ways[(count + tried) % ways.length];
    return tried <= 3 && way ? way(request, response, count) : answerWith(204)(request, response, count);
  });
  const told: string[] = [];
  for (let n = 0; n < 6; n++) told.push(await hook.happen());
  const deliveries = await hook.settled();
  t.true(deliveries.every(({ state, attempts }) => state === 'Delivered' && attempts >= 4));
  t.deepEqual([...new Set(hook.received())].sort(), told.toSorted());
  const library = new Webhook(hook.secret);
  const bodies = new Map<string, string>();
  for (const { headers, body } of hook.receiver.received) {
    t.notThrows(() => library.verify(body, headers as Record<string, string>));
    const id = String(headers['webhook-id']);
    t.is(bodies.get(id) ?? body, body);
    bodies.set(id, body);
  }
  t.is(elsewhere.receiver.received.length, 0, 'redirects are not followed');
});

test('attempts follow the schedule; after the last one the delivery has failed, with the reason', async (t) => {
  await worker();
  const hook = await newHook(answerWith(500));
  await hook.happen();
  const [delivery] = await hook.settled();
  t.like(delivery, { state: 'Failed', attempts: 11, status: 500, error: 'The receiver answered 500.' });
  t.false('nextAttemptAt' in (delivery ?? {}));
  const at = hook.receiver.received.map((one) => one.at);
  const least = [50, 100, 200, 400, 600, 600, 600, 600, 600, 600];
  t.true(least.every((ms, n) => (at[n + 1] ?? 0) - (at[n] ?? 0) >= ms - 1));
});

test('dead and slow receivers delay neither other deliveries nor conversions', async (t) => {
  await worker();
  const never: Answering = () => new Promise(() => {});
  const dead = await Promise.all(Array.from({ length: 10 }, () => newHook(never)));
  for (const hook of dead) await Promise.all(Array.from({ length: 30 }, () => hook.happen()));
  await until(() => dead.every(({ receiver }) => receiver.received.length > 0));
  const well = await newHook(answerWith(204));
  const told: string[] = [];
  for (let n = 0; n < 50; n++) told.push(await well.happen());
  const projectId = await newProject(well.client);
  const { body } = await start(well.client, copyRequest(projectId, await upload(w, well.client, 'text')));
  t.is((await untilEnd(well.client, body.id)).status, 'Completed');
  // the transfer has events, too, so a number of events does not show that these have come
  await until(() => told.every((id) => well.received().includes(id)));
  for (const hook of dead) {
    t.true(
      (await hook.deliveries()).some(({ state }) => state === 'Pending'),
      'the others still wait',
    );
    t.true(hook.receiver.most <= 8, `at most eight at once, not ${hook.receiver.most}`);
    await hook.client.delete(hook.path);
  }
});

test('a deleted webhook gets no deliveries', async (t) => {
  await worker();
  const hook = await newHook(answerWith(500));
  const other = await newHook(answerWith(204));
  const before = await hook.happen();
  await until(() => hook.receiver.received.length > 0);
  t.is((await hook.client.delete(hook.path)).status, 204);
  const { length } = hook.received();
  await hook.happen();
  for (let n = 0; n < 10; n++) await other.happen();
  await until(() => other.receiver.received.length >= 10);
  await sleep(500);
  t.deepEqual([...new Set(hook.received())], [before]);
  t.true(hook.received().length <= length + 1, 'the attempt that was under way may come');
});

test('no connection is made to a name that resolves to an internal address', async (t) => {
  await worker();
  const inside = await openReceiver();
  t.teardown(inside.close);
  const hook = await newHook(answerWith(204));
  await w.sql('update webhooks set url = $1 where id = $2', [inside.url.replace('127.0.0.1', 'localhost'), hook.id]);
  await hook.happen();
  await until(async () => ((await hook.deliveries())[0]?.attempts ?? 0) > 0);
  t.regex((await hook.deliveries())[0]?.error ?? '', /^'localhost' does not resolve to a public address/);
  t.is(inside.received.length, 0);
});

test('events of other tenants arrive while 100 slow webhooks of one tenant, and of four more, wait for their receivers', async (t) => {
  await worker();
  const never: Answering = () => new Promise(() => {});
  const slow = await Promise.all(Array.from({ length: 5 }, () => newHook(never)));
  for (const { client, receiver } of slow) {
    const body = { url: receiver.url };
    await Promise.all(Array.from({ length: 99 }, () => client.post('/api/eventing/webhook', body)));
  }
  const well = await newHook(answerWith(204));
  await Promise.all(slow.map((hook) => hook.happen()));
  await until(() => slow.reduce((sum, { receiver }) => sum + receiver.received.length, 0) >= 100);
  const started = performance.now();
  const told = await Promise.all(Array.from({ length: 10 }, () => well.happen()));
  await until(() => told.every((id) => well.received().includes(id)));
  t.log(`the events arrived after ${Math.round(performance.now() - started)} ms`);
  for (const hook of slow) {
    t.is((await hook.deliveries())[0]?.attempts, 0, 'no slow attempt has ended');
    t.true(hook.receiver.most <= 25, `a quarter of 100, not ${hook.receiver.most}`);
  }
  const [first] = slow;
  await until(async () => (await first!.client.get(first!.path)).body.status === 'Failing');
  for (const hook of slow) await w.sql('delete from webhooks where url = $1', [hook.receiver.url]);
});

test('a webhook that fails for days is disabled with a notice, and gets events again after a successful test', async (t) => {
  await worker();
  let status = 500;
  const hook = await newHook((...request) => answerWith(status)(...request));
  const shown = async () => (await hook.client.get(hook.path)).body;
  t.is((await shown()).status, 'Active');
  await hook.happen();
  await until(async () => (await shown()).status === 'Failing');
  t.truthy((await shown()).failingSince);
  await w.sql(`update webhooks set failing_since = now() - interval '6 days' where id = $1`, [hook.id]);
  await until(async () => (await shown()).status === 'Disabled');
  const [ended] = await hook.settled();
  t.like(ended, { state: 'Failed', error: 'The webhook is disabled because its deliveries failed for days.' });
  const audited = await w.sql(`select action from audit where subject = $1 order by time`, [hook.id]);
  t.deepEqual(
    audited.map(({ action }) => action),
    ['webhook.create', 'webhook.disable'],
  );
  await hook.happen();
  t.is((await hook.deliveries()).length, 1, 'no delivery while it is disabled');

  const test = () => hook.client.post(`${hook.path}/test`);
  const refused = await test();
  t.is(refused.status, 200);
  t.like(refused.body, { status: 500, error: 'The receiver answered 500.' });
  t.is((await shown()).status, 'Disabled');
  status = 204;
  const accepted = (await test()).body;
  t.deepEqual(Object.keys(accepted), ['status', 'milliseconds']);
  t.is(accepted.status, 204);
  const sent = hook.receiver.received.at(-1);
  const event = new Webhook(hook.secret).verify(sent!.body, sent!.headers as Record<string, string>);
  t.like(event, { type: 'svc.platform.events.webhooktestevent', resourceid: hook.id });
  t.is((await shown()).status, 'Active');
  const again = await hook.happen();
  await until(() => hook.received().includes(again));
});
