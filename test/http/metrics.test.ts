import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { cacheTime } from '../../src/operations/metrics/metrics.ts';
import { carryScene } from '../world/move-copy.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type World, world } from '../world.ts';

const SECRET = 'a-token-for-the-scraper';
const w = world(test);
const guarded = world(test, { 'metrics.token': SECRET, trustedProxies: '127.0.0.9' });
const published = world(test, { publicUrl: 'https://platform.example' });
const worker = sharedWorker(w);

const scrape = (of: World, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  of.nobody.send({ method: 'GET', url: '/metrics', headers, remoteAddress });

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Samples of the text format, read as its documentation says. */
function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', inside = '', value = ''] = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      const labels = Object.fromEntries(
        [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, is]) => [key, is]),
      );
      return { name, labels, value: Number(value.replace('+Inf', 'Infinity')) };
    });
}

const figure = (samples: Sample[], name: string, labels: Record<string, string> = {}) =>
  samples
    .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);

test('metrics need no token on a loopback connection', async (t) => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    const { status, headers, raw } = await scrape(w, {}, address);
    t.is(status, 200, address);
    t.is(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    t.true(raw.toString().includes('platform_jobs{'));
    t.regex(raw.toString(), /^platform_build_info\{version="\d+\.\d+\.\d+",commit="[0-9a-f]*"\} 1$/m);
  }
});

test('a proxy on the same machine or a page of another origin does not open metrics to others', async (t) => {
  const spoken: Record<string, string>[] = [
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-host': 'localhost' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '127.0.0.1' },
    { host: 'platform.example' },
    { host: '127.0.0.1.example:80' },
    { origin: 'https://elsewhere.example' },
  ];
  for (const headers of spoken) t.is((await scrape(w, headers)).status, 401, JSON.stringify(headers));
  t.is((await scrape(w, {}, '10.0.0.1')).status, 401);
  t.is((await scrape(w, { 'x-forwarded-for': '127.0.0.1' }, '10.0.0.1')).status, 401);
  t.is((await scrape(guarded, {}, '127.0.0.9')).status, 401, 'a trusted proxy that forwards nothing');
  t.is((await scrape(guarded, { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.9')).status, 401);
  t.is((await scrape(published)).status, 401, 'others come in by another name, so there is a proxy');
});

test('other connections need the configured token or an administrator', async (t) => {
  const from = (authorization: string, of = guarded) => scrape(of, { authorization }, '203.0.113.7');
  t.is((await from(`Bearer ${SECRET}`)).status, 200);
  t.is((await from(`bearer ${SECRET}`)).status, 200);
  for (const wrong of [`Bearer ${SECRET}x`, `Bearer ${SECRET.slice(1)}`, `Basic ${SECRET}`, 'Bearer', ''])
    t.is((await from(wrong)).status, 401, wrong);
  t.is((await from(`Bearer ${await w.tokenOf(await w.administrator())}`, w)).status, 200);
  t.is((await from(`Bearer ${await w.tokenOf(await w.account())}`, w)).status, 403);
});

async function oneTransfer(more: object = {}) {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client);
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'words'), more));
  return { client, id: body.id as string };
}

test.serial(
  'metrics contain queue, workers and ended transfers, and each process reports the same counts',
  async (t) => {
    const { id, client } = await oneTransfer();
    const wrong = await oneTransfer({ readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' });
    const [spent] = await w.sql<{ id: string }>(
      `select id from graphile_worker.add_job('sweepRecycleBin', run_at => now() + interval '1 day')`,
    );
    await w.sql('update graphile_worker._private_jobs set attempts = max_attempts where id = $1', [spent?.id]);
    const before = samplesOf((await scrape(w)).raw.toString());
    t.is(figure(before, 'platform_jobs', { task: 'runTransfer', state: 'waiting' }), 2);
    t.is(figure(before, 'platform_jobs', { task: 'sweepRecycleBin', state: 'spent' }), 1);
    t.true(figure(before, 'platform_oldest_waiting_seconds', { kind: 'transfer' }) > 0);
    t.is(figure(before, 'platform_workers', { state: 'alive' }), 0);

    await worker();
    t.is((await untilEnd(client, id)).status, 'Completed');
    t.is((await untilEnd(wrong.client, wrong.id)).status, 'Error');
    let samples: Sample[] = [];
    for (let tries = 0; tries < 300; tries++) {
      samples = samplesOf((await scrape(w)).raw.toString());
      if (figure(samples, 'platform_transfer_run_seconds_count') >= 2) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const completed = { type: 'Import', reader: 'FileReader', writer: 'FileWriter', outcome: 'completed' };
    t.is(figure(samples, 'platform_transfer_run_seconds_count', completed), 1);
    t.is(figure(samples, 'platform_transfer_wait_seconds_bucket', { ...completed, le: '+Inf' }), 1);
    t.true(figure(samples, 'platform_transfer_wait_seconds_sum', completed) > 0);
    t.is(figure(samples, 'platform_transfer_run_seconds_count', { reader: 'AsciiGridReader', outcome: 'failed' }), 1);
    t.is(figure(samples, 'platform_transfer_attempts_total'), 2);
    t.is(figure(samples, 'platform_workers', { state: 'alive' }), 1);
    t.true(figure(samples, 'platform_worker_slots') > 0);
    t.is(figure(samples, 'platform_jobs', { task: 'runTransfer', state: 'waiting' }), 0);
    const buckets = samples
      .filter(({ name, labels }) => name === 'platform_transfer_run_seconds_bucket' && labels.reader === 'FileReader')
      .map(({ value }) => value);
    t.deepEqual(
      buckets,
      [...buckets].sort((a, b) => a - b),
      'each bucket holds those before it',
    );

    const [events] = await w.sql<{ count: string }>(`select count(*) from events where type like '%transferfinished%'`);
    t.is(events?.count, '2');
    t.is(figure(samples, 'platform_transfer_wait_seconds_count'), 2, 'once each');
  },
);

test.serial('a transfer between two tenants is counted once', async (t) => {
  const { client, ask } = await carryScene(w);
  const { body } = await ask('copy');
  await worker();
  t.is((await untilEnd(client, body.id)).status, 'Completed');
  const later = await oneTransfer({ readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' });
  t.is((await untilEnd(later.client, later.id)).status, 'Error');
  const [events] = await w.sql<{ count: string }>(
    `select count(*) from events where type like '%transferfinished%' and resource_id = $1`,
    [body.id],
  );
  t.is(events?.count, '2');
  const count = 'platform_transfer_run_seconds_count';
  let samples: Sample[] = [];
  for (let tries = 0; tries < 300; tries++) {
    samples = samplesOf((await scrape(w)).raw.toString());
    // this request ended later, so earlier ones have been counted
    if (figure(samples, count, { outcome: 'failed' }) >= 2) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  t.is(figure(samples, count, { type: 'Conversion' }), 1);
});

test.serial('requests are labelled by route pattern, not by URL', async (t) => {
  const { client, id } = await oneTransfer();
  await client.get(`/api/conversion/transfer/${id}`);
  await w.nobody.get('/no/such/thing');
  const text = (await scrape(w)).raw.toString();
  t.false(text.includes(id));
  t.false(text.includes('no/such'));
  const samples = samplesOf(text);
  const count = 'platform_http_request_duration_seconds_count';
  t.true(figure(samples, count, { method: 'GET', route: '/api/conversion/transfer/:id', status: '200' }) >= 1);
  t.true(figure(samples, count, { route: '', status: '404' }) >= 1);
  t.true(
    figure(samples, 'platform_blob_store_operation_duration_seconds_count', { operation: 'put', outcome: 'ok' }) >= 1,
  );
  t.true(figure(samples, 'platform_blob_store_free_bytes') > 0);
  t.is(figure(samples, 'platform_database_up'), 1);
  t.true(figure(samples, 'nodejs_eventloop_lag_p99_seconds') >= 0);
});

test.serial('The Prometheus client library parses the metrics, and names follow its conventions', async (t) => {
  const text = (await scrape(w)).raw.toString();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (platform_\S+) (\S+)$/gm)) {
    t.is(name.endsWith('_total'), type === 'counter', name);
    if (type === 'histogram') t.regex(name, /_seconds$/);
  }
  for (const [, name] of text.matchAll(/^# HELP (\S+) *$/gm)) t.fail(`${name} has no help`);
  const python = '/opt/ref/bin/python';
  const found = await promisify(execFile)(python, ['-c', 'import prometheus_client']).catch(() => undefined);
  if (!found) return t.log('SKIPPED: there is no /opt/ref with prometheus_client.');
  const path = join(w.folder, 'metrics.txt');
  await writeFile(path, text);
  const program = `
import sys
from prometheus_client.parser import text_string_to_metric_families
for family in text_string_to_metric_families(open(sys.argv[1]).read()):
    print(family.type, family.name, len(family.samples))`;
  const { stdout } = await promisify(execFile)(python, ['-c', program, path]);
  t.regex(stdout, /^histogram platform_transfer_run_seconds \d+$/m);
  t.regex(stdout, /^counter platform_transfer_attempts \d+$/m);
  t.regex(stdout, /^gauge platform_jobs \d+$/m);
  t.notRegex(stdout, /^unknown/m);
});

test('figures of the database are kept for 20 times as long as they took, a second at least and 15 at most', (t) => {
  t.deepEqual([0, 60, 200, 900, 60_000].map(cacheTime), [1000, 1200, 4000, 15_000, 15_000]);
});
