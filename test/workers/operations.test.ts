import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker, workHere } from '../world/worker-here.ts';
import { type User, world } from '../world.ts';

const w = world(test);
const worker = sharedWorker(w);
const root = async () => w.as(await w.administrator());

interface Fallen {
  owner: User;
  ids: string[];
  fingerprint: string;
}

/** Transfers that failed in one way. `curable`: they would not fail again. */
async function failures(count: number, kind: string, curable: boolean): Promise<Fallen> {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const url = await upload(w, client, curable ? `words ${n}` : 'no grid');
    const grid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };
    const { body } = await start(client, copyRequest(projectId, url, curable ? {} : grid));
    ids.push(body.id);
  }
  await worker();
  for (const id of ids) await untilEnd(client, id);
  const sentence = `The ${kind} of file 7 was out of order.`;
  const rows = await w.sql<{ fingerprint: string }>(
    `update transfers set status = 'Error', progress = 0, error_message = coalesce(error_message, $2) where id = any($1) returning fingerprint`,
    [ids, sentence],
  );
  return { owner, ids, fingerprint: rows[0]?.fingerprint ?? '' };
}

const retriesOf = (ids: string[]) =>
  w.sql<{ id: string; retry_of: string; created_by: string; created_at: Date; status: string }>(
    'select id, retry_of, created_by, created_at, status from transfers where retry_of = any($1) order by created_at',
    [ids],
  );

async function ended(id: string) {
  const client = await root();
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await client.get(`/api/admin/retry/${id}`);
    if (body.state !== 'Running') return body;
    await sleep(100);
  }
  throw new Error(`Order ${id} does not end.`);
}

test('a mass retry retries each failure of a group once, as its starter, at the requested rate', async (t) => {
  const { owner, ids, fingerprint } = await failures(6, 'tray', true);
  const client = await root();
  const first = ids[0] ?? '';
  t.is((await client.post(`/api/admin/job/${first}/retry`)).status, 202, 'one was tried again before');
  const path = `/api/admin/failure/${fingerprint}/retry`;
  // so slow that the first order runs when the second one comes
  const twice = `/api/admin/failure/${(await failures(2, 'lever', true)).fingerprint}/retry`;
  const asked = await Promise.all([1, 2].map(() => client.post(twice, { perSecond: 0.001 })));
  t.deepEqual(asked.map(({ status }) => status).sort(), [202, 409], 'two operators at once do not double');
  const slow = asked.find(({ status }) => status === 202)?.body;
  t.like((await client.post(`/api/admin/retry/${slow.id}/stop`)).body, { state: 'Stopped' });
  const order = (await client.post(path, { perSecond: 2 })).body;
  t.like(await ended(order.id), { state: 'Done', started: 5, refused: 0, perSecond: 2, accountId: 'root' });

  const retries = await retriesOf(ids);
  t.deepEqual(retries.map((one) => one.retry_of).sort(), [...ids].sort());
  t.true(retries.every((one) => one.created_by === owner.userId));
  const times = retries.slice(1).map((one) => one.created_at.getTime());
  // five at two a second, of which one second may be made up for: 1.5 s, less what lies between a turn and its
  // transaction
  t.true((times.at(-1) ?? 0) - (times[0] ?? 0) >= 750, String(times));

  const again = (await client.post(path, {})).body;
  t.like(await ended(again.id), { state: 'Done', started: 0 });
  for (const { id } of retries) t.is((await untilEnd(w.as(owner), id)).status, 'Completed');
  t.like((await client.get(`/api/admin/retry/${order.id}`)).body, { completed: 5, failed: 0 });
});

test('a mass retry starts no more than its limit, and continues where it stopped', async (t) => {
  const { ids, fingerprint } = await failures(3, 'press', true);
  const path = `/api/admin/failure/${fingerprint}/retry`;
  const client = await root();
  t.like(await ended((await client.post(path, { perSecond: 100, limit: 2 })).body.id), { state: 'Done', started: 2 });
  t.is((await retriesOf(ids)).length, 2);
  t.like(await ended((await client.post(path, { perSecond: 100, limit: 2 })).body.id), { state: 'Done', started: 1 });
});

test('stop-on-fail stops a mass retry when a transfer fails with the same fingerprint', async (t) => {
  const { owner, ids, fingerprint } = await failures(4, 'any', false);
  const client = await root();
  const { body } = await client.post(`/api/admin/failure/${fingerprint}/retry`, { perSecond: 0.001, stopOnFail: true });
  let [first] = await retriesOf(ids);
  for (; !first; [first] = await retriesOf(ids)) await sleep(50);
  await untilEnd(w.as(owner), first.id);
  await w.sql('update mass_retries set next_at = now() where id = $1', [body.id]);
  const order = await ended(body.id);
  t.like(order, { state: 'Stopped' });
  const retries = await retriesOf(ids);
  t.regex(order.note, new RegExp(`^Transfer '(${retries.map(({ id }) => id).join('|')})' failed in the same way\\.$`));
  t.true(order.started < 4 && order.started === retries.length, `${order.started}`);
});

test('a mass retry reports transfers that cannot be retried and continues; it can be stopped', async (t) => {
  const { owner, ids, fingerprint } = await failures(2, 'roller', true);
  await w.sql(
    `update staged_blobs set blob = null, size = null where name = (select staged_blob from transfers where id = $1)`,
    [ids[0]],
  );
  const client = await root();
  const { body } = await client.post(`/api/admin/failure/${fingerprint}/retry`, { perSecond: 100 });
  const order = await ended(body.id);
  t.like(order, { state: 'Done', started: 1, refused: 1 });
  t.regex(order.refusal, /no longer stored/);
  const [retried] = await retriesOf(ids);
  t.is((await untilEnd(w.as(owner), retried?.id ?? '')).status, 'Completed');
  t.like(await client.post(`/api/admin/retry/${order.id}/stop`), { status: 409, body: { code: 'RetryEnded' } });

  const more = await failures(2, 'drum', true);
  const slow = await client.post(`/api/admin/failure/${more.fingerprint}/retry`, { perSecond: 0.001 });
  t.like((await client.post(`/api/admin/retry/${slow.body.id}/stop`)).body, {
    state: 'Stopped',
    note: 'Stopped by root.',
  });
});

test('a mass retry starts nothing for an account that is locked', async (t) => {
  const { owner, ids, fingerprint } = await failures(2, 'latch', true);
  const client = await root();
  const path = `/api/admin/failure/${fingerprint}/retry`;
  const lock = (locked: boolean) => w.sql('update accounts set locked = $2 where user_id = $1', [owner.userId, locked]);
  await lock(true);
  const order = await ended((await client.post(path, { perSecond: 100 })).body.id);
  t.like(order, { state: 'Done', started: 0, refused: 2 });
  t.regex(order.refusal, /disabled, locked or expired/);
  t.deepEqual(await retriesOf(ids), []);
  await lock(false);
  t.like(await ended((await client.post(path, { perSecond: 100 })).body.id), { state: 'Done', started: 2 });
});

test('a failure that cannot be retried blocks neither its mass retry nor others', async (t) => {
  const { owner, ids, fingerprint } = await failures(2, 'hinge', true);
  const [first = '', second = ''] = ids;
  await w.sql(
    `update transfers set request = request - 'transformations', finished_at = finished_at - interval '1 hour' where id = $1`,
    [first],
  );
  const client = await root();
  const path = `/api/admin/failure/${fingerprint}/retry`;
  t.is((await client.post(path, { perSecond: 1e-300 })).status, 400, 'a pace beyond all time');
  const order = await ended((await client.post(path, { perSecond: 100 })).body.id);
  t.like(order, { state: 'Done', started: 1, refused: 1 });
  t.true(order.refusal.includes(first), order.refusal);
  const [retried] = await retriesOf([second]);
  t.is((await untilEnd(w.as(owner), retried?.id ?? '')).status, 'Completed');
});

test('workers are listed with their version, resources and transfers', async (t) => {
  const { pid } = process;
  await worker();
  const { body } = await (await root()).get('/api/admin/worker');
  const listed = body.data.find((one: { pid: number }) => one.pid === pid);
  const { version } = (await w.nobody.get('/health')).body;
  t.like(listed, { alive: true, draining: false, version });
  t.true(listed.concurrency > 0 && listed.memoryMb >= 256 && listed.cores > 0);
});

test.serial(
  'a drained worker finishes its transfers and takes no more; a worker that starts during the drain takes none',
  async (t) => {
    const client = await root();
    const { pid } = process;
    await worker();
    const begun = await client.put('/api/admin/drain', {});
    t.is(begun.status, 200);
    const drained = async () => {
      for (let tries = 0; tries < 200; tries++) {
        const { body } = await client.get('/api/admin/drain');
        if (body.drained) return body;
        await sleep(50);
      }
      throw new Error('The workers are not drained.');
    };
    const state = await drained();
    t.like(state, { running: 0 });
    t.truthy(state.workers.find((one: { pid: number }) => one.pid === pid).drainingSince);

    const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const projectId = await newProject(w.as(owner));
    const { body } = await start(w.as(owner), copyRequest(projectId, await upload(w, w.as(owner), 'words')));
    const restarted = await workHere(w);
    t.teardown(() => restarted.stop());
    const [mail] = await w.sql<{ id: string }>(`select id from graphile_worker.add_job('removeSpentBlobs')`);
    for (let tries = 0; tries < 200; tries++) {
      if ((await client.get(`/api/admin/job/${mail?.id}`)).status === 404) break;
      await sleep(50);
    }
    t.is((await client.get(`/api/admin/job/${mail?.id}`)).status, 404, 'other jobs go on');
    t.is((await client.get(`/api/admin/job/${body.id}`)).body.state, 'waiting');
    t.is((await drained()).workers.length, 2);

    t.is((await client.delete('/api/admin/drain')).status, 200);
    t.is((await untilEnd(w.as(owner), body.id)).status, 'Completed');
  },
);
