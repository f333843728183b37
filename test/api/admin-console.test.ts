import test from 'ava';
import { loadConfig, showSettings } from '../../src/config.ts';
import { copyRequest, newProject, upload } from '../world/transfers.ts';
import { type Client, ownWorld } from '../world.ts';

const w = ownWorld(test);

const newTransfer = async (owner: Client) => {
  const request = copyRequest(await newProject(owner), await upload(w, owner, Buffer.from('notes')));
  return (await owner.post('/api/conversion/upload-convert', request)).body;
};

test.serial('new work is paused with a reason that waiting transfers say, and resumed', async (t) => {
  const administrator = w.as(await w.administrator());
  t.deepEqual((await administrator.get('/api/admin/pause')).body, { paused: false });
  t.deepEqual((await administrator.put('/api/admin/pause', { paused: false })).body, { paused: false });

  const paused = await administrator.put('/api/admin/pause', { paused: true, reason: 'The store is being moved.' });
  t.like(paused.body, { paused: true, reason: 'The store is being moved.', accountId: 'root' });
  const owner = w.as(await w.account());
  const body = await newTransfer(owner);
  const why = await owner.get(`/api/conversion/transfer/${body.id}/why`);
  t.is(why.body.reason, 'New work is paused: The store is being moved.');
  const { drains } = (await administrator.get('/api/admin/drain')).body;
  t.like(drains[0], { scope: 'all' }, 'the workers drain');

  const silent = await administrator.put('/api/admin/pause', { paused: true });
  t.is(silent.body.reason, undefined, 'a second pause replaces the first');
  t.is(
    (await owner.get(`/api/conversion/transfer/${body.id}/why`)).body.reason,
    'New work is paused by an administrator.',
  );
  t.deepEqual((await administrator.put('/api/admin/pause', { paused: false })).body, { paused: false });
  t.is((await owner.get(`/api/conversion/transfer/${body.id}/why`)).body.reason, 'No worker is running.');
  const actions = await w.sql<{ action: string }>(
    "select action from audit where action like 'worker.pause%' order by id",
  );
  t.deepEqual(
    actions.map(({ action }) => action),
    ['worker.pause', 'worker.pause', 'worker.pause.end'],
    'ending no pause is no change',
  );
});

test('a pause has a reason of at most 1,000 characters', async (t) => {
  const administrator = w.as(await w.administrator());
  t.is((await administrator.put('/api/admin/pause', { paused: true, reason: 'x'.repeat(1001) })).status, 400);
});

test('the summary counts what waits and what failed', async (t) => {
  const administrator = w.as(await w.administrator());
  const before = (await administrator.get('/api/admin/summary')).body;
  t.deepEqual(before.build, (await w.nobody.get('/health')).body);
  const owner = w.as(await w.account());
  const body = await newTransfer(owner);
  const waiting = (await administrator.get('/api/admin/summary')).body;
  t.is(waiting.queue.waiting - before.queue.waiting, 1);
  t.true(waiting.queue.oldestTransferSeconds >= 0);
  t.deepEqual(waiting.workers, { alive: 0, draining: 0, running: 0, places: 0 });
  t.true(waiting.accounts > 0 && waiting.tenants > 0);
  await w.sql(
    "update transfers set status = 'Error', finished_at = now(), error_message = 'It is broken.' where id = $1",
    [body.id],
  );
  const failed = (await administrator.get('/api/admin/summary')).body;
  t.is(failed.failures.lastDay - before.failures.lastDay, 1);
  t.is(failed.failures.kinds - before.failures.kinds, 1);
});

test('settings are shown with their sources, and without secrets', (t) => {
  const secrets = ['hunter2', 'topsecretkey', 'bearertoken'];
  const shown = showSettings(
    loadConfig({
      DATABASE_URL: 'postgres://ann:hunter2@db.example:5432/data?password=hunter2',
      PLATFORM_BLOBS_URL: 's3://key:topsecretkey@store.example:9000/bucket/folder?region=eu',
      PLATFORM_CACHE_URL: 'redis://:hunter2@cache.example:6379/1',
      PLATFORM_MAIL_URL: 'smtp://ann:hunter2@mail.example:25',
      PLATFORM_METRICS_TOKEN: 'bearertokenbearertoken',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=bearertoken',
      PLATFORM_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      PLATFORM_PORT: '8123',
    }),
  );
  const text = JSON.stringify(shown);
  for (const secret of [...secrets, Buffer.alloc(32, 7).toString('base64')]) t.false(text.includes(secret), secret);
  const one = (name: string) => shown.find((setting) => setting.name === name);
  t.deepEqual(one('database.url'), {
    name: 'database.url',
    variable: 'PLATFORM_DATABASE_URL',
    source: 'environment',
    value: 'postgres://db.example:5432/data',
    hidden: true,
  });
  t.is(one('blobs.url')?.value, 's3://store.example:9000/bucket/folder');
  t.like(one('metrics.token'), { value: undefined, hidden: true, source: 'environment' });
  t.like(one('port'), { value: 8123, source: 'environment', hidden: false });
  t.like(one('tokens.accessLifetime'), { value: 1_800_000, source: 'default' });
});

test('administrators list the settings of the server', async (t) => {
  const { body } = await w.as(await w.administrator()).get('/api/admin/settings');
  t.true(body.data.length > 80);
  t.true(body.data.every(({ variable }: { variable: string }) => /^PLATFORM_[A-Z_\d]+$/.test(variable)));
});
