import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { Admission } from '../../workers/admission.ts';
import { Allocator } from '../../workers/allocator.ts';
import { drawVectorOverviewTask } from '../../workers/tasks/draw-vector-overview.ts';
import { machines } from '../cli/machine.ts';
import { decodeTile } from '../world/decode-mvt.ts';
import { featureBytes, newStoredFeatures } from '../world/tiles.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

/** Vector tiles of many features, which a job draws ahead of requests. */
const w = world(test);
const worker = switchedWorker(w);
const machine = machines(w);

/** 150 × 60 squares beside each other with these names. */
const parcels = (name: string) => {
  const features = Array.from({ length: 9000 }, (_, n) => {
    const [x, y] = [10 + (n % 150) * 0.004, 50 + Math.floor(n / 150) * 0.004];
    const ring = [0, 1, 2, 3, 0].map((k) => [x + (k === 1 || k === 2 ? 0.003 : 0), y + (k > 1 ? 0.003 : 0)]);
    return {
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [ring] },
      properties: { name: `${name} number ${n}`, share: n / 4 },
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', features });
};

const conversion = {
  originalFileName: 'parcels.json',
  readerName: 'GeoJsonReader',
  writerName: 'GISWriter',
};

let resting: Promise<unknown> | undefined;
/** Lets jobs that wait for further changes wait for an hour, so that a busy machine does not see them begin. */
function rest() {
  resting ??= w.sql(`
    create function rest() returns trigger language plpgsql as $$ begin
      new.run_at := now() + interval '1 hour';
      return new;
    end $$;
    create trigger rest before insert on graphile_worker._private_jobs for each row
      when (new.key like 'vector overview %' and new.run_at > now()) execute function rest()`);
  return resting;
}

async function scene(name = 'parcel', content = parcels(name)) {
  await rest();
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client);
  const request = copyRequest(projectId, await upload(w, client, content), {
    ...conversion,
    outputDatasetData: { name: 'parcels' },
  });
  await worker.start();
  const { body } = await start(client, request);
  const imported = await untilEnd(client, body.id);
  if (imported.status !== 'Completed') throw new Error(imported.errorMessage);
  return { owner, client, projectId, id: imported.importResults[0].datasetId as string };
}

const jobs = (id: string) =>
  w.sql<{ run_at: Date; last_error: string | null }>(
    'select run_at, last_error from graphile_worker._private_jobs where key = $1',
    [`vector overview ${id}`],
  );

/** Lets the job that waits for further changes run at once, and waits for what it draws. */
async function untilDrawn(client: Client, id: string) {
  await w.sql('update graphile_worker._private_jobs set run_at = now() where key = $1', [`vector overview ${id}`]);
  await worker.start();
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await client.get(`/api/vectortiles/dataset/${id}/status`);
    if (body.overview === 'drawn') return body;
    await sleep(100);
  }
  throw new Error('The overview is not drawn.');
}

const tileOf = (client: Client, id: string, place: string) =>
  client.get(`/api/vectortiles/dataset/${id}/${place}.vector.pbf`);

/** Vector tiles by where this process got them from. */
async function origins(): Promise<Record<string, number>> {
  const { raw } = await w.as(await w.administrator()).get('/metrics');
  const pattern = /^platform_vector_tiles_total\{origin="(\w+)"\} (\d+)$/gm;
  return Object.fromEntries([...raw.toString().matchAll(pattern)].map(([, origin, count]) => [origin, Number(count)]));
}

/** Tiles of the parcels from the top on. */
const ABOVE = '5/16/10';
const INSIDE = '12/2165/1387';

test.serial(
  'tiles of many features are drawn ahead with the bytes of a drawing on request; other tiles are drawn on request',
  async (t) => {
    const { owner, client, id } = await scene();
    const { body: waiting } = await client.get(`/api/vectortiles/dataset/${id}/status`);
    t.deepEqual(waiting, { name: 'parcels', overview: 'waiting', tiles: 0, bytes: 0 });
    const other = '6/33/21';
    const live = await tileOf(client, id, ABOVE);
    t.is(live.status, 200);
    t.deepEqual(await origins(), { drawn: 1 });

    const drawn = await untilDrawn(client, id);
    t.true(drawn.tiles >= 8 && drawn.lastLevel >= 7 && drawn.bytes > 10_000);
    const { body: checked } = await client.get(`/api/vectortiles/dataset/${id}/check?tiles=12`);
    t.deepEqual(checked, { checked: 12, wrong: [] });
    t.is((await tileOf(client, id, other)).status, 200);
    t.deepEqual(await origins(), { drawn: 1, database: 1 });
    // Few features, and chosen attributes.
    t.is((await tileOf(client, id, INSIDE)).status, 200);
    const some = await client.get(`/api/vectortiles/dataset/${id}/${other}.vector.pbf?attributes=share`);
    t.deepEqual(Object.keys(decodeTile(some.raw)[0]!.features[0]!.attributes), ['share']);
    t.deepEqual(await origins(), { drawn: 3, database: 1 });

    const { run, logIn } = await machine(t);
    t.is((await logIn(owner.id)).code, 0);
    // Tiles on request that took long to draw are stored, too.
    const { body: stored } = await client.get(`/api/vectortiles/dataset/${id}/status`);
    t.true(stored.tiles >= drawn.tiles);
    const status = await run(['tile', 'status', id]);
    t.regex(status.out, new RegExp(`^Tiles +${stored.tiles}$`, 'm'), status.err);
    t.regex((await run(['tile', 'check', id, '--tiles', '3'])).out, /^Drawn anew +3$/m);
  },
);

test.serial('the check finds tiles that differ from a new drawing', async (t) => {
  const [one, other] = [await scene(), await scene('plot')];
  await untilDrawn(one.client, one.id);
  await untilDrawn(other.client, other.id);
  await w.sql(
    `update drawn_tiles own set content = other.content from drawn_tiles other
      where own.dataset_id = $1 and other.dataset_id = $2 and other.level = own.level
        and other.tile_column = own.tile_column and other.tile_row = own.tile_row`,
    [one.id, other.id],
  );
  const { body } = await one.client.get(`/api/vectortiles/dataset/${one.id}/check?tiles=3`);
  t.is(body.checked, 3);
  t.is(body.wrong.length, 3);
  t.is(body.wrong[0].reason, 'The tile that was drawn ahead differs from a new drawing.');
});

test.serial('a large content of few features gets no tiles ahead', async (t) => {
  const long = 'name '.repeat(20_000);
  const features = Array.from({ length: 20 }, (_, n) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [n, n] },
    properties: { name: `${n} ${long}` },
  }));
  const { client, id } = await scene('', JSON.stringify({ type: 'FeatureCollection', features }));
  t.is((await jobs(id)).length, 1);
  await w.sql('update graphile_worker._private_jobs set run_at = now() where key = $1', [`vector overview ${id}`]);
  while ((await jobs(id)).length > 0) await sleep(50);
  const { body } = await client.get(`/api/vectortiles/dataset/${id}/status`);
  t.deepEqual(body, { name: 'parcels', overview: 'none', tiles: 0, bytes: 0 });
  t.deepEqual((await client.get(`/api/vectortiles/dataset/${id}/check`)).body, { checked: 0, wrong: [] });
  t.is((await tileOf(client, id, '0/0/0')).status, 200);
});

test.serial(
  'a content whose coordinate system is not known stays without tiles, and its job is not tried again',
  async (t) => {
    await rest();
    const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as(owner);
    const bytes = await featureBytes(parcels('parcel'));
    const code = Buffer.alloc(4);
    code.writeInt32LE(4326);
    bytes.writeInt32LE(99_999, bytes.indexOf(code));
    bytes.write('NONE', bytes.indexOf('GEOG'));
    const id = await newStoredFeatures(w, await newProject(client), owner, bytes);
    t.is((await jobs(id)).length, 1);
    await w.sql('update graphile_worker._private_jobs set run_at = now() where key = $1', [`vector overview ${id}`]);
    await worker.start();
    for (;;) {
      const [job] = await jobs(id);
      if (job === undefined) break;
      t.is(job.last_error, null);
      await sleep(50);
    }
    const { body } = await client.get(`/api/vectortiles/dataset/${id}/status`);
    t.deepEqual(body, { name: 'features', overview: 'none', tiles: 0, bytes: 0 });
    const tile = await tileOf(client, id, ABOVE);
    t.is(tile.status, 422);
    t.is(tile.body.detail, `Dataset '${id}': The features have no coordinate system.`);
  },
);

test.serial('a worker without room puts the job back into the queue', async (t) => {
  const { client, id } = await scene();
  await w.sql('delete from graphile_worker._private_jobs where key = $1', [`vector overview ${id}`]);
  t.is((await client.get(`/api/vectortiles/dataset/${id}/status`)).body.overview, 'none');
  const full = new Admission({
    allocator: new Allocator({ labels: [], memoryMb: 4096, cores: 1, scratchGb: 1, concurrency: 0 }),
    shortJobsWait: async () => false,
    nudge() {},
  });
  const executor = Promise.resolve({ db: w.db } as unknown as Executor);
  await drawVectorOverviewTask(
    executor,
    full,
    2 ** 30,
  )({ datasetId: id }, { abortSignal: new AbortController().signal });
  const [job] = await jobs(id);
  t.true(job!.run_at.getTime() > Date.now());
  t.is((await client.get(`/api/vectortiles/dataset/${id}/status`)).body.overview, 'waiting');
  await untilDrawn(client, id);
});

test.serial(
  'new content is never shown with tiles of the old one, and gets its own; former tiles are deleted',
  async (t) => {
    const { client, id } = await scene();
    await untilDrawn(client, id);
    const before = await tileOf(client, id, ABOVE);
    const contents = () => w.sql('select distinct blob from drawn_tiles where dataset_id = $1', [id]);
    const [first] = await contents();
    const again = await client.post(`/api/metadata/dataset/${id}/update`, {
      ...conversion,
      uploadUrl: await upload(w, client, parcels('changed')),
    });
    t.is((await untilEnd(client, again.body.id)).status, 'Completed');
    const changed = await tileOf(client, id, ABOVE);
    t.not(changed.headers.etag, before.headers.etag);
    await untilDrawn(client, id);
    t.deepEqual((await client.get(`/api/vectortiles/dataset/${id}/check?tiles=3`)).body, { checked: 3, wrong: [] });
    const inside = decodeTile((await tileOf(client, id, INSIDE)).raw)[0]!.features;
    t.true(inside.length > 0 && inside.every(({ attributes }) => String(attributes.name).startsWith('changed')));

    const [second, ...more] = await contents();
    t.notDeepEqual(second, first);
    t.deepEqual(more, []);
  },
);

test.serial('many changes of a content wait for one job, which they do not delay', async (t) => {
  const { id } = await scene();
  await worker.stop();
  const [before, ...more] = await jobs(id);
  t.is(more.length, 0);
  for (let n = 0; n < 20; n++) await w.sql(`update datasets set blob = blob || '.' where id = $1`, [id]);
  const after = await jobs(id);
  t.deepEqual(
    after.map(({ run_at }) => run_at.getTime()),
    [before!.run_at.getTime()],
  );
});
