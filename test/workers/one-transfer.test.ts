import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../world/hooks.ts';
import { openSource } from '../world/source.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { type Once, startOnce, startWorker, type WorkerProcess } from '../world/worker.ts';
import { world } from '../world.ts';

/**
 * `platform work --transfer`. A remote file that never comes keeps a transfer under way. Serial: workers take what
 * waits.
 */
const source = await openSource();
const allowed = { 'outbound.allow': source.place };
const w = world(test, allowed);
const serial = process.platform === 'linux' ? test.serial : test.serial.skip;
const runs = new Set<Once>();
const workers = new Set<WorkerProcess>();
test.afterEach.always(async () => {
  for (const run of runs) {
    run.process.kill('SIGKILL');
    await run.ended;
  }
  for (const worker of workers) await worker.stop();
  runs.clear();
  workers.clear();
});
test.after.always(() => source.close());

function work(id: string, settings: Record<string, string> = {}, ...more: string[]): Once {
  const run = startOnce(w, ['work', '--transfer', id, ...more], { ...allowed, 'log.level': 'fatal', ...settings });
  runs.add(run);
  return run;
}

async function scene() {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const begin = async (uploadUrl: string, more: object = {}): Promise<string> => {
    const { status, body } = await start(client, copyRequest(projectId, uploadUrl, more));
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.id;
  };
  const get = async (id: string) => (await client.get(`/api/conversion/transfer/${id}`)).body;
  return {
    client,
    get,
    async begin(more: object = {}): Promise<string> {
      return begin(await upload(w, client, 'words'), more);
    },
    /** Delays the input until `answer` is called. */
    async beginStalled(): Promise<{ id: string; answer(): void }> {
      const path = `/${randomUUID()}`;
      let answered = false;
      const waiting: (() => void)[] = [];
      source.serve(path, (_, response) => {
        const send = () => void response.end('words');
        if (answered) send();
        else waiting.push(send);
      });
      const answer = () => {
        answered = true;
        for (const send of waiting) send();
      };
      return { id: await begin(source.url(path)), answer };
    },
    running: (id: string) => until(async () => (await get(id)).status === 'InProgress'),
  };
}

const queueRows = async (id: string) =>
  (await w.sql('select from graphile_worker._private_jobs where key = $1', [id])).length;
const registered = () => w.sql('select from workers');

serial('a process for one transfer has two connections to the database', async (t) => {
  const s = await scene();
  const { id, answer } = await s.beginStalled();
  const run = work(id);
  await s.running(id);
  const connections = await w.sql<{ application: string }>(
    `select application_name as application from pg_stat_activity
     where datname = current_database() and application_name like 'platform work%' order by 1`,
  );
  t.deepEqual(
    connections.map(({ application }) => application),
    ['platform work', 'platform work: alive'],
  );
  answer();
  t.is((await run.ended).code, 0);
});

test.serial('a process performs a single waiting transfer, and ends with code 0', async (t) => {
  const s = await scene();
  const [id, other] = [await s.begin(), await s.begin()];
  t.deepEqual(await work(id).ended, { code: 0, out: `Transfer '${id}' is Completed.\n`, err: '' });
  t.like(await s.get(id), { status: 'Completed', attempt: 1 });
  t.like(await s.get(other), { status: 'Pending', attempt: 0 });
  t.is(await queueRows(id), 0);
  t.is(await queueRows(other), 1);
  t.deepEqual(await registered(), []);
  t.deepEqual(await readdir(join(w.folder, 'scratch')), []);
  const again = await work(id, {}, '--json').ended;
  t.is(again.code, 0, 'over already');
  t.like(JSON.parse(again.out), { transferId: id, outcome: 'completed' });
  t.is((await w.sql('select from datasets where project_id = $1', [(await s.get(id)).projectId])).length, 1);
});

test.serial('a transfer that ends in Error ends its process with code 4, now and later', async (t) => {
  const s = await scene();
  const id = await s.begin({ readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' });
  const first = await work(id).ended;
  t.is(first.code, 4);
  const { errorMessage } = await s.get(id);
  t.is(first.err.trim().split('\n').at(-1), `platform: Transfer '${id}' ended in Error: ${errorMessage}`);
  const second = await work(id, {}, '--json').ended;
  t.is(second.code, 4);
  t.like(JSON.parse(second.err), { code: 'TransferNotCompleted' });
});

test.serial('an unknown transfer ends the process with code 9, wrong usage with 2', async (t) => {
  const unknown = randomUUID();
  t.deepEqual(await work(unknown).ended, { code: 9, out: '', err: `platform: There is no transfer '${unknown}'.\n` });
  t.is((await work('notes').ended).code, 2);
  t.deepEqual(await work(unknown, {}, '--concurrency', '2').ended, {
    code: 2,
    out: '',
    err: 'platform: --transfer runs one transfer. Remove --concurrency.\n',
  });
});

test.serial(
  'a transfer whose resource request does not fit keeps waiting, and its process ends with code 8',
  async (t) => {
    const s = await scene();
    const id = await s.begin({ requiredLabels: ['gpu'], memoryRequestMb: 2048 });
    const without = await work(id).ended;
    t.is(without.code, 8);
    t.regex(without.err, /This worker cannot run transfer .* It has no label 'gpu'\.\n$/);
    t.is((await work(id, {}, '--label', 'gpu=a100', '--memory', '1024').ended).code, 8);
    t.like(await s.get(id), { status: 'Pending', attempt: 0 });
    t.is(await queueRows(id), 1);
    t.is((await work(id, {}, '--label', 'gpu=a100', '--memory', '2048').ended).code, 0);
  },
);

test.serial('a transfer that another process runs is left to it; SIGTERM hands it back with code 6', async (t) => {
  const s = await scene();
  const { id, answer } = await s.beginStalled();
  const first = work(id);
  await s.running(id);
  t.is(await queueRows(id), 0);
  const second = await work(id).ended;
  t.is(second.code, 7);
  t.regex(second.err, /is run by worker 'one-[-0-9a-f]{36}' on .+\.\n$/);
  const other = await s.begin();
  await until(async () => (await s.get(other)).waitingReason === 'All workers are draining and take no transfers.');
  first.process.kill('SIGTERM');
  const stopped = await first.ended;
  t.is(stopped.code, 6);
  t.is(stopped.err, `platform: Transfer '${id}' waits for another worker.\n`);
  t.like(await s.get(id), { status: 'Pending', attempt: 0 });
  t.is(await queueRows(id), 1);
  t.deepEqual(await registered(), []);
  answer();
  t.is((await work(id).ended).code, 0);
  t.like(await s.get(id), { status: 'Completed', attempt: 1 });
});

test.serial('a cancel ends the process of a transfer with code 5, a time limit with code 4', async (t) => {
  const s = await scene();
  const { id } = await s.beginStalled();
  const run = work(id);
  await s.running(id);
  await s.client.post(`/api/conversion/transfer/${id}/cancel`);
  t.is((await run.ended).code, 5);
  t.like(await s.get(id), { status: 'Error', errorMessage: 'Cancelled.' });
  t.is((await work(id).ended).code, 5, 'over already');

  const slow = (await s.beginStalled()).id;
  const late = await work(slow, { 'transfers.timeLimit': '1s' }).ended;
  t.is(late.code, 4);
  t.regex(late.err, /within the time limit of 1 s\.\n$/);
});

test.serial('a transfer whose process was killed is performed by the next one', async (t) => {
  const s = await scene();
  const { id, answer } = await s.beginStalled();
  const first = work(id);
  await s.running(id);
  first.process.kill('SIGKILL');
  await first.ended;
  answer();
  t.is((await work(id).ended).code, 0);
  t.like(await s.get(id), { status: 'Completed', attempt: 2 });
  t.is((await w.sql('select from datasets where project_id = $1', [(await s.get(id)).projectId])).length, 1);
});

serial('a process that is stopped past its deadline loses its transfer to a worker, and writes nothing', async (t) => {
  const s = await scene();
  const { id, answer } = await s.beginStalled();
  const first = work(id);
  await s.running(id);
  first.process.kill('SIGSTOP');
  await w.sql(`update transfers set deadline = now() - interval '31 seconds' where id = $1`, [id]);
  answer();
  workers.add(await startWorker(w, { ...allowed, 'log.level': 'fatal' }));
  t.like(await untilEnd(s.client, id), { status: 'Completed', attempt: 2 });
  first.process.kill('SIGCONT');
  t.is((await first.ended).code, 1);
  t.is((await w.sql('select from datasets where project_id = $1', [(await s.get(id)).projectId])).length, 1);
});

test.serial('a transfer that rests after an outage, or is drained, is not performed: code 6', async (t) => {
  const s = await scene();
  const path = `/${randomUUID()}`;
  const requests = source.serve(path, (_, response) => void response.writeHead(503, { 'retry-after': '600' }).end());
  const { body } = await start(s.client, copyRequest(await newProject(s.client), source.url(path)));
  t.is((await work(body.id).ended).code, 6);
  t.is(requests.length, 1);
  const resting = await work(body.id).ended;
  t.is(resting.code, 6);
  t.regex(resting.err, /waits\. It is retried after an outage \(see its log\) at .*Z\.\n$/);
  t.is(requests.length, 1);

  const completed = await s.begin();
  t.is((await work(completed).ended).code, 0);
  const id = await s.begin();
  const admin = w.as(await w.administrator());
  t.is((await admin.put('/api/admin/drain', {})).status, 200);
  const drained = await work(id).ended;
  t.is(drained.code, 6);
  t.regex(drained.err, /an operator drained this host or all workers\.\n$/);
  t.like(await s.get(id), { status: 'Pending', attempt: 0 });
  // a scheduler that repeats on 6 must hear of those that need no worker
  t.is((await work(completed).ended).code, 0);
  t.is((await work(randomUUID()).ended).code, 9);
});

test.serial(
  'a process that fails before it claims its transfer prints the reason, and reports no lost lock',
  async (t) => {
    const s = await scene();
    const id = await s.begin();
    await w.sql('alter table drains rename to hidden_drains');
    try {
      const failed = await work(id).ended;
      t.is(failed.code, 1);
      t.regex(failed.err, /^platform: .+\n$/);
    } finally {
      await w.sql('alter table hidden_drains rename to drains');
    }
    t.like(await s.get(id), { status: 'Pending', attempt: 0 });
    t.deepEqual(await registered(), []);
  },
);
