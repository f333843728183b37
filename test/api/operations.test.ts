import { randomUUID } from 'node:crypto';
import test from 'ava';
import { nextRun } from '../../src/operations/cron/cron.ts';
import { newDataset } from '../world/content.ts';
import { carryScene } from '../world/move-copy.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

// No worker runs here: waiting transfers keep waiting, and the test writes all states.
const w = ownWorld(test);

async function someTransfer(more: object = {}) {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = await newProject(client);
  const { status, body } = await start(client, copyRequest(projectId, await upload(w, client, 'words'), more));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { id: body.id as string, owner };
}

const fail = (id: string, sentence: string) =>
  w.sql(`update transfers set status = 'Error', finished_at = now(), error_message = $2 where id = $1`, [id, sentence]);

const root = async () => w.as(await w.administrator());
const listed = async (query: string): Promise<{ id: string; state: string; task: string }[]> => {
  const { status, body } = await (await root()).get(`/api/admin/job?limit=1000&${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};
const enqueue = (task: string, more = '') =>
  w.sql<{ id: string }>(`select id::text from graphile_worker.add_job('${task}', '{}'::json ${more})`);

test('the job list has transfers of all tenants and other jobs, each with its state', async (t) => {
  const { id: waiting, owner } = await someTransfer();
  const { id: delayed } = await someTransfer();
  await w.sql(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where key = $1`, [delayed]);
  const { id: failed } = await someTransfer();
  await fail(failed, 'It is broken.');
  const { id: cancelled } = await someTransfer();
  t.is((await (await root()).post(`/api/admin/job/${cancelled}/cancel`)).status, 202);
  const [spent] = await enqueue('sweepRecycleBin');
  await w.sql(
    `update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'no luck' where id = $1`,
    [spent?.id],
  );

  const states = new Map((await listed('')).map(({ id, state }) => [id, state]));
  t.is(states.get(waiting), 'waiting');
  t.is(states.get(delayed), 'delayed');
  t.is(states.get(spent?.id ?? ''), 'spent');
  t.false(states.has(failed) || states.has(cancelled), 'these have ended');

  const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
  t.true((await ids('state=failed')).includes(failed));
  t.false((await ids('state=failed')).includes(cancelled), 'a cancel is no failure');
  t.deepEqual(await ids(`state=waiting&tenantId=${owner.tenantId}`), [waiting]);
  t.deepEqual(await ids(`state=Delayed&task=runTransfer`), [delayed]);
  t.deepEqual(await ids('task=sweepRecycleBin&state=spent'), [spent?.id ?? '']);
  t.deepEqual(await ids('olderThan=1:00:00'), []);
  t.deepEqual(await ids('worker=pool-of-nobody'), []);
  t.is((await (await root()).get('/api/admin/job?state=asleep')).status, 400);
});

test('pages of jobs contain each job once, in order, transfers and others mixed', async (t) => {
  for (let n = 0; n < 3; n++) {
    await someTransfer();
    await enqueue('cleanUp', `, run_at => now() + interval '1 day'`);
  }
  const client = await root();
  const ids = (jobs: { id: string }[]) => jobs.map(({ id }) => id);
  const before = ids(await listed(''));
  const pages: string[] = [];
  let cursor = '';
  do {
    const { status, body } = await client.get(`/api/admin/job?limit=2${cursor}`);
    t.is(status, 200);
    t.true(body.data.length <= 2);
    pages.push(...ids(body.data));
    cursor = body.cursor === undefined ? '' : `&cursor=${encodeURIComponent(body.cursor)}`;
  } while (cursor !== '');
  t.is(new Set(pages).size, pages.length);
  // other tests create and end jobs concurrently
  const after = new Set(ids(await listed('')));
  const lasting = before.filter((id) => after.has(id));
  t.true(lasting.length >= 6);
  t.deepEqual(
    pages.filter((id) => lasting.includes(id)),
    lasting,
  );
});

test('a job is shown with its queue row, request, retries and the end of its log', async (t) => {
  const { id, owner } = await someTransfer();
  await w.sql(
    `insert into transfer_log (transfer_id, level, message) select $1, 'info', 'line ' || n from generate_series(1, 30) n`,
    [id],
  );
  const { status, body } = await (await root()).get(`/api/admin/job/${id.toUpperCase()}`);
  t.is(status, 200);
  t.like(body, { id, state: 'waiting', type: 'Import', reader: 'FileReader', accountId: owner.id, retries: [] });
  t.like(body.queue, { key: id, attempts: 0, maxAttempts: 25 });
  t.is(body.request.inputName, 'notes.txt');
  t.is(body.log.length, 20);
  t.is(body.log.at(-1).message, 'line 30');

  const [other] = await enqueue('cleanUp', `, run_at => now() + interval '1 day'`);
  t.like((await (await root()).get(`/api/admin/job/${other?.id}`)).body, {
    id: other?.id,
    task: 'cleanUp',
    state: 'delayed',
  });
  for (const wrong of ['999999999', '00000000-0000-4000-8000-000000000000', 'x'])
    t.is((await (await root()).get(`/api/admin/job/${wrong}`)).status, 404, wrong);
});

test('a dry run of a retry warns of a required parameter that is missing', async (t) => {
  const { id, owner } = await someTransfer({ readerName: 'AsciiGridReader', writerName: 'TilingWriter' });
  await fail(id, 'It is broken.');
  const warning = "Parameter 'TilingSchemes' is required by TilingWriter.";
  const warnings = async () => {
    const asStarter = await w.as(owner).post(`/api/conversion/transfer/${id}/retry?dryRun=true`);
    const asOperator = await (await root()).post(`/api/admin/job/${id}/retry?dryRun=true`);
    t.deepEqual([asStarter.status, asOperator.status], [200, 200]);
    return [asStarter, asOperator].map(({ body }) => body.warnings.includes(warning));
  };
  t.deepEqual(await warnings(), [true, true]);
  const [row] = await w.sql<{ project_id: string }>('select project_id from transfers where id = $1', [id]);
  const datasetId = await newDataset(w, row?.project_id ?? '', owner, { datasetFormat: 'tiles' });
  await w.sql('update transfers set output_dataset_id = $2 where id = $1', [id, datasetId]);
  t.deepEqual(await warnings(), [false, false], 'a dataset of tiles keeps its schemes');
});

test('jobs other than transfers can be removed, or run now with all attempts again, but not while they run', async (t) => {
  const client = await root();
  const [job] = await enqueue('cleanUp', `, run_at => now() + interval '1 day'`);
  const path = `/api/admin/job/${job?.id}`;
  await w.sql('update graphile_worker._private_jobs set attempts = max_attempts where id = $1', [job?.id]);
  t.like(await client.post(`${path}/retry?dryRun=true`), { status: 200, body: { valid: true, warnings: [] } });
  t.like((await client.get(path)).body, { state: 'spent' });
  t.is((await client.post(`${path}/retry`)).status, 202);
  t.like((await client.get(path)).body, { state: 'waiting', attempts: 0 });
  await w.sql(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-x' where id = $1`, [
    job?.id,
  ]);
  t.like(await client.post(`${path}/cancel`), { status: 409, body: { code: 'JobRunning' } });
  for (const retry of ['retry', 'retry?dryRun=true'])
    t.like(await client.post(`${path}/${retry}`), { status: 409, body: { code: 'JobRunning' } });
  await w.sql('update graphile_worker._private_jobs set locked_at = null, locked_by = null where id = $1', [job?.id]);
  t.is((await client.post(`${path}/cancel`)).status, 202);
  t.is((await client.get(path)).status, 404);
});

test('an operator can retry a failed transfer once on behalf of its starter, which is audited', async (t) => {
  const { id, owner } = await someTransfer();
  const client = await root();
  t.like(await client.post(`/api/admin/job/${id}/retry`), { status: 409, body: { code: 'TransferNotFailed' } });
  await fail(id, 'It is broken.');
  const answers = await Promise.all([1, 2, 3].map(() => client.post(`/api/admin/job/${id}/retry`)));
  t.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
  const retried = answers.find(({ status }) => status === 202)?.body.id;
  t.like((await client.get(`/api/admin/job/${retried}`)).body, {
    createdBy: owner.userId,
    accountId: owner.id,
    retryOf: id,
  });
  t.like(await client.post(`/api/admin/job/${id}/retry`), { status: 409, body: { code: 'AlreadyRetried' } });
  const trail = (await client.get(`/api/audit/list?account=${id}`)).body.data;
  t.deepEqual(
    trail.map(({ action, details }: { action: string; details: object }) => [action, details]),
    [['job.retry', { task: 'runTransfer', startedId: retried }]],
  );
});

test('a retry checks the current rights of the starter, and fails if the starter is disabled', async (t) => {
  const client = await root();
  const { id, owner } = await someTransfer();
  await fail(id, 'It is broken.');
  await w.sql(`delete from tenant_members where user_id = $1`, [owner.userId]);
  await w.sql(`delete from project_members where user_id = $1`, [owner.userId]);
  const refused = await client.post(`/api/admin/job/${id}/retry`);
  t.true([403, 404].includes(refused.status), JSON.stringify(refused.body));
  await w.sql(`update accounts set enabled = false where user_id = $1`, [owner.userId]);
  t.like(await client.post(`/api/admin/job/${id}/retry`), { status: 409, body: { code: 'StarterGone' } });
});

test('a retry is refused while the account of the starter is locked', async (t) => {
  const client = await root();
  const { id, owner } = await someTransfer();
  await fail(id, 'It is broken.');
  const refused = { status: 409, body: { code: 'StarterGone' } };
  const lock = (columns: string) => w.sql(`update accounts set ${columns} where user_id = $1`, [owner.userId]);
  await lock(`locked = true, locked_date_end = now() + interval '1 hour'`);
  t.like(await client.post(`/api/admin/job/${id}/retry`), refused);
  await lock(`locked = false, locked_date_end = null, locked_out_until = now() + interval '1 hour'`);
  t.like(await client.post(`/api/admin/job/${id}/retry`), refused);
  await lock(`locked = true, locked_date_end = now() - interval '1 hour', locked_out_until = null`);
  t.is((await client.post(`/api/admin/job/${id}/retry`)).status, 202, 'the lock has ended');
});

test('a retry for an API key is refused when the key has expired', async (t) => {
  const client = await root();
  const owner = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  const projectId = await newProject(owner);
  const { body: key } = await owner.post('/api/iam/key', {
    name: 'machine',
    role: 'Owner',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const startWithKey = async () => {
    const request = copyRequest(projectId, await upload(w, owner, 'words'));
    const { status, body } = await start(w.nobody, request, { 'svc-open-api-key': key.key });
    t.is(status, 200, JSON.stringify(body));
    await fail(body.id, 'It is broken.');
    return body.id as string;
  };
  const [first, second] = [await startWithKey(), await startWithKey()];
  t.is((await client.post(`/api/admin/job/${first}/retry`)).status, 202);
  await w.sql(`update api_keys set expires_at = now() - interval '1 minute' where id = $1`, [key.id]);
  t.like(await client.post(`/api/admin/job/${second}/retry`), { status: 409, body: { code: 'StarterGone' } });
});

test('a retry has the scopes that the starter would have in a token now', async (t) => {
  const client = await root();
  const { ask, owner } = await carryScene(w);
  const { id } = (await ask('copy')).body;
  await fail(id, 'It is broken.');
  const retry = () => client.post(`/api/admin/job/${id}/retry`);
  const giveScopes = (scopes: string[]) =>
    w.sql('update accounts set metadata = $2 where user_id = $1', [owner.userId, JSON.stringify({ scopes })]);
  await giveScopes([]);
  t.like(await retry(), { status: 403, body: { code: 'InsufficientScope' } });
  await giveScopes(['platform_metadata_conversion']);
  t.is((await retry()).status, 202);
});

test('failures whose messages differ only in names, numbers and ids form one group', async (t) => {
  const sentences = [
    `Band 3 of 'north.tif' has 12 rows, not 14: /data/x/1.`,
    `Band 11 of 'it's south.tif' has 7,000 rows, not 1.5e3: /data/y.`,
  ];
  const ids: string[] = [];
  for (const sentence of sentences) {
    const { id } = await someTransfer();
    await fail(id, sentence);
    ids.push(id);
  }
  const other = await someTransfer();
  await fail(other.id, 'Bands are missing.');
  const { body } = await (await root()).get('/api/admin/failure');
  const group = body.data.find(({ exampleId }: { exampleId: string }) => exampleId === ids[1]);
  t.like(group, {
    count: 2,
    open: 2,
    type: 'Import',
    reader: 'FileReader',
    writer: 'FileWriter',
    exampleError: sentences[1],
  });
  t.is(group.sentence, 'Band <number> of <name> has <number> rows, not <number>: <path>');
  const members = (await listed(`fingerprint=${group.fingerprint}`)).map(({ id }) => id);
  t.deepEqual(members.sort(), ids.sort());
  t.is((await (await root()).post('/api/admin/failure/0000/retry', {})).status, 404);
});

test('scheduled jobs are listed with their last and next time', async (t) => {
  await w.sql(`insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
    values ('cleanUp', now(), '2026-01-24T08:23:00Z')`);
  const client = await root();
  const asked = Date.now();
  const { status, body } = await client.get('/api/admin/cron');
  t.is(status, 200);
  const cleanUp = body.data.find(({ name }: { name: string }) => name === 'cleanUp');
  t.is(cleanUp.lastRun, '2026-01-24T08:23:00.0000000');
  t.true(Date.parse(`${cleanUp.nextRun}Z`) > asked);
  t.true(Date.parse(`${cleanUp.nextRun}Z`) <= Date.now() + 3_600_000);
  t.is((await (await root()).post('/api/admin/cron/CLEANUP/run')).body.name, 'cleanUp');
  t.is((await (await root()).post('/api/admin/cron/mop/run')).status, 404);
});

test('the next time of a schedule is the first matching minute after now', async (t) => {
  const next = async (schedule: string, from: string) => (await nextRun(schedule, new Date(from)))?.slice(0, 16);
  t.is(await next('23 * * * *', '2026-01-24T08:22:59Z'), '2026-01-24T08:23');
  t.is(await next('23 * * * *', '2026-01-24T08:23:00Z'), '2026-01-24T09:23');
  t.is(await next('37 2 * * *', '2026-12-31T02:37:30Z'), '2027-01-01T02:37');
  t.is(await next('0 0 * * 1', '2026-01-24T08:00:00Z'), '2026-01-26T00:00');
  t.is(await next('0 0 29 2 *', '2026-01-24T08:00:00Z'), '2028-02-29T00:00');
  t.is(await next('0 0 31 2 *', '2026-01-24T08:00:00Z'), undefined);
});

test('a drain of a node concerns the pods on it', async (t) => {
  const client = await root();
  const pool = `one-${randomUUID()}`;
  await w.sql(
    `insert into workers (pool, host, node, pid, concurrency, memory_mb, cores) values ($1, 'a-pod', 'node-9', 1, 1, 1, 1)`,
    [pool],
  );
  const state = async () =>
    (await client.get('/api/admin/worker')).body.data.find(({ id }: { id: string }) => id === pool);
  t.like(await state(), { host: 'a-pod', node: 'node-9', draining: false });
  await client.put('/api/admin/drain', { host: 'node-9' });
  t.like(await state(), { draining: true });
  await client.delete('/api/admin/drain?host=node-9');
  await w.sql('delete from workers where pool = $1', [pool]);
});

test('a drain lasts until it is ended; draining one worker requires that worker to exist', async (t) => {
  const client = await root();
  t.is((await client.put('/api/admin/drain', { worker: 'pool-nobody' })).status, 404);
  t.is((await client.put('/api/admin/drain', { worker: 'a', host: 'b' })).status, 400);
  const begun = await client.put('/api/admin/drain', { host: 'node-7' });
  t.like(begun.body.drains, [{ scope: 'host', name: 'node-7', accountId: 'root' }]);
  t.is((await client.put('/api/admin/drain', { host: 'node-7' })).body.drains.length, 1, 'once is enough');
  t.like((await client.get('/api/admin/drain')).body, { running: 0, drained: true });
  t.is((await client.delete('/api/admin/drain')).status, 404, 'not all of them');
  t.deepEqual((await client.delete('/api/admin/drain?host=node-7')).body.drains, []);
});
