import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { copySeries } from '../../src/transfers/run/copy-series.ts';
import { enrol, VERSION_4 } from '../world/move-copy.ts';
import { newProject, untilEnd } from '../world/transfers.ts';
import { switchedWorker, workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test);
const worker = switchedWorker(w);

/** A dataset of two series in one tenant, a project in another one, and somebody who owns both. */
async function seriesScene() {
  const [sourceTenant, targetTenant] = [await w.tenant(), await w.tenant()];
  const owner = await w.account({ tenantId: sourceTenant, role: 'Owner' });
  await enrol(w, targetTenant, owner, 'Owner');
  const client = w.as(owner);
  const projectId = await newProject(client, 'From');
  const there = await client.post('/api/metadata/project', { name: 'To' }, { 'svc-tenant-id': targetTenant });
  const target = { targetProjectId: there.body.id as string, targetTenantId: targetTenant };
  const made = await client.post(
    '/api/ts/dataset',
    { datasetProperties: { name: 'gauges' } },
    { 'svc-project-id': projectId },
  );
  const id = made.body.id as string;
  const item = { name: 'Level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
  for (const tsId of ['z', 'a']) {
    const url = `/api/ts/dataset/${id}/timeseries`;
    await client.post(url, { id: tsId, item });
    const csv = `2026-01-24;${tsId.length}.5`;
    const answer = await client.post(`${url}/${tsId}/upload/csv`, csv, { 'content-type': 'text/csv' });
    if (answer.status !== 204) throw new Error(JSON.stringify(answer.body));
  }
  return {
    id,
    client,
    target,
    ask: async (verb: 'copy' | 'move'): Promise<string> =>
      (await client.post(`/api/metadata/dataset/${id}/${verb}`, target, VERSION_4)).body.id,
    copies: async () =>
      (
        await client.get(`/api/metadata/project/${target.targetProjectId}/dataset/list`, {
          'svc-tenant-id': targetTenant,
        })
      ).body.data as { id: string; storageSize: number }[],
  };
}

test.serial('a copy into another tenant has series and values; a move keeps them', async (t) => {
  const { client, ask, copies } = await seriesScene();
  await worker.start();
  for (const verb of ['copy', 'move'] as const) {
    const ended = await untilEnd(client, await ask(verb));
    t.is(ended.status, 'Completed', JSON.stringify(ended));
  }
  const list = await copies();
  t.is(list.length, 2);
  for (const dataset of list) {
    t.true(dataset.storageSize > 0);
    const url = `/api/ts/dataset/${dataset.id}/timeseries`;
    const series = (await client.get(`${url}/list`)).body.data.map((one: { id: string }) => one.id);
    t.deepEqual(series, ['z', 'a']);
    const { data } = (await client.post(`${url}/values`, ['a', 'z'])).body;
    t.deepEqual(data[0], [['2026-01-24T00:00:00.0000000', 1.5]]);
    t.is(data[1].length, 1);
  }
});

/** Blocks of a dataset's series, as one digest of each series. */
const digests = (datasetId: string) =>
  w.sql(
    `select s.id, s.item, s.bytes, s.first, s.last, count(b)::int as blocks,
       md5(string_agg(b.first || ' ' || b.last || ' ' || b.count || ' ' || md5(b.data), ';' order by b.first)) as digest
     from ts_series s left join ts_blocks b on b.series_key = s.key where s.dataset_id = $1 group by s.key order by s.key`,
    [datasetId],
  );

test.serial('a copy has all values of large series, of many small ones and of empty ones', async (t) => {
  const { id, client, ask, copies } = await seriesScene();
  // Two series of 9.6 MB, then 2,500 series with one block or none.
  await w.sql(
    `insert into ts_series (dataset_id, id, item, bytes, first, last)
     select $1, 'series-' || n, '{"n": 1}', case when n <= 2 then 300 * 32768 when n % 7 = 0 then 0 else 32 end,
       case when n % 7 > 0 then -1000000 end, case when n % 7 > 0 then 1000000000 end
     from generate_series(1, 2502) n`,
    [id],
  );
  await w.sql(
    `insert into ts_blocks (series_key, first, last, count, data)
     select s.key, n * 1000 - 1000000, n * 1000 - 999001, n, decode(repeat(md5(s.id || n), case when s.bytes > 32 then 2048 else 2 end), 'hex')
     from ts_series s, generate_series(1, 300) n where s.dataset_id = $1 and s.item = '{"n": 1}' and (s.bytes > 32 or n = 1) and s.bytes > 0`,
    [id],
  );
  await worker.start();
  const ended = await untilEnd(client, await ask('copy'));
  t.is(ended.status, 'Completed', ended.errorMessage);
  const [copy, ...others] = await copies();
  t.deepEqual(others, []);
  const wanted = await digests(id);
  t.is(wanted.length, 2504);
  t.deepEqual(
    wanted.slice(2, 5).map(({ blocks }) => blocks),
    [300, 300, 1],
  );
  t.deepEqual(await digests(copy!.id), wanted);
});

test.serial('a copy of time series ends when cancelled, and does not block its projects', async (t) => {
  const { id, client, target, ask } = await seriesScene();
  const gate = await holdValues();
  await worker.start();
  const first = await ask('copy');
  await gate.reached();
  await t.notThrowsAsync(lockAll(first), 'while values are copied, neither the transfer nor a project is locked');
  t.is((await client.post(`/api/conversion/transfer/${first}/cancel`)).status, 202);
  const cancelled = await untilEnd(client, first);
  t.deepEqual([cancelled.status, cancelled.errorMessage], ['Error', 'Cancelled.']);
  await gate.open();
  const left = () =>
    w.sql(
      'select from ts_series s where s.dataset_id <> $1 and not exists (select from datasets d where d.id = s.dataset_id)',
      [id],
    );
  t.deepEqual(await left(), []);

  const again = await holdValues();
  const second = await ask('copy');
  await again.reached();
  const there = { 'svc-tenant-id': target.targetTenantId };
  t.is((await client.delete(`/api/metadata/project/${target.targetProjectId}`, there)).status, 204);
  await again.open();
  const ended = await untilEnd(client, second);
  t.deepEqual([ended.status, ended.errorMessage], ['Error', 'The project was deleted.']);
  t.deepEqual(await left(), []);
  const rows = 'select from datasets where project_id = $1';
  t.deepEqual(await w.sql(rows, [target.targetProjectId]), []);
});

test.serial('a copy of time series is stopped between two statements', async (t) => {
  const { id } = await seriesScene();
  const gate = await holdValues();
  const stop = new AbortController();
  const made = randomUUID();
  const copying = w.db.transaction((tx) => copySeries(tx, id, made, stop.signal));
  const stopped = t.throwsAsync(copying, { message: 'enough' });
  await gate.reached();
  stop.abort(new Error('enough'));
  await gate.open();
  await stopped;
  t.deepEqual(await w.sql('select from ts_datasets where dataset_id = $1', [made]), []);
});

test.serial('a copy of time series that exceeds its time limit ends with an error message, once', async (t) => {
  const { client, ask } = await seriesScene();
  await worker.stop();
  const hasty = await workHere(w, { 'transfers.timeLimit': '3s' });
  t.teardown(() => hasty.stop());
  const gate = await holdValues();
  const id = await ask('copy');
  // on a busy machine the time may be over before
  await Promise.race([gate.reached().catch(() => {}), untilEnd(client, id)]);
  await sleep(5000);
  await gate.open();
  const ended = await untilEnd(client, id);
  t.deepEqual([ended.status, ended.attempt], ['Error', 1]);
  t.is(ended.errorMessage, 'The copy took longer than its time limit of 3 s.');
});

/** Locks a transfer and all projects for a moment. Fails if somebody else keeps one locked. */
async function lockAll(transferId: string) {
  const client = new pg.Client({ connectionString: w.url });
  await client.connect();
  try {
    // longer than a heartbeat has the row, shorter than a statement may take
    await client.query("begin; set local lock_timeout = '20s'");
    await client.query('select from transfers where id = $1 for update', [transferId]);
    await client.query('select from projects for update');
  } finally {
    await client.end();
  }
}

/** Keeps all who write values of time series waiting. */
async function holdValues() {
  const client = new pg.Client({ connectionString: w.url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table ts_blocks in share mode');
  return {
    async reached() {
      for (let tries = 0; tries < 600; tries++) {
        const waiting = await w.sql(
          `select from pg_locks where relation = 'ts_blocks'::regclass and not granted
           and database = (select oid from pg_database where datname = current_database())`,
        );
        if (waiting.length > 0) return;
        await sleep(50);
      }
      throw new Error('Nobody waits.');
    },
    async open() {
      await client.query('commit');
      await client.end();
    },
  };
}
