import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const worker = sharedWorker(w);
const machine = machines(w);

async function operator(t: Parameters<typeof machine>[0]) {
  await w.administrator();
  const { run, logIn } = await machine(t);
  const { code, err } = await logIn('root');
  if (code !== 0) throw new Error(err);
  return run;
}

/** A transfer by an Owner of a new tenant; with `grid` it fails, because the text is not a grid. */
async function transfer(grid: boolean) {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client);
  const how = grid ? { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' } : {};
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'words'), how));
  return { id: body.id as string, client, tenantId: owner.tenantId };
}

test.serial('drained workers take no transfers; the command waits, and gives up at its time-out', async (t) => {
  const run = await operator(t);
  const { pid } = process;
  await worker();
  t.like(await run(['job', 'drain']), {
    code: 2,
    err: 'platform: Use --host, --worker or --all to choose the workers to drain.\n',
  });
  const drained = await run(['job', 'drain', '--all', '--timeout', '1m']);
  t.is(drained.code, 0, drained.err);
  t.regex(drained.out, new RegExp(`^pool-\\w+ +\\S+ +${pid} +drained +0 of \\d+`, 'm'));
  const { id, client } = await transfer(false);
  await w.sql(`update workers set draining_since = null`);
  // locked in the future, because the worker releases jobs with old locks
  await w.sql(
    `insert into graphile_worker._private_jobs (task_id, key, locked_at, locked_by)
    select task_id, '00000000-0000-4000-8000-000000000000', now() + interval '1 hour', (select pool from workers)
    from graphile_worker._private_jobs where key = $1`,
    [id],
  );
  const late = await run(['job', 'drain', '--all', '--timeout', '1s']);
  t.is(late.code, 1);
  t.regex(late.err, /^1 transfer still runs\.$[\s\S]*^platform: 1 transfer still runs\. The workers stay drained\.$/m);
  await w.sql(`delete from graphile_worker._private_jobs where key = '00000000-0000-4000-8000-000000000000'`);
  t.regex(
    (await run(['job', 'list'])).out,
    new RegExp(`^\\S.* +waiting +${id} .* Import FileReader > FileWriter`, 'm'),
  );
  const why = await run(['job', 'why', id]);
  t.regex(why.out, /^status +Pending$/m);
  t.true(why.out.includes('WORKER'));
  t.is((await run(['job', 'why', '7'])).code, 1);
  const nosuch = await run(['job', 'drain', '--host', 'nosuch', '--timeout', '0s']);
  t.is(nosuch.code, 1);
  t.is(nosuch.err, `platform: There is no worker on nosuch. Workers run on ${hostname()}.\n`);
  // without the lock of a live worker, a sweep may remove it
  await w.sql(`select pg_advisory_lock(hashtextextended('one-1', 0))`);
  await w.sql(`insert into workers (pool, host, node, pid, concurrency, memory_mb, cores)
    values ('one-1', 'a-pod', 'node-9', 1, 1, 1, 1)`);
  const node = await run(['job', 'drain', '--host', 'node-9', '--timeout', '0s']);
  t.is(node.code, 0, node.err);
  t.regex(node.out, /^one-1 +a-pod on node-9 /m);
  await run(['job', 'drain', '--host', 'node-9', '--end']);
  await w.sql(`delete from workers where pool = 'one-1'`);
  t.is(
    (await run(['job', 'drain', '--host', hostname(), '--timeout', '0s'])).code,
    0,
    'nothing runs, nothing is awaited',
  );
  for (const listing of [
    ['job', 'drain', '--list'],
    ['worker', 'list'],
  ]) {
    const { out } = await run(listing);
    t.regex(out, /^--all +\d{4}-\d\d-\d\d .*root$/m);
    t.regex(out, new RegExp(`^--host ${hostname()} `, 'm'));
  }
  const left = await run(['job', 'drain', '--host', hostname(), '--end']);
  t.is(left.code, 0);
  t.is(left.err.trim(), 'Still drained: --all.');
  t.is((await run(['job', 'drain', '--end'])).code, 0);
  t.is((await run(['job', 'drain', '--end'])).code, 1, 'there is none');
  t.is((await run(['job', 'drain', '--worker', 'a', '--host', 'b'])).code, 2);
  t.is((await untilEnd(client, id)).status, 'Completed');
});

test('failures are listed in groups; the retry of a group stops when one fails in the same way', async (t) => {
  const run = await operator(t);
  await worker();
  const fallen = [await transfer(true), await transfer(true)];
  for (const { id, client } of fallen) t.is((await untilEnd(client, id)).status, 'Error');
  const groups = await run(['job', 'failures']);
  const fingerprint = /^(\w{16}) +2 +2 .*Import AsciiGridReader > GeoTiffWriter/m.exec(groups.out)?.[1] ?? '';
  t.not(fingerprint, '', groups.out);
  const listed = await run(['job', 'list', '--fingerprint', fingerprint, '--state', 'failed']);
  for (const { id } of fallen) t.regex(listed.out, new RegExp(`^\\S+ +failed +${id} `, 'm'));
  t.is(
    (await run(['job', 'list', '--tenant', fallen[0]?.tenantId ?? '', '--status', 'failed', '--json'])).out.match(
      /"id"/g,
    )?.length,
    1,
  );

  const order = ['job', 'retry', '--fingerprint', fingerprint, '--rate', '1/h', '--stop-on-fail'];
  let ended = false;
  const retrying = run(order).finally(() => {
    ended = true;
  });
  const failed =
    'select from mass_retry_transfers m join transfers s on s.id = m.new_transfer_id where s.fingerprint is not null';
  while (!ended && (await w.sql(failed)).length === 0) await sleep(20);
  // the second step is due now that the first has failed
  await w.sql('update mass_retries set next_at = now()');
  const retried = await retrying;
  t.is(retried.code, 1, retried.out);
  t.regex(retried.err, /platform: Retry \S+ was stopped: Transfer '\S+' failed in the same way\.\n$/);
  t.regex(retried.out, /^state +Stopped$/m);
  t.regex((await run(['job', 'retries'])).out, /^\S+ +Stopped +\w{16} /m);
  t.is((await run(['job', 'retry', '--fingerprint', fingerprint, '--rate', 'often'])).code, 2);
  t.is((await run(['job', 'retry'])).code, 2);
  const again = await run(['job', 'retry', ...fallen.map(({ id }) => id), '--reason', 'the disk was full']);
  t.is(again.code, 1, 'one at least was tried again before');
  t.regex(again.err, /was retried already, as '/);
});

test('a job is shown and cancelled; workers and cron jobs are listed', async (t) => {
  const run = await operator(t);
  await worker();
  const [job] = await w.sql<{ id: string }>(
    `select id from graphile_worker.add_job('cleanUp', run_at => now() + interval '1 day')`,
  );
  const shown = await run(['job', 'show', String(job?.id)]);
  t.regex(shown.out, /^state +delayed\ntask +cleanUp$/m);
  t.is((await run(['job', 'list', '--task', 'cleanUp', '--older-than', '1h'])).out.split('\n')[1], '');
  t.is((await run(['job', 'list', '--older-than', 'long'])).code, 2);
  t.is((await run(['job', 'cancel', String(job?.id)])).out, `Job ${job?.id} is being cancelled.\n`);
  t.is((await run(['job', 'show', String(job?.id)])).code, 1);
  const workers = (await run(['worker', 'list'])).out;
  t.true(workers.includes(hostname()), workers);
  t.regex((await run(['cron', 'list'])).out, /^cleanUp +23 \* \* \* \* .*\d{4}-\d\d-\d\d \d\d:23:00Z$/m);
  t.is((await run(['cron', 'run', 'cleanUp'])).out, 'cleanUp is in the queue.\n');
  t.is((await run(['jobs', 'run'])).out, 'sweepRecycleBin is in the queue.\n');
});
