import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { untilSent } from '../world/statements.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { conversionsHere, type WorkerHere, workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

/** Workers of different sizes; serial, since each is to meet nothing but its own test's transfers. */
const w = world(test);
const serial = process.platform === 'linux' ? test.serial : test.serial.skip;
const started = new Set<WorkerHere>();
const frozen = new Set<number>();
test.afterEach.always(async () => {
  for (const pid of frozen) thaw(pid);
  for (const worker of started) await worker.stop();
  started.clear();
  await w.sql(`delete from graphile_worker._private_jobs`);
  await w.sql(
    `update transfers set status = 'Error', error_message = 'x', finished_at = now() where finished_at is null`,
  );
});

async function launch(settings: Record<string, string>): Promise<void> {
  started.add(await workHere(w, { 'worker.scratch': '100', ...settings }));
}

/** A worker whose warm child is suspended: the first conversion stays in progress until it is resumed. */
async function launchFrozen(settings: Record<string, string>): Promise<{ child: number }> {
  await launch(settings);
  const [child] = await conversionsHere(w);
  if (child === undefined) throw new Error('The worker has no child.');
  process.kill(child, 'SIGSTOP');
  frozen.add(child);
  return { child };
}

function thaw(pid: number) {
  frozen.delete(pid);
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // the process has ended
  }
}

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(50);
  }
  throw new Error(`Not in half a minute: ${what}.`);
}

async function scene() {
  const user = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(user);
  const projectId = await newProject(client);
  const file = await upload(w, client, 'words');
  const terrain = await upload(w, client, ASCII_GRID);
  const grid = { originalFileName: 'terrain.asc', readerName: 'AsciiGridReader', writerName: 'AsciiGridWriter' };
  const get = async (id: string) => (await client.get(`/api/conversion/transfer/${id}`)).body;
  return {
    client,
    get,
    /** Warnings of a dry run. */
    warnings: async (more: object): Promise<string[]> =>
      (await client.post('/api/conversion/upload-convert?dryRun=true', copyRequest(projectId, file, more))).body
        .warnings,
    async submit(more: object = {}): Promise<string> {
      const { body } = await start(client, copyRequest(projectId, file, more));
      return body.id;
    },
    /** A conversion in a child process: it stays in progress while the child is suspended. */
    async submitLong(more: object = {}): Promise<string> {
      const { body } = await start(client, copyRequest(projectId, terrain, { ...grid, ...more }));
      return body.id;
    },
    why: async (id: string) => (await client.get(`/api/conversion/transfer/${id}/why`)).body,
    running: (id: string) => until('it runs', async () => (await get(id)).status === 'InProgress'),
    reason: (id: string, reason: RegExp) =>
      until(`the reason ${reason}`, async () => reason.test((await get(id)).waitingReason ?? '')),
  };
}

const flagsOf = async (id: string) =>
  (
    await w.sql<{ flags: string[] }>(
      'select array(select jsonb_object_keys(flags) order by 1) as flags from graphile_worker._private_jobs where key = $1',
      [id],
    )
  )[0]?.flags;

test.serial("the flags of a transfer's queue row encode its requirements", async (t) => {
  const s = await scene();
  t.deepEqual(await flagsOf(await s.submit()), ['transfer']);
  const big = {
    memoryRequestMb: 3072,
    cpuCoresRequest: 1.1,
    storageSizeGb: 2.5,
    requiredLabels: ['gpu=a100', 'zone'],
    nodeSize: 'Standard_D4s_v5',
  };
  t.deepEqual(await flagsOf(await s.submit(big)), [
    'cores:1.1',
    'label:gpu=a100',
    'label:svc.platform/vmsize=standardDSv5Family',
    'label:zone',
    'memory:3072',
    'scratch:3',
    'transfer',
  ]);
  await w.sql(`update staged_blobs set size = 600 * 1024 * 1024`);
  t.deepEqual(await flagsOf(await s.submit()), ['scratch~4', 'transfer'], 'copying takes no memory');
  const grid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };
  t.deepEqual(await flagsOf(await s.submit(grid)), ['memory~2048', 'scratch~4', 'transfer']);
});

test.serial('a conversion uses one thread per requested core, by default per core of the worker', async (t) => {
  await launch({ 'worker.cores': '3' });
  const s = await scene();
  for (const [cores, threads] of [
    [undefined, 'at most 3 threads.'],
    [2.5, 'at most 2 threads.'],
    [0.5, 'at most 1 thread.'],
  ] as const) {
    const id = await s.submitLong(cores === undefined ? {} : { cpuCoresRequest: cores });
    t.is((await untilEnd(s.client, id)).status, 'Completed');
    const { data } = (await s.client.get(`/api/conversion/transfer/${id}/log?level=debug`)).body;
    t.true(
      data.some(({ message }: { message: string }) => message.endsWith(threads)),
      threads,
    );
  }
});

test.serial('a transfer waits, and says why, until a worker has all of its labels', async (t) => {
  const s = await scene();
  const id = await s.submit({ requiredLabels: ['gpu=a100', 'zone'] });
  await s.reason(id, /^No worker is running\.$/);
  await launch({ 'worker.labels': 'gpu=a100' });
  const other = await s.submit();
  t.is((await untilEnd(s.client, other)).status, 'Completed');
  await s.reason(id, /^No worker has the label 'zone'\.$/);
  t.like(await s.why(id), {
    status: 'Pending',
    position: 0,
    reason: "No worker has the label 'zone'.",
    workers: [{ canRun: false, reason: "It has no label 'zone'." }],
  });
  await launch({ 'worker.labels': 'zone=north,gpu=a100' });
  const ended = await untilEnd(s.client, id);
  t.like(ended, { status: 'Completed', attempt: 1 });
  t.false('waitingReason' in ended);
  t.deepEqual(await s.why(id), { status: 'Completed', workers: [] });
});

test.serial(
  'a transfer that no live worker could run says what it needs and what the largest worker has',
  async (t) => {
    const s = await scene();
    const ids = [
      await s.submit({ memoryRequestMb: 65536 }),
      await s.submit({ cpuCoresRequest: 64 }),
      await s.submit({ storageSizeGb: 300 }),
      await s.submit(),
    ];
    await s.why(ids[3] ?? '').then((why) => t.like(why, { position: 3, reason: 'No worker is running.', workers: [] }));
    await launch({ 'worker.memory': '8192', 'worker.cores': '4' });
    t.is((await untilEnd(s.client, ids[3] ?? '')).status, 'Completed');
    await s.reason(ids[0] ?? '', /^It needs 65536 MB of memory; the largest worker has 8192\.$/);
    t.deepEqual(await s.warnings({ memoryRequestMb: 65536 }), [
      'It needs 65536 MB of memory; the largest worker has 8192.',
    ]);
    t.deepEqual(await s.warnings({ memoryRequestMb: 8192 }), []);
    await s.reason(ids[1] ?? '', /^It needs 64 cores; the largest worker has 4\.$/);
    await s.reason(ids[2] ?? '', /^It needs 300 GB of scratch space; the largest worker has 100\.$/);
    t.like(await s.why(ids[0] ?? ''), {
      workers: [{ canRun: false, reason: 'Not enough memory: needs 65536 MB, has 8192 MB.' }],
    });
  },
);

serial('transfers that together exceed the memory of a worker run one after the other', async (t) => {
  const { child } = await launchFrozen({
    'worker.memory': '4096',
    'worker.concurrency': '3',
    'transfers.patience': '1h',
  });
  const s = await scene();
  const first = await s.submitLong();
  await s.running(first);
  const big = await s.submit({ memoryRequestMb: 4096 });
  const small = await s.submit();
  t.is((await untilEnd(s.client, small)).status, 'Completed', 'a small transfer overtakes');
  await s.reason(big, /^It waits until a worker has 4096 MB of memory free\.$/);
  const why = await s.why(big);
  t.like(why, { position: 0, blockedBy: [first] });
  t.like(why.workers[0], { canRun: true, reason: 'Not enough free memory: needs 4096 MB, has 3840 MB.' });
  const stranger = w.as(await w.account());
  t.is((await stranger.get(`/api/conversion/transfer/${big}/why`)).status, 404);
  thaw(child);
  t.like(await untilEnd(s.client, big), { status: 'Completed', attempt: 1 });
  t.is((await s.get(first)).status, 'Completed');
  const [times] = await w.sql<{ apart: boolean }>(
    'select (select finished_at from transfers where id = $1) <= started_at as apart from transfers where id = $2',
    [first, big],
  );
  t.true(times?.apart);
});

serial(
  'a worker keeps its resources free for a transfer that was overtaken for too long; other workers go on',
  async (t) => {
    const { child } = await launchFrozen({
      'worker.memory': '4096',
      'worker.concurrency': '3',
      'transfers.patience': '0ms',
    });
    const s = await scene();
    const first = await s.submitLong();
    await s.running(first);
    const big = await s.submit({ memoryRequestMb: 4096 });
    const holder = () => w.sql<{ pool: string }>('select pool from workers where reserved_for = $1', [big]);
    await until('a worker holds back', async () => (await holder()).length === 1);
    // when it asks again, it has the answer that says so
    await untilSent(/json_agg\(flags\) from waiting_requirements/, 2);
    const small = await s.submit();
    await sleep(1500);
    t.is((await s.get(small)).status, 'Pending', 'small transfers overtake no more');
    const kept = 'It keeps its resources free for another transfer.';
    await until('the worker says so', async () => (await s.why(small)).workers[0]?.reason === kept);
    t.like((await s.why(small)).workers[0], { canRun: true, reason: kept });
    await launch({ 'worker.memory': '1024', 'worker.labels': 'other' });
    t.is((await untilEnd(s.client, small)).status, 'Completed', 'it runs elsewhere');
    t.is((await holder()).length, 1);
    const last = await s.submit({ memoryRequestMb: 2048 });
    await sleep(500);
    t.is((await s.get(last)).status, 'Pending');
    thaw(child);
    t.is((await untilEnd(s.client, last)).status, 'Completed');
    t.like(await s.get(big), { status: 'Completed', attempt: 1 });
    const [times] = await w.sql<{ before: boolean }>(
      'select started_at < (select started_at from transfers where id = $2) as before from transfers where id = $1',
      [big, last],
    );
    t.true(times?.before);
    await until('the worker is free again', async () => (await holder()).length === 0);
  },
);

serial(
  'no worker keeps resources free for a transfer that backs off, but for the next one, and for it when it is due',
  async (t) => {
    await launchFrozen({ 'worker.memory': '4096', 'worker.concurrency': '3', 'transfers.patience': '0ms' });
    const s = await scene();
    const first = await s.submitLong();
    await s.running(first);
    const resting = await s.submit({ memoryRequestMb: 4096 });
    // One after the other: the worker that puts the transfer back may still hold it, and then replaces its job.
    const restsUntil = async (time: string) => {
      await w.sql('update transfers set outages = 1 where id::text = $1', [resting]);
      await w.sql(`update graphile_worker._private_jobs set run_at = ${time}, priority = 10 where key = $1`, [resting]);
    };
    const heldFor = (id: string | undefined) =>
      until(`room is kept free for ${id}`, async () => {
        const held = await w.sql<{ reserved_for: string | null }>('select reserved_for from workers');
        return held.length === 1 && held[0]?.reserved_for === (id ?? null);
      });
    await heldFor(resting);
    await restsUntil(`now() + interval '1 hour'`);
    await heldFor(undefined);
    const behind = await s.submit({ memoryRequestMb: 4096 });
    await heldFor(behind);
    await s.client.post(`/api/conversion/transfer/${behind}/cancel`);
    await heldFor(undefined);
    await restsUntil(`now()`);
    await heldFor(resting);
    t.like(await s.get(resting), { status: 'Pending', attempt: 0 });
  },
);

test.serial('a transfer whose queue row has outdated flags is put back without using an attempt', async (t) => {
  const s = await scene();
  const id = await s.submit({ requiredLabels: ['gpu=a100'] });
  await w.sql(`update graphile_worker._private_jobs set flags = null where key = $1`, [id]);
  await launch({});
  await until('the row says what it needs', async () => (await flagsOf(id))?.includes('label:gpu=a100'));
  t.like(await s.get(id), { status: 'Pending', attempt: 0 });
  const other = await s.submit();
  t.is((await untilEnd(s.client, other)).status, 'Completed');
  const taken = await w.sql<{ attempts: number }>('select attempts from graphile_worker._private_jobs where key = $1', [
    id,
  ]);
  t.deepEqual(taken, [{ attempts: 0 }], 'nobody takes it again');
});

serial('requested cores are exclusive; an estimate never excludes a small worker', async (t) => {
  const { child } = await launchFrozen({ 'worker.cores': '2', 'worker.concurrency': '2', 'worker.memory': '512' });
  const s = await scene();
  const greedy = await s.submitLong({ cpuCoresRequest: 2 });
  await s.running(greedy);
  const small = await s.submit();
  await sleep(1200);
  t.is((await s.get(small)).status, 'Pending');
  await until('it is known what blocks it', async () => (await s.why(small)).blockedBy?.includes(greedy));
  t.like(await s.why(small), { blockedBy: [greedy] });
  thaw(child);
  t.is((await untilEnd(s.client, small)).status, 'Completed');
  await w.sql(`update staged_blobs set size = 4096::bigint * 1024 * 1024`);
  const large = await s.submit({ readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' });
  t.deepEqual((await w.sql('select flags from transfers where id = $1', [large]))[0], {
    flags: ['memory~4096', 'scratch~16'],
  });
  t.is((await untilEnd(s.client, large)).attempt, 1);
});

serial('short jobs do not wait for transfers to end', async (t) => {
  await launchFrozen({ 'worker.concurrency': '1' });
  const s = await scene();
  const busy = await s.submitLong();
  await s.running(busy);
  const more = await s.submit();
  const root = w.as(await w.administrator());
  const [{ id: job } = { id: '' }] = await w.sql<{ id: string }>(
    `select id::text from graphile_worker.add_job('removeSpentBlobs', '{}', flags => array['chore'])`,
  );
  await until(
    'the short job is done',
    async () => (await w.sql('select from graphile_worker._private_jobs where id = $1', [job])).length === 0,
  );
  t.is((await s.get(more)).status, 'Pending');
  t.is((await root.get(`/api/conversion/transfer/${busy}`)).status, 404);
});
