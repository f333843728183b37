import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import { layeredMesh } from '../formats/meshes.ts';
import { newStore, smallGrid, storeOf } from '../world/stores.ts';
import { local, newProject, untilEnd } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type User, world } from '../world.ts';

/** Changes of multidimensional datasets: items and steps. */
const w = world(test);
const worker = switchedWorker(w);

/** Four steps of an item with a quantity and one without. */
const content = (more: Partial<Grid> = {}): Grid => ({
  ...smallGrid(),
  time: { spacing: 'equidistant', unit: 'hour', start: Date.UTC(2026, 0, 24), count: 4, offset: 0, interval: 1 },
  bands: [
    { name: 'Level', unit: 'm', eum: { item: 100_000, unit: 1000 }, type: 'Float32', nodata: -1e-35 },
    { name: 'Count', type: 'Int16', nodata: -1 },
  ],
  async *rows({ band, step }) {
    const samples = Array.from({ length: 6 }, (_, n) => 1000 * band + 100 * step + n);
    yield {
      firstRow: 0,
      rowCount: 3,
      samples: band === 0 ? Float32Array.from(samples) : Int16Array.from(samples),
    };
  },
  ...more,
});

async function scene(given: Grid | Mesh = content(), members: { user: User; role: string }[] = []) {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client, 'River', members);
  const id = await newStore(w, projectId, owner, 'levels', given);
  const url = `/api/md/dataset/${id}`;
  return {
    id,
    url,
    client,
    owner,
    patch: (index: number, body: object, headers = {}) => client.patch(`${url}/item/${index}`, body, headers),
    removeStep: (index: number | string, query = '') => client.delete(`${url}/timestep?timestepIndex=${index}${query}`),
    described: async () => (await client.get(url)).body,
    record: async () => (await client.get(`/api/metadata/dataset/${id}`)).body,
    /** Values of the first cell by item and step. */
    async values() {
      const { body } = await client.post(`${url}/query-timeseries`, {
        spatialFilter: { geometry: 'POINT (500005 6000025)' },
      });
      return body.dataBlocks.map(({ data }: { data: number[] }) => data);
    },
    transfers: () => w.sql('select type, status from transfers where output_dataset_id = $1 order by created_at', [id]),
  };
}

test.serial(
  'an item gets another name, unit and quantity, as existing clients send them; all else stays',
  async (t) => {
    await worker.start();
    const { patch, described, values, record, transfers } = await scene();
    const [before, was] = [await described(), await record()];
    const { status, body } = await patch(0, { name: 'Depth', unit: 'eumUfeet', item: 'eumIWaterDepth' });
    t.is(status, 200, JSON.stringify(body));
    const [level, count] = before.items;
    t.deepEqual(body, {
      ...before,
      items: [
        { ...level, id: 'Depth', name: 'Depth', item: 'eumIWaterDepth', unit: 'eumUfeet', unitSymbol: 'feet' },
        count,
      ],
    });
    t.deepEqual(await described(), body);
    t.deepEqual(await values(), [
      [0, 100, 200, 300],
      [1000, 1100, 1200, 1300],
    ]);
    const is = await record();
    t.not(is.rowVersion, was.rowVersion);
    t.deepEqual([is.id, is.name, is.metadata, is.datasetType], [was.id, was.name, was.metadata, was.datasetType]);
    t.deepEqual(is.temporalInformation?.startTime?.slice(0, 10), '2026-01-24');

    const again = await patch(0, {
      name: 'Depth',
      unit: 'eumUfeet',
      item: 'eumIWaterDepth',
      rowVersion: is.rowVersion,
    });
    t.deepEqual([again.status, again.body], [200, body]);
    t.deepEqual((await patch(0, { name: null })).body, body);
    t.deepEqual(await transfers(), [{ type: 'Update', status: 'Completed' }], 'a change that was made starts nothing');
  },
);

test.serial('measured statistics follow a change, and are not begun by one', async (t) => {
  await worker.start();
  const { client, id, patch, record } = await scene();
  t.is((await patch(0, { name: 'First' })).status, 200);
  t.false('statistics' in (await record()).properties);
  const measure = { transformations: [{ type: 'calculateStatisticsTransformation' }] };
  const made = { outputDatasetData: { name: 'measured' }, writerName: 'MDWriter', ...measure };
  const started = await client.post(`/api/metadata/dataset/${id}/convert`, made);
  const { importResults } = await untilEnd(client, started.body.id);
  const url = `/api/md/dataset/${importResults[0].datasetId}`;
  const statistics = async () =>
    (await client.get(`/api/metadata/dataset/${importResults[0].datasetId}`)).body.properties.statistics;
  const [first] = await statistics();
  t.is((await client.patch(`${url}/item/0`, { name: 'Second' })).status, 200);
  const [second] = await statistics();
  t.deepEqual(second, { ...first, name: 'Second' });
  const { body } = await client.delete(`${url}/timestep?timestepIndex=3`);
  t.is((await untilEnd(client, body.id)).status, 'Completed');
  t.not(JSON.stringify((await statistics())[0]), JSON.stringify(second));
});

test.serial('a change of an item that is refused names the reason, and starts nothing', async (t) => {
  const reader = await w.account();
  const { url, patch, transfers } = await scene(content(), [{ user: reader, role: 'Reader' }]);
  const refused = async (index: number, body: object) => {
    const answer = await patch(index, body);
    return [answer.status, answer.body.detail];
  };
  t.deepEqual(await refused(2, { name: 'x' }), [404, "Item '2' was not found."]);
  const [status, sentence] = await refused(0, { unit: 'eumUm3PerSec' });
  t.is(status, 400);
  t.regex(sentence, /^The item 'Level' cannot be eumIWaterLevel\. eumUm3PerSec is none of its units: eumUmeter, /);
  t.is((await refused(0, { unit: 'smoot' }))[0], 400);
  t.is((await refused(0, { name: ' ' }))[0], 400);
  t.is((await patch(0, { name: 'x', rowVersion: '77' })).body.code, 'StaleRowVersion');
  t.is((await w.as(reader).patch(`${url}/item/0`, { name: 'x' })).status, 403);
  t.is((await w.as(await w.account()).patch(`${url}/item/0`, { name: 'x' })).status, 404);
  t.deepEqual(await transfers(), []);
});

test.serial('a step is removed from all items; the times after it stay', async (t) => {
  await worker.start();
  const { client, removeStep, described, values } = await scene();
  const answer = await removeStep(1);
  t.is(answer.status, 202);
  const ended = await untilEnd(client, answer.body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  const { time, items } = await described();
  t.is(items.length, 2);
  t.deepEqual(
    time.times.map((one: string) => one.slice(11, 16)),
    ['00:00', '02:00', '03:00'],
  );
  t.deepEqual(await values(), [
    [0, 200, 300],
    [1000, 1200, 1300],
  ]);
  for (const left of [2, 1]) {
    const { status } = await untilEnd(client, (await removeStep(0)).body.id);
    t.is(status, 'Completed');
    t.is((await described()).time.steps, left);
  }
  t.deepEqual(await values(), [[300], [1300]]);
});

test.serial('steps that cannot be removed are refused with a sentence', async (t) => {
  const { id, removeStep, transfers } = await scene(
    content({ time: { spacing: 'equidistant', unit: 'hour', count: 1, offset: 0, interval: 1 } }),
  );
  const refused = async (answer: ReturnType<typeof removeStep>) => {
    const { status, body } = await answer;
    return [status, body.detail];
  };
  t.deepEqual(await refused(removeStep(1)), [400, `There is no step 1. Dataset '${id}' has 1 steps, from 0.`]);
  t.deepEqual(await refused(removeStep(0)), [
    400,
    `Step 0 is the only one of dataset '${id}'. Delete the dataset instead.`,
  ]);
  t.is((await removeStep('')).status, 400);
  t.deepEqual(await transfers(), []);
  const { time: _, ...timeless } = content();
  const without = await scene(timeless);
  t.deepEqual(await refused(without.removeStep(0)), [
    400,
    `Dataset '${without.id}' has no time axis, so it has no step to remove.`,
  ]);
});

test.serial('a layered mesh loses the heights of a step with its values', async (t) => {
  await worker.start();
  const { client, url, removeStep, described } = await scene(meshOfCells(layeredMesh()));
  const query = async () => (await client.post(`${url}/query-timesteps`, {})).body.dataBlocks;
  const before = await query();
  const { steps } = (await described()).time;
  const ended = await untilEnd(client, (await removeStep(0)).body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is((await described()).time.steps, steps - 1);
  t.deepEqual(
    await query(),
    before
      .filter(({ timeIndex }: { timeIndex: number }) => timeIndex > 0)
      .map((block: { timeIndex: number }) => ({ ...block, timeIndex: block.timeIndex - 1 })),
  );
});

test.serial('until its transfer has ended, readers get the old content, and other changes are refused', async (t) => {
  await worker.stop();
  const { client, patch, removeStep, described, values, transfers } = await scene();
  const before = await described();
  t.deepEqual((await removeStep(0, '&dryRun=true')).body, { valid: true, warnings: [] });
  const both = await Promise.all([removeStep(0), removeStep(0)]);
  t.deepEqual(both.map(({ status }) => status).sort(), [202, 409]);
  t.is((await patch(0, { name: 'x' })).body.code, 'DatasetLocked');
  t.deepEqual(await described(), before);
  t.is((await values())[0].length, 4);
  await worker.start();
  await untilEnd(client, both.find(({ status }) => status === 202)!.body.id);
  t.is((await values())[0].length, 3);
  t.is((await transfers()).length, 1);
});

test.serial('a change of an item that waits too long is answered with its transfer', async (t) => {
  await worker.stop();
  const { client, patch, described } = await scene();
  const key = { 'idempotency-key': randomUUID(), prefer: 'wait=0' };
  const { status, body } = await patch(0, { name: 'Depth' }, key);
  t.is(status, 202);
  t.like(body, { type: 'Update', status: 'Pending', format: 'md' });
  t.is((await patch(0, { name: 'Depth' }, key)).body.id, body.id, 'sent again');
  await worker.start();
  const ended = await untilEnd(client, body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is((await described()).items[0].name, 'Depth');
});

test.serial('a failed removal is retried, but not on other content, whose steps are others', async (t) => {
  await worker.stop();
  const { id, url, client, removeStep, record, values } = await scene();
  const fail = async () => {
    const { body } = await removeStep(0);
    await client.post(`/api/conversion/transfer/${body.id}/cancel`);
    t.is((await untilEnd(client, body.id)).status, 'Error');
    return () => client.post(`/api/conversion/transfer/${body.id}/retry`);
  };
  const retry = await fail();
  await worker.start();
  t.is((await untilEnd(client, (await retry()).body.id)).status, 'Completed');
  t.is((await values())[0].length, 3);

  await worker.stop();
  const later = await fail();
  const { projectId, dataPath } = await record();
  const sas = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}&expiration=1:00:00`);
  const address = `${local(dataPath)}?${sas.body.data.replace(/^\?/, '')}`;
  const put = await w.nobody.put(address, await storeOf(content()), { 'x-ms-blob-type': 'BlockBlob' });
  t.is(put.status, 201);
  const refused = await later();
  t.deepEqual([refused.status, refused.body.code], [409, 'ContentReplaced']);
  t.is((await client.get(url)).body.time.steps, 4);
});

test.serial('a worker killed before its commit leaves the old content; its successor removes one step', async (t) => {
  await worker.stop();
  const { client, id, removeStep, described, values, record } = await scene();
  const [before, was] = [await described(), await record()];
  const { body } = await removeStep(1);
  // the commit waits for this lock
  const holder = new pg.Client(w.url);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from datasets where id = $1 for no key update', [id]);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    const mortal = await startWorker(w, { 'log.level': 'fatal' });
    while (
      (await w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0]?.pid])).length === 0
    )
      await sleep(10);
    mortal.process.kill('SIGKILL');
    await mortal.ended;
    // a backend that waits for a lock does not notice that its client is gone
    await w.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'platform work'`,
    );
    await w.untilLeft('platform work');
    t.deepEqual(await described(), before);
    t.is((await record()).rowVersion, was.rowVersion);
    t.is((await values())[0].length, 4);
  } finally {
    await holder.end();
  }
  await worker.start();
  t.like(await untilEnd(client, body.id), { status: 'Completed', attempt: 2 });
  t.deepEqual(await values(), [
    [0, 200, 300],
    [1000, 1200, 1300],
  ]);
  t.is((await described()).time.steps, 3);
});

/** The elements of a mesh without the items at nodes. */
function meshOfCells(mesh: Mesh): Mesh {
  const chosen = mesh.items.flatMap(({ location }, n) => (location === 'cell' ? [n] : []));
  return {
    ...mesh,
    items: chosen.map((n) => mesh.items[n]!),
    values: (item, step) => mesh.values(chosen[item]!, step),
  };
}
