import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { findServed } from '../../src/datasets/served.queries.ts';
import { ConversionError, NEEDS_STORE } from '../../src/files/errors.ts';
import { FAIL_FAST } from '../../src/platform/async/maintenance-run.ts';
import { forgetPreviews } from '../../src/preview/clean-up.ts';
import { beginStore, claimDigest, finishStore } from '../../src/preview/previews.queries.ts';
import { Previews } from '../../src/preview/previews.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { bearerOf, tileServer } from '../http/tile-server.ts';
import { newDataset } from '../world/content.ts';
import { GRID_TILE, gridText, WELLS } from '../world/previews.ts';
import { newProject } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type User, world } from '../world.ts';

/** Stores that are made for previews of contents that cannot be drawn as they are stored. */
const w = world(test);
const worker = switchedWorker(w);

/** All files get a store. */
async function scene(t: ExecutionContext, settings: object = {}) {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  const { get: ask } = await tileServer(t, w, { 'preview.directSize': 100, ...settings });
  const bearer = await bearerOf(w, owner);
  const get = (url: string, headers: Record<string, string> = {}) => ask(url, { ...bearer, ...headers });
  return { owner, projectId, get };
}

let made = 0;
/** A content of its own: equal ones would share a store. */
const wells = () => WELLS.replace('well 0', `well of scene ${++made}`);

const newWells = (projectId: string, owner: User, content = wells()) =>
  newDataset(w, projectId, owner, { name: 'wells', datasetFormat: 'geojson', content });

const path = (id: string) => `/api/preview/dataset/${id}`;

interface Row {
  readonly state: string;
  readonly store: string | null;
  readonly attempt: number;
}
const rowOf = async (id: string): Promise<Row | undefined> =>
  (await w.sql<Row>('select p.* from previews p join datasets d on d.blob = p.blob where d.id = $1', [id]))[0];

/** Waits for the store, and returns the description. */
async function untilReady(t: ExecutionContext, { get }: Awaited<ReturnType<typeof scene>>, id: string) {
  await worker.start();
  const { body } = await get(path(id), { prefer: 'wait=60' });
  t.is(body.state, 'ready', JSON.stringify(body));
  return body;
}

const told = (id: string) =>
  w.sql<{ data: object }>(
    `select data from events where type = 'svc.platform.events.previewreadyevent' and resource_id = $1`,
    [id],
  );

test.serial('a content that needs a store is building until a job has made it, then drawn of it', async (t) => {
  await worker.stop();
  const here = await scene(t);
  const { owner, projectId, get } = here;
  const content = wells();
  const id = await newWells(projectId, owner, content);
  const { status, body } = await get(path(id));
  t.is(status, 200);
  t.deepEqual(body, { state: 'building', progress: 0 });
  const tile = await get(`${path(id)}/0/0/0.vector.pbf`);
  t.is(tile.status, 503);
  t.is(tile.body.code, 'PreviewBuilding');
  t.is(tile.headers['retry-after'], '1');
  t.is((await get(`${path(id)}/statistics?item=depth`)).status, 503);

  const described = await untilReady(t, here, id);
  t.like(described, { kind: 'features', cells: 50 });
  t.is((await told(id)).length, 1);
  t.like((await told(id))[0]!.data, { Id: id, ProjectId: projectId });
  const { body: statistics } = await get(`${path(id)}/statistics?item=depth`);
  t.like(statistics, { count: 50, min: 0, max: 24.5 });

  // a job that comes again changes nothing
  const before = await rowOf(id);
  await w.sql(`select enqueue_preview(blob, '0') from datasets where id = $1`, [id]);
  for (;;) {
    const [{ count }] = (await w.sql('select count(*)::int from queue_jobs where key like $1', ['preview %'])) as [
      { count: number },
    ];
    if (count === 0) break;
    await sleep(50);
  }
  t.deepEqual(await rowOf(id), before);
  t.is((await told(id)).length, 1);

  // an equal content, of another dataset, has the same store
  const copy = await newWells(projectId, owner, content);
  await get(path(copy));
  await untilReady(t, here, copy);
  t.is((await rowOf(copy))!.store, before!.store);
  t.is((await told(copy)).length, 1);
});

test.serial('the store of a grid has the values of the file', async (t) => {
  const here = await scene(t, {});
  const { owner, projectId, get } = here;
  const spatialInformation = { srid: 25832 };
  const id = await newDataset(w, projectId, owner, { name: 'grid', content: gridText(), spatialInformation });
  await w.sql(`update datasets set dataset_format = 'vtu' where id = $1`, [id]);
  await worker.start();
  const { body: failed } = await get(path(id), { prefer: 'wait=60' });
  t.is(failed.state, 'failed', JSON.stringify(failed));
  t.truthy(failed.reason);
  await w.sql(`update datasets set dataset_format = 'file' where id = $1`, [id]);
  t.is((await w.as(owner).post(`${path(id)}/retry`, {})).status, 202);
  const { items } = await untilReady(t, here, id);
  t.like(items, [{ name: 'Band 1', min: 1, max: 68 }]);
  t.is((await get(`${path(id)}/${GRID_TILE}.png`)).status, 200);
  const direct = await tileServer(t, w);
  const values = (ask: typeof get) => ask(`${path(id)}/values?point=9.03,54.15&point=9.01,54.16`);
  const bearer = await bearerOf(w, owner);
  const [ofFile, ofStore] = [await values((url) => direct.get(url, bearer)), await values(get)];
  t.deepEqual(ofStore.body.points, ofFile.body.points);
});

test.serial('the store of a table of points is at most twice as large, and has all of them', async (t) => {
  const here = await scene(t);
  const rows = Array.from(
    { length: 60_000 },
    (_, n) => `${9 + n / 1e6},${54 + ((n * 7919) % 60_000) / 1e6},w${n},${n % 97}.5`,
  );
  const content = `longitude,latitude,well,flow\n${rows.join('\n')}\n`;
  const options = { name: 'points', datasetFormat: 'csv', content };
  const id = await newDataset(w, here.projectId, here.owner, options);
  t.like(await untilReady(t, here, id), { kind: 'features', cells: 60_000 });
  const [row] = await w.sql<{ store_size: string }>(
    'select store_size from previews p join datasets d on d.blob = p.blob where d.id = $1',
    [id],
  );
  t.true(Number(row!.store_size) <= 2 * content.length, `${row!.store_size} of ${content.length}`);
  const statistics = await here.get(`${path(id)}/statistics?item=flow`);
  t.like(statistics.body, { count: 60_000, min: 0.5, max: 96.5 }, JSON.stringify(statistics.body));
  const { body } = await here.get(`${path(id)}/values?point=${rows[777]!.split(',').slice(0, 2)}`);
  t.true(JSON.stringify(body).includes('w777'), JSON.stringify(body));
  t.is((await here.get(`${path(id)}/0/0/0.vector.pbf`)).status, 200);
});

test.serial('a run that was overtaken writes nothing', async (t) => {
  await worker.stop();
  const here = await scene(t);
  const { owner, projectId, get } = here;
  const id = await newWells(projectId, owner);
  await get(path(id));
  const [{ blob }] = (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id])) as [
    { blob: string },
  ];
  // its worker was killed, or it sleeps
  const first = await w.db.transaction((tx) => beginStore(tx, blob));
  await untilReady(t, here, id);
  const { store } = (await rowOf(id))!;
  const late = { store: { name: 'dataset/preview-late', format: 'gis', size: 1 } } as const;
  t.false(await w.db.transaction((tx) => finishStore(tx, { blob, attempt: first!.attempt }, late)));
  t.is((await rowOf(id))!.store, store);
  t.is((await told(id)).length, 1);
});

test.serial('a content waits for the store of an equal one, however often it looks', async (t) => {
  await worker.stop();
  const here = await scene(t);
  const { owner, projectId, get } = here;
  const content = wells();
  const [one, two] = [await newWells(projectId, owner, content), await newWells(projectId, owner, content)];
  for (const id of [one, two]) await get(path(id));
  const blobOf = async (id: string) =>
    (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]!.blob;
  const [blob, waiting] = [await blobOf(one), await blobOf(two)];
  // another worker makes the first
  const { attempt } = (await w.db.transaction((tx) => beginStore(tx, blob)))!;
  t.is(await w.db.transaction((tx) => claimDigest(tx, { blob, attempt }, randomBytes(32))), 'own');
  const jobAt = (of: string, time: string) =>
    w.sql(`update graphile_worker._private_jobs set run_at = now() + $2::interval where key = $1`, [
      `preview ${of}`,
      time,
    ]);
  await jobAt(blob, '1 hour');
  await w.sql('update previews set attempt = 4 where blob = $1', [waiting]);
  await worker.start();
  const isPutOff = () =>
    w.sql('select from queue_jobs where key = $1 and run_at > now() and locked_at is null', [`preview ${waiting}`]);
  while ((await isPutOff()).length === 0) await sleep(20);
  t.like(await rowOf(two), { state: 'building', attempt: 4 });
  await jobAt(blob, '0');
  await untilReady(t, here, one);
  await jobAt(waiting, '0');
  await untilReady(t, here, two);
});

test.serial('a job that is lost is enqueued again by the next request', async (t) => {
  await worker.stop();
  const here = await scene(t);
  const id = await newWells(here.projectId, here.owner);
  await here.get(path(id));
  await w.sql(`delete from graphile_worker._private_jobs where key like 'preview %'`);
  await untilReady(t, here, id);
  t.pass();
});

test.serial(
  'a job that has failed each time rests for ten minutes, however often the preview is asked for',
  async (t) => {
    await worker.stop();
    const here = await scene(t);
    const id = await newWells(here.projectId, here.owner);
    await here.get(path(id));
    const { blob } = (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]!;
    const attemptsAfter = async (minutes: number, error: string | null = 'no luck') => {
      await w.sql(
        `update graphile_worker._private_jobs set attempts = max_attempts, last_error = $3,
         run_at = now() - $2 * interval '1 minute' where key = $1`,
        [`preview ${blob}`, minutes, error],
      );
      t.is((await here.get(path(id))).body.state, 'building');
      return (await w.sql('select attempts from queue_jobs where key = $1', [`preview ${blob}`]))[0];
    };
    t.deepEqual(await attemptsAfter(9), { attempts: 6 });
    t.deepEqual(await attemptsAfter(11), { attempts: 0 });
    t.deepEqual(await attemptsAfter(1, null), { attempts: 0 }, 'taken by workers that ended before they began');
  },
);

test.serial('after five runs that ended with their workers, the next one says so at once', async (t) => {
  await worker.stop();
  const here = await scene(t);
  const id = await newWells(here.projectId, here.owner);
  await here.get(path(id));
  const { blob } = (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]!;
  // as each of the five leaves them
  await w.sql('update previews set attempt = 5 where blob = $1', [blob]);
  await w.sql('update graphile_worker._private_jobs set attempts = 5 where key = $1', [`preview ${blob}`]);
  await worker.start();
  const { body } = await here.get(path(id), { prefer: 'wait=60' });
  t.is(body.state, 'failed');
  t.regex(body.reason, /was begun 5 times/);
});

test.serial('features that are too many to be indexed by a thread ask for a store, which is then used', async (t) => {
  await worker.stop();
  const here = await scene(t, { 'preview.directSize': 1e6 });
  const id = await newWells(here.projectId, here.owner);
  t.is((await here.get(path(id))).body.state, 'ready');
  const dataset = (await findServed(w.db, id))!;
  const settings = { directBytes: 1e6, overviewCells: 1e6 };
  // nothing is drawn
  const previews = new Previews({ db: w.db, blobs: w.blobs, ...settings } as never);
  const tooMany = new ConversionError('There are more than 200000 features.', NEEDS_STORE);
  t.deepEqual(await previews.fail(dataset, tooMany), { state: 'building', progress: 0 });
  t.deepEqual((await here.get(path(id))).body, { state: 'building', progress: 0 });
  t.like(await untilReady(t, here, id), { kind: 'features', cells: 50 });
  t.truthy((await rowOf(id))!.store);
});

test.serial('a store goes with its content, at once when it is deleted for good', async (t) => {
  const here = await scene(t);
  const { owner, projectId, get } = here;
  const client = w.as(owner);
  const id = await newWells(projectId, owner);
  await untilReady(t, here, id);
  const { store } = (await rowOf(id))!;
  t.truthy(await w.blobs.info(store!));

  await client.delete(`/api/metadata/dataset/${id}`);
  t.truthy(await rowOf(id));
  t.is((await get(path(id))).status, 404);
  t.is((await client.put(`/api/recycle-bin/dataset/${id}/restore`)).status, 204);
  t.is((await get(path(id))).body.state, 'ready');

  // the sweep knows it
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
  t.truthy(await w.blobs.info(store!));
  // a worker that was killed after it had stored a blob
  const left = 'dataset/preview-left';
  await w.blobs.put(left, [Buffer.from('store')] as never, 100);
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
  t.is(await w.blobs.info(left), undefined);

  await client.delete(`/api/metadata/dataset/${id}`);
  const purged = await client.delete(`/api/recycle-bin/dataset/${id}`);
  t.true(purged.status < 300, JSON.stringify(purged.body));
  t.deepEqual(await w.sql('select from previews where store = $1', [store]), []);
  for (let tries = 0; (await w.blobs.info(store!)) !== undefined && tries < 200; tries++) await sleep(50);
  t.is(await w.blobs.info(store!), undefined);
});

test.serial('new content forgets the store of the former one', async (t) => {
  const here = await scene(t);
  const id = await newWells(here.projectId, here.owner);
  await untilReady(t, here, id);
  const { store } = (await rowOf(id))!;
  const other = await newWells(here.projectId, here.owner);
  await w.sql(
    `with taken as (delete from datasets where id = $2 returning blob)
    update datasets set blob = (select blob from taken), row_version = row_version + 1 where id = $1`,
    [id, other],
  );
  t.is(await rowOf(id), undefined);
  t.is((await w.sql('select from blob_deletions where name = $1', [store])).length, 1);
  const { cells } = await untilReady(t, here, id);
  t.is(cells, 50);
});

test.serial('a store made with another coordinate system than that of the record is made anew', async (t) => {
  const here = await scene(t);
  const { owner, projectId } = here;
  const content = `ncols 4\nnrows 30\nxllcorner 500000\nyllcorner 5500000\ncellsize 10\n${'1 2 3 4\n'.repeat(30)}`;
  const spatialInformation = { srid: 25832 };
  const grid = { name: 'grid', datasetFormat: 'asciigrid', content, spatialInformation };
  const id = await newDataset(w, projectId, owner, grid);
  const before = await untilReady(t, here, id);
  const { store, attempt } = (await rowOf(id))!;
  const setSrid = (srid: number) =>
    w.sql(`update datasets set spatial_information = jsonb_build_object('srid', $2::int) where id = $1`, [id, srid]);
  await setSrid(25833);
  t.is(await rowOf(id), undefined);
  const after = await untilReady(t, here, id);
  t.true(Math.abs(after.bbox[0] - before.bbox[0] - 6) < 1e-9);
  t.not((await rowOf(id))!.store, store);

  // while it is made
  await w.sql(
    `update previews set state = 'building', store = null, store_format = null, store_size = null, overview = null,
      overview_size = null where blob = (select blob from datasets where id = $1)`,
    [id],
  );
  await setSrid(25832);
  t.like(await rowOf(id), { state: 'building', attempt: attempt + 1 });
  t.deepEqual((await untilReady(t, here, id)).bbox, before.bbox);
});

test.serial('stores that nobody uses are deleted, and the oldest ones beyond the size', async (t) => {
  const here = await scene(t);
  const [one, two] = [await newWells(here.projectId, here.owner), await newWells(here.projectId, here.owner)];
  for (const id of [one, two]) await untilReady(t, here, id);
  const settings = { data: w.folder, 'preview.keep': 3_600_000, 'preview.maxSize': 1e9 };
  const states = async () => Promise.all([one, two].map(async (id) => (await rowOf(id)) !== undefined));
  await forgetPreviews(w.db, settings, FAIL_FAST);
  t.deepEqual(await states(), [true, true]);
  const age = (id: string, interval: string) =>
    w.sql(`update previews set used_at = now() - $2::interval where blob = (select blob from datasets where id = $1)`, [
      id,
      interval,
    ]);
  await w.sql(`update previews set used_at = now() - interval '40 minutes'`);
  await age(one, '30 minutes');
  await age(two, '20 minutes');
  const [{ size }] = (await w.sql<{ size: string }>(
    'select max(store_size) as size from previews where blob in (select blob from datasets where id = any($1))',
    [[one, two]],
  )) as [{ size: string }];
  await forgetPreviews(w.db, { ...settings, 'preview.maxSize': Math.floor(1.5 * Number(size)) }, FAIL_FAST);
  t.deepEqual(await states(), [false, true]);
  await age(two, '2 hours');
  await forgetPreviews(w.db, settings, FAIL_FAST);
  t.deepEqual(await states(), [false, false]);
  // and made anew when somebody asks
  await untilReady(t, here, two);
});

test.serial('a store that is lost is made again', async (t) => {
  const here = await scene(t);
  const id = await newWells(here.projectId, here.owner);
  await untilReady(t, here, id);
  const { store } = (await rowOf(id))!;
  await w.blobs.remove(store!);
  // a process that has not opened it yet
  const { get } = await tileServer(t, w, { 'preview.directSize': 100 });
  const bearer = await bearerOf(w, here.owner);
  const first = await get(path(id), bearer);
  t.is(first.status, 503, JSON.stringify(first.body));
  await untilReady(t, { ...here, get: (url, headers = {}) => get(url, { ...bearer, ...headers }) }, id);
  t.not((await rowOf(id))!.store, store);
});
