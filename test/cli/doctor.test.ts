import { once } from 'node:events';
import { createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { newDataset } from '../world/content.ts';
import { makeProject } from '../world/projects.ts';
import { environmentOf } from '../world/worker.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { ownWorld } from '../world.ts';
import { machines } from './machine.ts';

interface Check {
  name: string;
  ok: boolean;
  message: string;
  mend?: string;
}

const w = ownWorld(test);
const worker = switchedWorker(w);
const machine = machines(w);

async function checksOf(t: ExecutionContext, command: string, settings: Record<string, string> = {}) {
  const { run, url } = await machine(t);
  const { code, out, err } = await run([command, '--json'], {
    env: { ...environmentOf(w, settings), PLATFORM_URL: url },
  });
  const checks: Check[] = JSON.parse(out).checks;
  for (const { ok, mend } of checks) t.is(ok, mend === undefined);
  // the disk of the machine that runs the tests is its own matter
  const failed = checks.filter(({ ok, name }) => !ok && name !== 'disk');
  t.is(code, checks.every(({ ok }) => ok) ? 0 : 1, err);
  const of = (name: string) => {
    const found = checks.find((check) => check.name === name);
    if (found === undefined) throw new Error(`There is no check ${name} among ${checks.map((one) => one.name)}.`);
    return found;
  };
  return { checks, failed, of, text: out + err };
}

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test.serial('doctor finds all well on a platform that runs, and leaves no blob', async (t) => {
  await worker.start();
  const { failed, checks, of } = await checksOf(t, 'doctor');
  t.deepEqual(failed, []);
  const names =
    'node settings database migrations connections bloat replication clock blobs blobOwner workers cron redis mail certificate disk';
  t.deepEqual(
    checks.map(({ name }) => name),
    names.split(' '),
  );
  t.regex(of('blobs').message, /^256 KiB: write [\d.]+ ms, read [\d.]+ ms, range [\d.]+ ms, delete [\d.]+ ms\.$/);
  t.regex(of('settings').message, /database\.url/);
  for await (const blob of w.blobs.list('staging/')) t.fail(blob.name);
});

test.serial('status shows the platform at a glance', async (t) => {
  await worker.start();
  t.deepEqual((await checksOf(t, 'status')).failed, []);
  const { run } = await machine(t);
  const { out } = await run(['status'], {
    env: { ...environmentOf(w, {}), PLATFORM_URL: `http://127.0.0.1:${await closedPort()}` },
  });
  t.regex(out, /^NOT OK +api +http:\/\/127\.0\.0\.1:\d+ does not answer/m);
  t.regex(out, /^api: Start it/m);
  const root = w.as(await w.administrator());
  t.is((await root.put('/api/admin/pause', { paused: true, reason: 'The store is moved.' })).status, 200);
  const paused = await checksOf(t, 'status');
  t.is(paused.of('pause').message, 'New work is paused: The store is moved.');
  await root.put('/api/admin/pause', { paused: false });
  const user = await w.account();
  const id = await newDataset(w, (await makeProject(w, user)).id, user);
  await w.sql(`insert into damaged_blobs (name, problem) select blob, 'missing' from datasets where id = $1`, [id]);
  t.is((await checksOf(t, 'status')).of('blobs').message, '0 blobs are damaged, 1 are missing.');
  await w.sql('delete from damaged_blobs');
});

test.serial('doctor says what is not well, and what to do, and shows no secret', async (t) => {
  await worker.stop();
  const port = await closedPort();
  const broken = await checksOf(t, 'doctor', {
    'cache.url': `redis://ann:red15-secret@127.0.0.1:${port}`,
    'mail.url': `smtp://ann:mail-secret@127.0.0.1:${port}`,
    publicUrl: `https://127.0.0.1:${port}`,
    'metrics.token': 'metrics-secret-0123456789',
    'kubernetes.kubeconfig': '/nowhere/kubeconfig',
    'blobs.url': `s3://key:bucket-secret@127.0.0.1:${port}/bucket`,
  });
  t.deepEqual(
    broken.failed.map(({ name }) => name),
    ['blobs', 'workers', 'kubernetes', 'redis', 'mail', 'certificate'],
  );
  for (const name of ['redis', 'mail', 'certificate']) t.regex(broken.of(name).message, /ECONNREFUSED/);
  t.is(broken.of('workers').message, 'No worker runs.');
  t.regex(broken.of('kubernetes').message, /^The kubeconfig \/nowhere\/kubeconfig cannot be read: /);
  t.false(broken.text.includes('secret-') || broken.text.includes('-secret'), broken.text);

  await w.sql(`update maintenance_runs set failed = 3 where name = 'cleanUp'`);
  await w.sql(
    `insert into maintenance_runs (name, started_at, failed, failures) values ('cleanUp', now(), 3, '[]') on conflict do nothing`,
  );
  await w.sql(
    `update graphile_worker._private_known_crontabs set last_execution = now() - interval '1 day' where identifier = 'expireCredits'`,
  );
  t.is((await checksOf(t, 'doctor')).of('cron').message, 'Late: expireCredits.');
  await w.sql(`update graphile_worker._private_known_crontabs set last_execution = now()`);
  t.is((await checksOf(t, 'doctor')).of('cron').message, 'The last run had failures: cleanUp.');

  await w.sql(`delete from migrations where name = 'functions/search.sql'`);
  const behind = await checksOf(t, 'doctor');
  t.is(behind.of('migrations').message, 'functions/search.sql pending.');
  t.is((await w.sql(`select from migrations where name = 'functions/search.sql'`)).length, 0, 'it applies nothing');

  const address = new URL(w.url);
  address.password = 'wrong-secret';
  address.username = 'nobody';
  const refused = await checksOf(t, 'doctor', { 'database.url': address.href });
  t.deepEqual(
    refused.failed.map(({ name }) => name),
    ['database'],
  );
  t.false(refused.text.includes('wrong-secret'));

  const { run } = await machine(t);
  const wrong = await run(['doctor', '--json'], {
    env: { ...environmentOf(w, {}), PLATFORM_NOSUCH: 'x', PLATFORM_PORT: '-1', PLATFORM_METRICS_TOKEN: 'too short' },
  });
  t.is(wrong.code, 1);
  const settings: Check = JSON.parse(wrong.out).checks.at(-1);
  t.regex(settings.message, /PLATFORM_NOSUCH is not a setting\./);
  t.regex(settings.message, /PLATFORM_PORT/);
  t.false(wrong.out.includes('too short'));
});
