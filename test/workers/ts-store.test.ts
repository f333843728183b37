import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { dfsBytes } from '../formats/dfs/dfs-bytes.ts';
import { held } from '../formats/ts/series-files.ts';
import { VERSION_4 } from '../world/move-copy.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Answer, type Client, world } from '../world.ts';

/** The store of time series as a client uses it, through every start of a transfer. */
const w = world(test);
const settings = { 'worker.concurrency': '2', 'log.level': 'fatal' };
const worker = switchedWorker(w, settings);

const DELETED = Math.fround(-1e-35);

/** Two gauges, an hour between values; null is deleted. */
const gauges = (from: string, level: (number | null)[], flow = level) =>
  dfsBytes({
    projection: ['LONG/LAT', 0, 0, 0],
    time: { start: ['2026-01-01', `${from}:00`], unit: 1402, interval: 1 },
    items: [
      {
        name: 'Level',
        eum: [100000, 1000],
        reference: [9, 55, 0, 0, 0, 0],
        steps: level.map((one) => [one ?? DELETED]),
      },
      { name: 'Flow', eum: [100001, 1800], steps: flow.map((one) => [one ?? DELETED]) },
    ],
  });

const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;

async function completed(t: ExecutionContext, client: Client, answer: Answer): Promise<Answer['body']> {
  t.is(answer.status, 200, JSON.stringify(answer.body));
  const ended = await untilEnd(client, answer.body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  return ended;
}

async function imported(t: ExecutionContext, client: Client, projectId: string, content: Buffer, more: object = {}) {
  const wish = {
    originalFileName: 'gauges.dfs0',
    outputDatasetData: { name: 'gauges' },
    readerName: 'Dfs0Reader',
    writerName: 'TSWriter',
    ...more,
  };
  const answer = await start(client, copyRequest(projectId, await upload(w, client, content), wish));
  return (await completed(t, client, answer)).importResults[0].datasetId as string;
}

/** Names of the series with their values. */
async function valuesOf(client: Client, id: string) {
  const list = (await client.get(`/api/ts/dataset/${id}/timeseries/list`)).body.data as {
    id: string;
    item: { name: string };
  }[];
  const { data } = (
    await client.post(
      `/api/ts/dataset/${id}/timeseries/values`,
      list.map((one) => one.id),
    )
  ).body;
  return Object.fromEntries(
    list.map(({ item }, n) => [item.name, data[n].map(([, value]: unknown[]) => value ?? null)]),
  );
}

test.serial('a transfer that writes series ends when they are written, not when it begins to', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  await w.sql(`
    create function write_slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return null; end $$;
    create trigger write_slowly after insert on ts_blocks for each statement execute function write_slowly()`);
  await worker.start();
  await imported(t, client, projectId, gauges('10:00', [1.5, 3]));
  await w.sql('drop trigger write_slowly on ts_blocks; drop function write_slowly()');
  const [{ writing = 0 } = {}] = await w.sql<{ writing: number }>(
    // the transaction that writes them begins at updated_at
    `select extract(epoch from finished_at - updated_at)::float8 as writing from transfers where project_id = $1`,
    [projectId],
  );
  t.true(writing >= 0.3, String(writing));
});

test.serial('time series are imported, updated, appended to, converted, exported, moved and restored', async (t) => {
  const tenantId = await w.tenant();
  const client = w.as(await w.account({ tenantId, role: 'Owner' }));
  const projectId = await newProject(client);
  await worker.start();
  const id = await imported(t, client, projectId, gauges('10:00', [1.5, null, 3]), {
    transformations: [{ type: 'CalculateStatisticsTransformation' }],
  });
  const made = (await client.get(dataset(id))).body;
  t.like(made, { datasetType: 'timeseries', datasetFormat: 'ts' });
  t.like(made.temporalInformation, {
    startTime: '2026-01-01T10:00:00.0000000',
    endTime: '2026-01-01T12:00:00.0000000',
    interval: 'PT1H',
  });
  t.is(made.spatialInformation.srid, 4326);
  t.like(made.properties.statistics[0], { name: 'Level', values: 2, empty: 1, maximum: 3 });
  t.true(made.storageSize > 0);
  t.deepEqual((await client.get(`/api/ts/dataset/${id}`)).body.items[1], {
    name: 'Flow',
    unit: 'eumUm3PerSec',
    item: 'eumIDischarge',
    dataType: 'Single',
    timeSeriesType: 'Instantaneous',
  });
  t.deepEqual(await valuesOf(client, id), { Level: [1.5, null, 3], Flow: [1.5, null, 3] });

  const list = await client.get(`/api/ts/dataset/${id}/timeseries/list`);
  const level = `/api/ts/dataset/${id}/timeseries/${list.body.data[0].id}/values`;
  const etag = (await client.get(level)).headers.etag as string;
  t.is((await client.get(level, { 'if-none-match': etag })).status, 304);
  const more = async (verb: string, content: Buffer) =>
    client.post(dataset(id, `/${verb}`), {
      originalFileName: 'more.dfs0',
      readerName: 'Dfs0Reader',
      uploadUrl: await upload(w, client, content),
    });
  const grown = await completed(t, client, await more('append', gauges('13:00', [4, 5])));
  t.like(grown.receipt.appended, { present: 6, added: 4 });
  t.is((await client.get(level, { 'if-none-match': etag })).status, 200);
  t.deepEqual(await valuesOf(client, id), { Level: [1.5, null, 3, 4, 5], Flow: [1.5, null, 3, 4, 5] });
  const after = (await client.get(dataset(id))).body;
  t.like(after, {
    id,
    name: 'gauges',
    rowVersion: String(Number(made.rowVersion) + 1),
    spatialInformation: made.spatialInformation,
  });
  t.is(after.temporalInformation.endTime, '2026-01-01T14:00:00.0000000');
  t.is(after.properties.statistics, undefined);
  const again = await untilEnd(client, (await more('append', gauges('14:00', [6]))).body.id);
  t.regex(again.errorMessage, /which is not after 2026-01-01T14:00:00, the last one of 'Level'/);

  const exported = await completed(
    t,
    client,
    await client.post(dataset(id, '/download-convert'), { writerName: 'Dfs0Writer' }),
  );
  const file = (await w.nobody.get(local(exported.downloadPath))).raw;
  const dfs = await held(t, file);
  t.deepEqual(dfs.columns, [
    [1.5, DELETED, 3, 4, 5],
    [1.5, DELETED, 3, 4, 5],
  ]);
  t.deepEqual(
    [dfs.spacing, dfs.items.map(({ name, eum }) => [name, eum])],
    [
      'equidistant',
      [
        ['Level', { item: 100000, unit: 1000 }],
        ['Flow', { item: 100001, unit: 1800 }],
      ],
    ],
  );

  const convert = async (from: string, wish: object) =>
    (
      await completed(
        t,
        client,
        await client.post(dataset(from, '/convert'), { outputDatasetData: { name: 'made' }, ...wish }),
      )
    ).importResults[0].datasetId as string;
  const asFile = await convert(id, {
    writerName: 'Dfs0Writer',
    readerParameters: [{ name: 'AllowedItemNames', value: ['Flow'] }],
  });
  t.like((await client.get(dataset(asFile))).body, { datasetType: 'file', datasetFormat: 'dfs0' });
  const back = await convert(asFile, { writerName: 'TSWriter' });
  t.deepEqual(await valuesOf(client, back), { Flow: [1.5, null, 3, 4, 5] });
  const copy = await convert(id, { writerName: 'TSWriter' });
  t.deepEqual(await valuesOf(client, copy), await valuesOf(client, id));

  const replaced = await completed(t, client, await more('update', gauges('20:00', [7, 8])));
  t.is(replaced.importResults[0].datasetId, id);
  t.deepEqual(await valuesOf(client, id), { Level: [7, 8], Flow: [7, 8] });
  await completed(t, client, await client.post(`/api/metadata/dataset/${back}/update/${id}`, {}));
  t.deepEqual(await valuesOf(client, id), { Flow: [1.5, null, 3, 4, 5] });

  const other = await newProject(client, 'Other');
  for (const verb of ['copy', 'move']) {
    const answer = await client.post(
      dataset(id, `/${verb}`),
      { targetProjectId: other, targetTenantId: tenantId },
      VERSION_4,
    );
    const there = (await completed(t, client, answer)).importResults[0].datasetId;
    t.deepEqual(await valuesOf(client, there), { Flow: [1.5, null, 3, 4, 5] });
  }
  t.is((await client.delete(dataset(id))).status, 204);
  t.is((await client.get(`/api/ts/dataset/${id}`)).status, 404);
  t.is((await client.put(`/api/recycle-bin/dataset/${id}/restore`)).status, 204);
  t.deepEqual(await valuesOf(client, id), { Flow: [1.5, null, 3, 4, 5] });
  await client.delete(dataset(id));
  t.is((await client.delete(`/api/recycle-bin/dataset/${id}`)).status, 204);
  t.deepEqual(await w.sql('select from ts_series where dataset_id = $1', [id]), []);

  const refusals = [
    [await client.post(dataset(copy, '/download-convert'), { writerName: 'TSWriter' }), 'writerName', /no files/],
    [
      await client.post(dataset(copy, '/convert'), {
        outputDatasetData: { name: 'x' },
        readerName: 'FileReader',
        writerName: 'FileWriter',
      }),
      'readerName',
      /reads bytes/,
    ],
    [
      await client.post(dataset(asFile, '/convert'), {
        outputDatasetData: { name: 'x' },
        readerName: 'TSReader',
        writerName: 'Dfs0Writer',
      }),
      'readerName',
      /not one of format 'dfs0'/,
    ],
    [
      await start(
        client,
        copyRequest(projectId, await upload(w, client, 'x'), { readerName: 'TSReader', writerName: 'Dfs0Writer' }),
      ),
      'readerName',
      /not an uploaded file/,
    ],
  ] as const;
  for (const [{ status, body }, member, sentence] of refusals) {
    t.is(status, 400);
    t.regex(body.errors[member][0], sentence);
  }
});

const LOCKS = ['ts_blocks', 'cache_generations'] as const;

test.serial(
  'a worker killed while writing series leaves no partial data: its successor writes them once',
  async (t) => {
    const client = w.as(await w.account());
    const projectId = await newProject(client);
    await worker.start();
    const id = await imported(t, client, projectId, gauges('10:00', [1]));
    const before = await valuesOf(client, id);
    const request = {
      originalFileName: 'more.dfs0',
      readerName: 'Dfs0Reader',
      uploadUrl: await upload(w, client, gauges('11:00', [2, 3])),
    };
    const holder = new pg.Client(w.url);
    await holder.connect();
    await worker.stop();
    let answer: Answer | undefined;
    try {
      for (const table of LOCKS) {
        // what the worker writes waits for this lock, at its first and its last statement
        await holder.query(`begin; lock table ${table} in share row exclusive mode`);
        const mortal = await startWorker(w, settings);
        answer ??= await client.post(dataset(id, '/append'), request);
        await untilWaiting(table);
        mortal.process.kill('SIGKILL');
        await mortal.ended;
        await holder.query('rollback');
        t.deepEqual(await valuesOf(client, id), before);
      }
    } finally {
      await holder.end();
    }
    await worker.start();
    const ended = await completed(t, client, answer!);
    t.is(ended.attempt, LOCKS.length + 1);
    t.deepEqual(await valuesOf(client, id), { Level: [1, 2, 3], Flow: [1, 2, 3] });
    t.is((await w.sql('select from ts_series where dataset_id = $1', [id])).length, 2);
  },
);

/** Until a statement waits for a lock on this table. */
async function untilWaiting(table: string) {
  for (;;) {
    const waiting = await w.sql('select from pg_locks where not granted and relation = $1::regclass', [table]);
    if (waiting.length > 0) return;
    await sleep(20);
  }
}

test.serial(
  'one of two concurrent writers is refused, also over HTTP; a cancel while writing leaves no rows',
  async (t) => {
    const client = w.as(await w.account());
    const projectId = await newProject(client);
    await worker.start();
    const id = await imported(t, client, projectId, gauges('10:00', [1]));
    const before = await valuesOf(client, id);
    const append = async () =>
      client.post(dataset(id, '/append'), {
        originalFileName: 'more.dfs0',
        readerName: 'Dfs0Reader',
        uploadUrl: await upload(w, client, gauges('11:00', [2, 3])),
      });
    const holder = new pg.Client(w.url);
    await holder.connect();
    try {
      await holder.query('begin; lock table ts_blocks in share row exclusive mode');
      const first = await append();
      await untilWaiting('ts_blocks');
      t.is((await append()).status, 409);
      const [series] = (await client.get(`/api/ts/dataset/${id}/timeseries/list`)).body.data;
      const rows = [['2026-01-01T11:00:00', 9]];
      t.is((await client.post(`/api/ts/dataset/${id}/timeseries/${series.id}/upload/json`, rows)).status, 409);
      t.is((await client.post(`/api/conversion/transfer/${first.body.id}/cancel`)).status, 202);
      const ended = await untilEnd(client, first.body.id);
      t.is(ended.errorMessage, 'Cancelled.');
      await holder.query('rollback');
      t.deepEqual(await valuesOf(client, id), before);
      t.is((await client.post(`/api/ts/dataset/${id}/timeseries/${series.id}/upload/json`, rows)).status, 204);
      t.deepEqual(await valuesOf(client, id), { Level: [1, 9], Flow: [1] });
    } finally {
      await holder.end();
    }
  },
);
