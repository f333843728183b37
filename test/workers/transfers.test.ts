import { readdir, readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { namesBelow } from '../world/folders.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startWorker, type WorkerProcess } from '../world/worker.ts';
import { conversionsHere, type WorkerHere, workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

/**
 * A worker at a time is tormented: serial. Where a conversion must not end, its process is stopped before it gets its
 * order.
 */
const w = world(test);
const serial = process.platform === 'linux' ? test.serial : test.serial.skip;
const started = new Set<WorkerProcess>();
const others = new Set<WorkerHere>();
const frozen = new Set<number>();
test.afterEach.always(async () => {
  for (const pid of frozen) signal(pid, 'SIGKILL');
  for (const worker of started) {
    worker.process.kill('SIGCONT');
    await worker.stop();
  }
  for (const worker of others) await worker.stop();
  started.clear();
  others.clear();
  frozen.clear();
});

async function launch(settings: Record<string, string> = {}): Promise<WorkerProcess> {
  const worker = await startWorker(w, { 'worker.concurrency': '1', 'log.level': 'fatal', ...settings });
  started.add(worker);
  return worker;
}

/**
 * A worker that nothing happens to. It does not need a process of its own, which costs most of what a test here does.
 */
async function launchOther(settings: Record<string, string> = {}) {
  others.add(await workHere(w, { 'worker.concurrency': '1', ...settings }));
}

/** A worker whose only warm child is suspended. */
async function launchFrozen(settings: Record<string, string> = {}): Promise<{ worker: WorkerProcess; child: number }> {
  const worker = await launch(settings);
  return { worker, child: freeze(await childrenOf(worker.pid)) };
}

/** The same without a process of its own: only the child is tormented. */
async function launchOtherFrozen(settings: Record<string, string> = {}): Promise<{ child: number }> {
  await launchOther(settings);
  return { child: freeze(await conversionsHere(w)) };
}

function freeze([child]: readonly number[]): number {
  if (child === undefined) throw new Error('The worker has no child.');
  signal(child, 'SIGSTOP');
  frozen.add(child);
  return child;
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch {
    // the process has ended
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '');
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(ppid) === parent && state !== 'Z') found.push(Number(entry));
  }
  return found;
}

/** Whether a process has ended; a zombie counts as ended. */
async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return stat === undefined || /\) [ZX] /.test(stat);
}

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 1200; tries++) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(50);
  }
  throw new Error(`Not in a minute: ${what}.`);
}

/** A conversion that runs in its own process. */
const grid = { originalFileName: 'terrain.asc', readerName: 'AsciiGridReader', writerName: 'AsciiGridWriter' };

async function scene() {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const get = async (id: string) => (await client.get(`/api/conversion/transfer/${id}`)).body;
  return {
    client,
    projectId,
    get,
    async start(more: object = {}) {
      const request = copyRequest(projectId, await upload(w, client, ASCII_GRID), { ...grid, ...more });
      const { body } = await start(client, request);
      return body.id as string;
    },
    running: (id: string, attempt = 1) =>
      until('the transfer runs', async () => {
        const transfer = await get(id);
        return transfer.status === 'InProgress' && transfer.attempt === attempt && transfer;
      }),
  };
}

async function sqlOf<T>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client(w.url);
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}

/**
 * The order is with the child: its input is complete, and the worker, which sends the order in the same turn of its
 * event loop, has asked the database twice since.
 */
async function ordered() {
  await until('the input is there', async () => {
    const folder = join(w.folder, 'scratch');
    const names = (await namesBelow(folder)).filter((name) => name.endsWith('input'));
    const sizes = names.map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size);
    return (await Promise.all(sizes)).includes(ASCII_GRID.length);
  });
  const asked = async () =>
    (
      await sqlOf<{ at: string }>(
        `select max(query_start)::text as at from pg_stat_activity 
         where application_name = 'platform work' and datname = current_database()`,
      )
    )[0]?.at;
  for (let turn = 0; turn < 2; turn++) {
    const before = await asked();
    await until('the worker goes on', async () => (await asked()) !== before);
  }
}

/** Folders of attempts: those in the folders of pools, of which a random name may end with digits alone, too. */
const scratch = async () => (await namesBelow(join(w.folder, 'scratch'))).filter((name) => /\/[^/]+-\d+$/.test(name));

test.serial('the default concurrency is cores + 2, limited by memory', async (t) => {
  const taken = async (settings: Record<string, string>) => {
    const worker = await startWorker(w, { 'log.level': 'fatal', ...settings });
    started.add(worker);
    const client = new pg.Client({ connectionString: w.url });
    await client.connect();
    const { rows } = await client.query('select concurrency from workers where pid = $1', [worker.pid]);
    await client.end();
    await worker.stop();
    return rows.map(({ concurrency }) => concurrency);
  };
  t.deepEqual(await taken({ 'worker.memory': '1000000' }), [availableParallelism() + 2]);
  t.deepEqual(await taken({ 'worker.memory': '512' }), [2]);
});

serial(
  'a running transfer that is cancelled ends as Error, its process is gone and its scratch folder removed',
  async (t) => {
    const { child } = await launchOtherFrozen();
    const s = await scene();
    const id = await s.start();
    t.is((await s.running(id)).phase, 'Starting');
    await until('the scratch folder is there', async () => (await scratch()).length === 1);
    // a cancel before leaves the child to the next transfer
    await ordered();
    const answer = await s.client.post(`/api/conversion/transfer/${id}/cancel`);
    t.is(answer.status, 202);
    t.is(answer.body.id, id);
    const ended = await untilEnd(s.client, id);
    t.like(ended, { status: 'Error', errorMessage: 'Cancelled.' });
    t.true(ended.progress < 100);
    t.is((await s.client.post(`/api/conversion/transfer/${id}/cancel`)).status, 409);
    await until('the child is gone', () => isGone(child));
    await until('the scratch folder is gone', async () => (await scratch()).length === 0);
  },
);

serial('a transfer that takes longer than the time limit ends with a sentence', async (t) => {
  await launchOtherFrozen({ 'transfers.timeLimit': '1s' });
  const s = await scene();
  const ended = await untilEnd(s.client, await s.start());
  t.is(ended.errorMessage, 'The conversion took longer than its time limit of 1 s.');
});

test.serial(
  'on SIGTERM a worker hands its conversion back, another worker completes it, and the exit code is 0',
  async (t) => {
    const { worker } = await launchFrozen();
    const s = await scene();
    const id = await s.start();
    await s.running(id);
    worker.process.kill('SIGTERM');
    t.deepEqual(await worker.ended, [0, null], worker.output());
    t.like(await s.get(id), { status: 'Pending', attempt: 0 });
    const [row] = await sqlOf('select worker_losses, child_deaths, outages from transfers where id = $1', [id]);
    t.deepEqual(row, { worker_losses: 0, child_deaths: 0, outages: 0 });
    await launchOther();
    t.like(await untilEnd(s.client, id), { status: 'Completed', attempt: 1 });
    await until(
      'the queue is empty',
      async () => (await sqlOf('select id from graphile_worker._private_jobs')).length === 0,
    );
  },
);

test.serial('a transfer of a killed worker is run by another, and leftovers are removed', async (t) => {
  const { worker } = await launchFrozen();
  const s = await scene();
  const id = await s.start();
  await s.running(id);
  worker.process.kill('SIGKILL');
  await worker.ended;
  await launchOther();
  const ended = await untilEnd(s.client, id);
  t.like(ended, { status: 'Completed', attempt: 2 });
  const log = (await s.client.get(`/api/conversion/transfer/${id}/log?level=info`)).body.data;
  // its worker may have died before it wrote the line of the first start
  const told = log
    .map((line: { message: string }) => line.message)
    .filter((line: string) => !line.startsWith('Attempt 1'));
  t.deepEqual(told.slice(0, 2), ['The worker that ran attempt 1 was lost.', 'Attempt 2 started.']);
  t.regex(told[2], new RegExp(`^Converted: ${ASCII_GRID.length} bytes read, `));
  t.is(told.length, 3);
  await until('the scratch folder is gone', async () => (await scratch()).length === 0);
  t.is((await sqlOf('select pool from workers')).length, 1);
});

test.serial(
  'a stopped worker loses a transfer that is past its deadline, and exits when it is continued',
  async (t) => {
    const { worker } = await launchFrozen();
    const s = await scene();
    const id = await s.start();
    await s.running(id);
    worker.process.kill('SIGSTOP');
    await sqlOf(`update transfers set deadline = now() - interval '31 seconds' where id = $1`, [id]);
    await launchOther();
    t.like(await untilEnd(s.client, id), { status: 'Completed', attempt: 2 });
    worker.process.kill('SIGCONT');
    t.deepEqual(await worker.ended, [1, null]);
  },
);

serial('a transfer is cancelled although its worker is stopped', async (t) => {
  const { worker } = await launchFrozen();
  const s = await scene();
  const id = await s.start();
  await s.running(id);
  worker.process.kill('SIGSTOP');
  await launchOther();
  await s.client.post(`/api/conversion/transfer/${id}/cancel`);
  t.like(await untilEnd(s.client, id), { status: 'Error', errorMessage: 'Cancelled.' });
});

serial('a transfer ends after nine lost workers', async (t) => {
  const { worker } = await launchFrozen();
  const s = await scene();
  const id = await s.start();
  await s.running(id);
  await sqlOf('update transfers set worker_losses = 8 where id = $1', [id]);
  worker.process.kill('SIGKILL');
  await launchOther();
  const { errorMessage } = await untilEnd(s.client, id);
  t.is(errorMessage, 'The workers that ran this transfer were lost 9 times.');
});

serial('a transfer whose conversion process died twice without the worker’s doing ends', async (t) => {
  const s = await scene();
  const id = await s.start();
  // as if the worker had died once before
  await sqlOf('update transfers set child_deaths = 1 where id = $1', [id]);
  await sqlOf(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour'`);
  const { child } = await launchOtherFrozen();
  await sqlOf('update graphile_worker._private_jobs set run_at = now()');
  await s.running(id);
  await ordered();
  signal(child, 'SIGKILL');
  const { status, errorMessage } = await untilEnd(s.client, id);
  t.is(status, 'Error');
  t.is(errorMessage, 'The conversion broke off 2 times without a reason that it could name.');
});

serial('a conversion process that died once is tried again', async (t) => {
  const { child } = await launchOtherFrozen();
  const s = await scene();
  const id = await s.start();
  await s.running(id);
  await ordered();
  signal(child, 'SIGKILL');
  t.like(await untilEnd(s.client, id), { status: 'Completed', attempt: 2 });
});

serial('deleting a project ends the transfers that run or wait below it, and they write nothing', async (t) => {
  const { child } = await launchOtherFrozen();
  const s = await scene();
  const [running, waiting] = [await s.start(), await s.start()];
  await s.running(running);
  t.is((await s.client.delete(`/api/metadata/project/${s.projectId}`)).status, 204);
  for (const id of [running, waiting]) {
    t.like(await untilEnd(s.client, id), { status: 'Error', errorMessage: 'The project was deleted.' });
  }
  await until('the child is gone', () => isGone(child));
  t.deepEqual(await sqlOf('select id from datasets where project_id = $1', [s.projectId]), []);
});

serial('a transfer whose queue row is lost is started nevertheless', async (t) => {
  const s = await scene();
  const id = await s.start();
  await sqlOf('delete from graphile_worker._private_jobs');
  await launchOther();
  t.is((await untilEnd(s.client, id)).status, 'Completed');
});

serial('a transfer that is locked in the queue but not running is released', async (t) => {
  await launchOther();
  const s = await scene();
  const copied = await s.start();
  await untilEnd(s.client, copied);
  // as if the database had gone away while the run ended
  const [stray] = await sqlOf<{ id: string }>(
    `insert into transfers (tenant_id, project_id, type, format, request, staged_blob, created_by, updated_by, account_id, memory_mb,
      status, attempt, worker_pool, deadline)
     select tenant_id, project_id, type, format, request, staged_blob, created_by, updated_by, account_id, memory_mb,
      'InProgress', 1, (select pool from workers), now() + interval '1 hour' from transfers where id = $1
     returning id`,
    [copied],
  );
  t.like(await untilEnd(s.client, stray?.id ?? ''), { status: 'Completed', attempt: 2 });
});

serial('a queue row that a worker locked without receiving it is run nevertheless', async (t) => {
  const s = await scene();
  const id = await s.start();
  await sqlOf(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour'`);
  await launchOther();
  // as if the worker's connection had broken at that moment
  await sqlOf(
    `update graphile_worker._private_jobs
     set run_at = now(), locked_at = now() - interval '11 seconds', locked_by = (select pool from workers)`,
  );
  t.is((await untilEnd(s.client, id)).status, 'Completed');
});

serial('a replaced queue row is deleted even if its worker could not report it as done', async (t) => {
  const s = await scene();
  const id = await s.start();
  // as if its worker had been killed just after it handed the transfer back
  await sqlOf('update graphile_worker._private_jobs set key = null, attempts = max_attempts');
  await launchOther();
  t.is((await untilEnd(s.client, id)).status, 'Completed');
  await until(
    'the queue is empty',
    async () => (await sqlOf('select from graphile_worker._private_jobs')).length === 0,
  );
});

serial('a worker that cannot report a completed job to the queue ends at once', async (t) => {
  const { worker } = await launchFrozen({ 'worker.concurrency': '2' });
  const s = await scene();
  const long = await s.start();
  await s.running(long);
  await sqlOf(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
  await sqlOf(
    'create trigger refuse before delete on graphile_worker._private_jobs for each row execute function refuse()',
  );
  const short = await s.start();
  t.deepEqual(await worker.ended, [1, null]);
  await sqlOf('drop function refuse cascade');
  await launchOther();
  for (const id of [long, short]) t.is((await untilEnd(s.client, id)).status, 'Completed');
});

serial('a transfer that ends without being run says so in its log', async (t) => {
  const s = await scene();
  const id = await s.start();
  await s.client.post(`/api/conversion/transfer/${id}/cancel`);
  const log = (await s.client.get(`/api/conversion/transfer/${id}/log`)).body.data;
  t.is(log.length, 1);
  t.like(log[0], { level: 'error', message: 'Cancelled.' });
});

serial('an acknowledged cancel takes effect although its worker is gone', async (t) => {
  const { worker } = await launchFrozen();
  const s = await scene();
  const id = await s.start();
  await s.running(id);
  worker.process.kill('SIGSTOP');
  t.is((await s.client.post(`/api/conversion/transfer/${id}/cancel`)).status, 202);
  worker.process.kill('SIGKILL');
  await launchOther();
  t.like(await untilEnd(s.client, id), { status: 'Error', errorMessage: 'Cancelled.' });
});

serial('a transfer that was cancelled while nobody ran it is not run', async (t) => {
  const s = await scene();
  const id = await s.start();
  // as if its worker had been asked to stop, and had handed it back, before it heard of the cancel
  await sqlOf('update transfers set cancel_requested_at = now() where id = $1', [id]);
  await launchOther();
  t.like(await untilEnd(s.client, id), { status: 'Error', errorMessage: 'Cancelled.' });
});
