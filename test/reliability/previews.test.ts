import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { bearerOf, type Get, tileServer } from '../http/tile-server.ts';
import { newDataset } from '../world/content.ts';
import { newProject } from '../world/transfers.ts';
import { startWorker, type WorkerProcess } from '../world/worker.ts';
import { type User, world } from '../world.ts';
import { choices, SEED, times } from './flags.ts';

/** A worker is killed while it makes stores of previews, and contents are purged or restored meanwhile. */
const ROUNDS = times(3, 20);
/** Longest time from the begin of a store to the kill. */
const MOST_MS = 1500;
const POINTS = 20_000;

const w = world(test);
const { between, of } = choices(40);
const alive = new Set<WorkerProcess>();
test.after.always('nobody is left', () => Promise.all([...alive].map((one) => one.process.kill('SIGKILL'))));

async function started(): Promise<WorkerProcess> {
  const worker = await startWorker(w);
  alive.add(worker);
  void worker.ended.then(() => alive.delete(worker));
  return worker;
}

interface Doomed {
  readonly id: string;
  readonly after: 'kept' | 'purged' | 'restored';
}

let made = 0;
function points(): string {
  const first = ++made;
  const features = Array.from({ length: POINTS }, (_, n) => ({
    type: 'Feature',
    properties: { name: `point ${n} of ${first}`, depth: n },
    geometry: { type: 'Point', coordinates: [9 + (n % 100) / 1000, 54 + n / 100_000] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

const path = (id: string) => `/api/preview/dataset/${id}`;

async function happen(t: ExecutionContext, owner: User, { id, after }: Doomed): Promise<void> {
  if (after === 'kept') return;
  const client = w.as(owner);
  t.is((await client.delete(`/api/metadata/dataset/${id}`)).status, 204);
  if (after === 'restored') await sleep(between(0, 300));
  const answer =
    after === 'purged'
      ? await client.delete(`/api/recycle-bin/dataset/${id}`)
      : await client.put(`/api/recycle-bin/dataset/${id}/restore`);
  t.true(answer.status < 300, JSON.stringify(answer.body));
}

/** The stores that are there, by name. */
async function stored(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of w.blobs.list('dataset/preview-')) names.push(name);
  return names.sort();
}

const referenced = async () =>
  (await w.sql<{ store: string }>('select distinct store from previews where store is not null order by 1')).map(
    ({ store }) => store,
  );

const begun = async () => (await w.sql(`select from previews where state = 'building' and attempt > 0`)).length;

/** Waits until a worker makes a store. */
async function untilBegun(): Promise<void> {
  for (let tries = 0; tries < 1000 && (await begun()) === 0; tries++) await sleep(20);
}

/** A store that was begun five times is given up, until somebody retries. */
async function untilReady(t: ExecutionContext, owner: User, get: Get, id: string): Promise<boolean> {
  const bearer = await bearerOf(w, owner);
  const ask = async () => (await get(path(id), { ...bearer, prefer: 'wait=60' })).body;
  let body = await ask();
  const wasGivenUp = body.state === 'failed';
  if (wasGivenUp) {
    t.regex(body.reason, /was begun 5 times/);
    t.is((await w.as(owner).post(`${path(id)}/retry`, {})).status, 202);
  }
  for (let tries = 0; tries < 5 && body.state !== 'ready'; tries++) body = await ask();
  t.like(body, { state: 'ready', cells: POINTS }, JSON.stringify(body));
  return wasGivenUp;
}

test.serial('killing a worker that makes stores of previews leaves none behind, and none is missing', async (t) => {
  t.log(`seed ${SEED}`);
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  const { get } = await tileServer(t, w, { 'preview.directSize': 100 });
  const bearer = await bearerOf(w, owner);
  const all: Doomed[] = [];
  let [leftBehind, midway] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const fresh: Doomed[] = [];
    for (const after of ['kept', 'purged', 'restored'] as const) {
      const id = await newDataset(w, projectId, owner, { name: after, datasetFormat: 'geojson', content: points() });
      fresh.push({ id, after });
      t.is((await get(path(id), bearer)).body.state, 'building');
    }
    all.push(...fresh);
    const worker = await started();
    const killed = untilBegun().then(async () => {
      await sleep(between(0, MOST_MS));
      worker.process.kill('SIGKILL');
    });
    for (const one of fresh) {
      await sleep(between(0, MOST_MS));
      await happen(t, owner, one);
    }
    await killed;
    await worker.ended;
    await w.untilLeft('platform work');
    if ((await begun()) > 0) midway++;
    const known = new Set(await referenced());
    leftBehind += (await stored()).filter((name) => !known.has(name)).length;
    // what the next worker makes may be asked for meanwhile
    const again = of(all.filter(({ after }) => after !== 'purged'));
    t.is((await get(path(again.id), bearer)).status, 200);
  }
  const last = await started();
  let givenUp = 0;
  for (const { id, after } of all) {
    if (after === 'purged') t.is((await get(path(id), bearer)).status, 404);
    else if (await untilReady(t, owner, get, id)) givenUp++;
  }
  t.log(
    `${ROUNDS} kills, ${midway} while a store was made, ${leftBehind} stores without a preview after them, ${givenUp} previews given up`,
  );
  const until = Date.now() + 5 * 60_000;
  while ((await w.sql('select from blob_deletions limit 1')).length > 0 && Date.now() < until) await sleep(100);
  await last.stop();
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
  t.deepEqual(await stored(), await referenced());
  t.is((await referenced()).length, all.filter(({ after }) => after !== 'purged').length);
  t.deepEqual(
    await w.sql(`select blob from previews p where not exists (select from datasets d where d.blob = p.blob)`),
    [],
  );
  for (const { id, after } of all)
    if (after !== 'purged') t.is((await get(`${path(id)}/statistics?item=depth`, bearer)).body.count, POINTS);
});
