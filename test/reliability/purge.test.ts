import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { insertDataset } from '../../src/datasets/queries.ts';
import { enqueue } from '../../src/jobs.ts';
import { bytes } from '../blobs/rules.ts';
import { randomOf } from '../world/random.ts';
import { type ServerProcess, startServer } from '../world/server.ts';
import { startWorker, type WorkerProcess } from '../world/worker.ts';
import { type Client, type User, world } from '../world.ts';

/**
 * A worker that sweeps the bin and removes bytes, and a server that purges, are killed at random while they do it.
 * `PURGE_TEST=long` for 50 kills of each, `PURGE_SEED=n` for the choices of an earlier run.
 */
const ROUNDS = process.env.PURGE_TEST === 'long' ? 50 : 3;
const SEED = Number(process.env.PURGE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ITEMS = 8;

const w = world(test);
const random = randomOf(SEED);
const alive = new Set<WorkerProcess | ServerProcess>();
test.after.always('nobody is left', () => Promise.all([...alive].map((one) => one.process.kill('SIGKILL'))));
function kept<One extends WorkerProcess | ServerProcess>(one: One): One {
  alive.add(one);
  void one.ended.then(() => alive.delete(one));
  return one;
}

/** One thing in the bin, with all that goes with it. */
interface Item {
  id: string;
  projects: string[];
  datasets: string[];
  blobs: string[];
}

/** A project with a subproject and three datasets, one of them deleted before. */
async function binned(client: Client, owner: User): Promise<Item> {
  const root = await client.post('/api/metadata/project', { name: 'doomed' });
  const sub = await client.post(`/api/metadata/project/${root.body.id}/subproject`, {
    name: 'below',
    inheritsMembers: true,
  });
  const projects = [root.body.id, sub.body.id];
  const datasets: string[] = [];
  const blobs: string[] = [];
  for (const projectId of [...projects, sub.body.id]) {
    const blob = `dataset/${randomUUID()}`;
    await w.blobs.put(blob, bytes('x'), 1);
    const row = { projectId, name: 'data', datasetType: 'file', datasetFormat: 'file', blob, storageSize: 1 } as const;
    datasets.push((await w.db.transaction((tx) => insertDataset(tx, { ...row, userId: owner.userId }))).id);
    blobs.push(blob);
  }
  await client.delete(`/api/metadata/dataset/${datasets[2]}`);
  const { status } = await client.delete(`/api/project/${projects[0]}`);
  if (status !== 204) throw new Error(`delete: ${status}`);
  return { id: projects[0], projects, datasets, blobs };
}

/**
 * Every item is whole in the bin without an event, or gone with exactly one event for each row. Says which are gone.
 */
async function wholeOrGone(t: ExecutionContext, items: Item[]): Promise<Item[]> {
  const gone: Item[] = [];
  for (const { id, projects, datasets, blobs } of items) {
    const rows = [...projects, ...datasets];
    const left = await w.sql(
      'select id from projects where id = any($1) union all select id from datasets where id = any($1)',
      [rows],
    );
    const events = await w.sql<{ resource_id: string }>(
      'select resource_id from events where resource_id = any($1::text[]) and transaction_id is null order by 1',
      [rows],
    );
    if (left.length === 0) {
      t.deepEqual(
        events.map((event) => event.resource_id),
        [...rows].sort(),
        'one event each',
      );
      gone.push({ id, projects, datasets, blobs });
      continue;
    }
    t.is(left.length, rows.length, 'whole');
    t.deepEqual(events, []);
    t.is((await w.sql('select from recycle_bin where id = $1', [id])).length, 1, 'in the bin');
    for (const blob of blobs) t.truthy(await w.blobs.info(blob), 'with its bytes');
  }
  return gone;
}

/** Waits until this number of items is purged. */
async function untilGone(items: Item[], count: number) {
  const ids = items.map((item) => item.id);
  const until = Date.now() + 5000;
  while (Date.now() < until) {
    const left = await w.sql('select from recycle_bin where id = any($1)', [ids]);
    if (items.length - left.length >= count) return;
  }
}

async function noBytesLeft(t: ExecutionContext, items: Item[]) {
  const until = Date.now() + 5 * 60_000;
  while ((await w.sql('select from blob_deletions limit 1')).length > 0 && Date.now() < until) await sleep(100);
  t.deepEqual(await w.sql('select name from blob_deletions'), []);
  for (const blob of items.flatMap((item) => item.blobs)) t.is(await w.blobs.info(blob), undefined, blob);
}

test.serial(
  'killing a worker during a sweep leaves each item complete in the bin, or purged with its events',
  async (t) => {
    t.log(`seed ${SEED}`);
    const owner = await w.account();
    const client = w.as(owner);
    const items: Item[] = [];
    let halfway = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const fresh: Item[] = [];
      for (let n = 0; n < ITEMS; n++) fresh.push(await binned(client, owner));
      items.push(...fresh);
      // tenants of one item each: the batches of a sweep are then as many as the items
      for (const { id } of fresh) {
        const [tenant] = await w.sql<{ id: string }>(`insert into tenants (name) values ('one') returning id`);
        await w.sql(`update projects set tenant_id = $1 where root_id = $2`, [tenant?.id, id]);
        await w.sql(
          `update recycle_bin set tenant_id = $1 where id = any(
        select id from projects where root_id = $2 union select d.id from datasets d join projects p on p.id = d.project_id
        where p.root_id = $2)`,
          [tenant?.id, id],
        );
      }
      await w.sql(`update recycle_bin set deleted_at = now() - interval '181 days'`);
      const worker = kept(await startWorker(w));
      await w.db.transaction((tx) => enqueue(tx, 'sweepRecycleBin', {}, { jobKey: 'sweep' }));
      await untilGone(fresh, Math.floor(random() * ITEMS));
      worker.process.kill('SIGKILL');
      await worker.ended;
      await w.untilLeft('platform work');
      const gone = await wholeOrGone(t, fresh);
      if (gone.length > 0 && gone.length < ITEMS) halfway++;
    }
    t.log(`${ROUNDS} kills, ${halfway} of them in the middle of a sweep`);
    const worker = kept(await startWorker(w));
    await w.db.transaction((tx) => enqueue(tx, 'sweepRecycleBin', {}, { jobKey: 'sweep' }));
    const until = Date.now() + 5 * 60_000;
    while ((await w.sql('select from recycle_bin limit 1')).length > 0 && Date.now() < until) await sleep(100);
    t.is((await wholeOrGone(t, items)).length, items.length, 'the sweep goes on where it was');
    await noBytesLeft(t, items);
    const reasons = await w.sql(
      `select distinct data->>'Reason' as reason, data ? 'UserId' as named from events where transaction_id is null`,
    );
    t.deepEqual(reasons, [{ reason: 'Retention', named: false }]);
    await worker.stop();
  },
);

test.serial(
  'killing the API during a purge leaves each item complete in the bin, or purged with its events',
  async (t) => {
    const owner = await w.account();
    const client = w.as(owner);
    const items: Item[] = [];
    const answered = new Set<string>();
    let halfway = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const fresh: Item[] = [];
      for (let n = 0; n < ITEMS; n++) fresh.push(await binned(client, owner));
      items.push(...fresh);
      const server = kept(await startServer(w));
      const headers = { authorization: `Bearer ${await w.tokenOf(owner)}` };
      await fetch(`${server.url}/api/recycle-bin/my-deleted-items`, { headers });
      const requests = fresh.map(async ({ id }) => {
        const answer = await fetch(`${server.url}/api/recycle-bin/project/${id}`, { method: 'DELETE', headers });
        if (answer.status === 204) answered.add(id);
      });
      await sleep(random() * 80);
      server.process.kill('SIGKILL');
      await server.ended;
      await Promise.allSettled(requests);
      await w.untilLeft('platform serve');
      const gone = await wholeOrGone(t, fresh);
      if (gone.length > 0 && gone.length < ITEMS) halfway++;
      for (const { id } of fresh.filter((item) => answered.has(item.id)))
        t.true(
          gone.some((item) => item.id === id),
          'acknowledged purges are complete',
        );
    }
    t.log(`${ROUNDS} kills, ${halfway} of them in the middle of ${ITEMS} purges`);
    for (const { id } of items) await client.delete(`/api/recycle-bin/project/${id}`);
    t.is((await wholeOrGone(t, items)).length, items.length);
    const worker = kept(await startWorker(w));
    await noBytesLeft(t, items);
    await worker.stop();
  },
);
