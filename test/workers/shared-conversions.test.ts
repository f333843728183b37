import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { newDataset } from '../world/content.ts';
import { ASCII_GRID, newProject, sharePath } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { ownWorld, type User, type World, world } from '../world.ts';

/** Conversions by links to datasets. Where one must wait, no worker runs. */
const w = world(test);
const worker = switchedWorker(w);
const priced = ownWorld(test, { 'credits.prices': 'CsvWriter=5' });

async function shared(t: ExecutionContext, downloads = 'Formats', here: World = w) {
  const owner = await here.account({ tenantId: await here.tenant(), role: 'Owner' });
  const client = here.as(owner);
  const projectId = await newProject(client);
  const file = { name: 'Valley', datasetFormat: 'asciigrid', content: ASCII_GRID };
  const datasetId = await newDataset(here, projectId, owner, file);
  const made = await client.post(`/api/metadata/dataset/${datasetId}/share`, { downloads });
  t.is(made.status, 201, JSON.stringify(made.body));
  return { owner, client, projectId, datasetId, id: made.body.id as string, link: sharePath(made.body.url) };
}

const CSV = {
  writerName: 'CsvWriter',
  writerParameters: [{ name: 'points', value: [{ name: 'weir', x: 500005, y: 5500025 }] }],
};
const convert = (link: string, body: object = CSV) => w.nobody.post(`${link}/convert`, body);

async function untilEnded(path: string) {
  for (;;) {
    const { status, body } = await w.nobody.get(path);
    if (status !== 200 || body.status === 'Completed' || body.status === 'Error') return { status, body };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Everything that others than the link might learn of a transfer. */
async function shown(owner: User, datasetId: string, id: string) {
  const client = w.as(owner);
  const lists = [
    (await client.get('/api/conversion/transfer/list')).body.data,
    (await client.get(`/api/conversion/transfer/list?datasetId=${datasetId}`)).body.data,
  ];
  const one = [
    (await client.get(`/api/conversion/transfer/${id}`)).status,
    (await client.get(`/api/conversion/transfer/${id}/log`)).status,
    (await client.post(`/api/conversion/transfer/${id}/cancel`)).status,
    (await client.post(`/api/conversion/transfer/${id}/retry`)).status,
  ];
  const events = await w.sql('select from events where resource_id = $1', [id]);
  const counts = await w.sql('select from transfer_counts where created_by = $1 and count <> 0', [owner.userId]);
  return { lists, one, events: events.length, counts: counts.length };
}

test.serial('a link converts its dataset; only the link sees the conversion, without receipt and log', async (t) => {
  const { owner, datasetId, link, projectId } = await shared(t);
  const { formats } = (await w.nobody.get(link)).body;
  t.true(formats.some(({ writerName }: { writerName: string }) => writerName === 'CsvWriter'));
  await worker.start();
  const started = await convert(link);
  t.is(started.status, 202, JSON.stringify(started.body));
  const path = `${link}/convert/${started.body.id}`;
  const { body } = await untilEnded(path);
  t.deepEqual(body, { id: started.body.id, status: 'Completed', progress: 100, fileName: 'Valley.csv' });
  const file = await w.app.inject(`${path}/download`);
  t.is(file.statusCode, 200);
  t.regex(file.body, /weir/);
  t.is(file.headers['content-disposition'], 'attachment; filename="Valley.csv"');
  for (const secret of [owner.userId, projectId, datasetId])
    t.false(JSON.stringify([body, file.headers]).includes(secret));
  const none = { lists: [[], []], one: [404, 404, 404, 404], events: 0, counts: 0 };
  t.deepEqual(await shown(owner, datasetId, body.id), none);
  // also by another link to the same dataset
  const other = await w.as(owner).post(`/api/metadata/dataset/${datasetId}/share`, { downloads: 'Formats' });
  t.is((await w.nobody.get(`${sharePath(other.body.url)}/convert/${body.id}`)).status, 404);
  t.is((await w.nobody.get(`${sharePath(other.body.url)}/convert/${body.id}/download`)).status, 404);
  await worker.stop();
});

test.serial('a conversion that fails has a sentence, and is seen by nobody else either', async (t) => {
  const { owner, client, projectId } = await shared(t);
  const file = { name: 'Broken', datasetFormat: 'asciigrid', content: 'no grid' };
  const datasetId = await newDataset(w, projectId, owner, file);
  const { body: made } = await client.post(`/api/metadata/dataset/${datasetId}/share`, { downloads: 'Formats' });
  await worker.start();
  const { body } = await convert(sharePath(made.url));
  const ended = await untilEnded(`${sharePath(made.url)}/convert/${body.id}`);
  t.is(ended.body.status, 'Error');
  t.truthy(ended.body.errorMessage);
  t.is((await w.nobody.get(`${sharePath(made.url)}/convert/${body.id}/download`)).body.code, 'NotConverted');
  t.deepEqual(await shown(owner, datasetId, body.id), {
    lists: [[], []],
    one: [404, 404, 404, 404],
    events: 0,
    counts: 0,
  });
  await worker.stop();
});

test.serial('a flood of conversions starts five in 24 hours', async (t) => {
  const { link, id } = await shared(t);
  const answers = await Promise.all(Array.from({ length: 12 }, () => convert(link)));
  t.deepEqual(answers.map(({ status }) => status).sort(), [202, 202, 202, 202, 202, ...Array(7).fill(429)]);
  const refused = answers.find(({ status }) => status === 429)!;
  t.is(refused.body.code, 'TooManyConversions');
  t.true(Number(refused.headers['retry-after']) > 86_000);
  await w.sql(`update transfers set created_at = now() - interval '25 hours' where share_id = $1`, [id]);
  t.is((await convert(link)).status, 202);
});

test.serial('a link that ends, or whose dataset is deleted, while its conversion starts is the one 404', async (t) => {
  const unknown = (await convert('/api/share/AAAAAAAAAAAAAAAAAAAAAA')).body;
  const ends = [
    "update dataset_shares set ended_at = now(), ended_by = created_by where dataset_id = '$'",
    "update datasets set deleted_at = now(), deleted_by = created_by where id = '$'",
  ];
  for (const end of ends) {
    const { datasetId, link } = await shared(t);
    const other = new pg.Client(w.url);
    await other.connect();
    await other.query('begin');
    const { rows } = await other.query('select pg_backend_pid() as pid');
    await other.query(end.replace('$', datasetId));
    const started = convert(link);
    const waiting = () => w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0].pid]);
    while ((await waiting()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await other.query('commit');
    await other.end();
    const { status, body } = await started;
    t.deepEqual([status, body.code, body.detail], [404, 'ShareNotFound', unknown.detail], end);
  }
});

test.serial("the tenant's own transfers run before the conversions of links, and do not wait for them", async (t) => {
  const { client, datasetId, link } = await shared(t);
  const { body: first } = await convert(link);
  const { body: own } = await client.post(`/api/metadata/dataset/${datasetId}/download-convert`, CSV);
  const rows = await w.sql<{ id: string }>('select id from transfers where id in ($1, $2) order by virtual_time', [
    first.id,
    own.id,
  ]);
  t.deepEqual(
    rows.map(({ id }) => id),
    [own.id, first.id],
  );
});

test.serial('a link converts nothing but its dataset, without transformations, and only if it allows it', async (t) => {
  const { link, projectId, owner } = await shared(t);
  const other = await newDataset(w, projectId, owner);
  const like = [{ type: 'resampleTransformation', resample: { like: { datasetId: other } } }];
  const { body } = await convert(link, { ...CSV, transformations: like, datasetId: other, readerName: 'FileReader' });
  const [row] = await w.sql<{ request: { transformations: unknown[]; readerName: string }; input_dataset_id: string }>(
    'select request, input_dataset_id from transfers where id = $1',
    [body.id],
  );
  t.like(row, { request: { transformations: [], readerName: 'AsciiGridReader' } });
  t.not(row!.input_dataset_id, other);
  for (const writerName of ['TSWriter', 'FileWriter', 'NoWriter', ''])
    t.is((await convert(link, { writerName })).status, 400);
  const original = await shared(t, 'Original');
  t.is((await convert(original.link)).body.code, 'ConversionNotAllowed');
  t.is((await w.nobody.get(original.link)).body.formats, undefined);
});

test.serial('who opens a link learns nothing of the tenant when a conversion cannot start', async (t) => {
  const { link, datasetId } = await shared(t);
  const writer = randomUUID();
  await w.sql('update datasets set locked_by = $2 where id = $1', [datasetId, writer]);
  const { status, body } = await convert(link);
  t.deepEqual([status, body.code], [409, 'ConversionNotPossible']);
  t.false(JSON.stringify(body).includes(datasetId) || JSON.stringify(body).includes(writer));
});

test.serial('the end of a link ends its conversions, so that the dataset can be deleted', async (t) => {
  const { client, datasetId, id, link } = await shared(t);
  const { body } = await convert(link);
  t.is((await client.delete(`/api/metadata/dataset/${datasetId}`)).body.code, 'DatasetLocked');
  t.is((await client.delete(`/api/metadata/share/${id}`)).status, 204);
  t.is((await w.nobody.get(`${link}/convert/${body.id}`)).body.code, 'ShareNotFound');
  const [row] = await w.sql('select status, error_message from transfers where id = $1', [body.id]);
  t.deepEqual(row, { status: 'Error', error_message: 'Cancelled.' });
  t.is((await client.delete(`/api/metadata/dataset/${datasetId}`)).status, 204);
});

test.serial(
  'a project that is deleted while a conversion waits ends it; nobody sees it after a restore either',
  async (t) => {
    const { owner, client, projectId, datasetId, link } = await shared(t);
    const { body } = await convert(link);
    t.is((await client.delete(`/api/metadata/project/${projectId}`)).status, 204);
    t.is((await w.nobody.get(`${link}/convert/${body.id}`)).body.code, 'ShareNotFound');
    await w.sql('update projects set deleted_at = null, deleted_by = null where id = $1', [projectId]);
    t.is((await w.nobody.get(`${link}/convert/${body.id}`)).body.status, 'Error');
    t.deepEqual((await shown(owner, datasetId, body.id)).one, [404, 404, 404, 404]);
  },
);

test.serial('a link that ends while conversions start leaves none behind', async (t) => {
  const { client, id, link } = await shared(t);
  const [end, ...starts] = await Promise.all([
    client.delete(`/api/metadata/share/${id}`),
    convert(link),
    convert(link),
    convert(link),
  ]);
  t.is(end!.status, 204);
  for (const { status } of starts) t.true([202, 404, 409].includes(status), String(status));
  t.is((await w.sql('select from transfers where share_id = $1 and finished_at is null', [id])).length, 0);
});

test.serial('the tenant of the dataset pays; how many credits it has, the link does not tell', async (t) => {
  const { owner, link, id } = await shared(t, 'Formats', priced);
  const start = () => priced.nobody.post(`${link}/convert`, CSV);
  const poor = await start();
  t.deepEqual([poor.status, poor.body.code], [409, 'ConversionNotPossible']);
  t.is(poor.body.available, undefined);
  const tenantId = owner.tenantId;
  const billingReference = { billingReference: 'x', billingReferenceType: 'EXT' };
  const lot = { tenantId, credits: 7, expiresAt: '2999-12-31', salesOrderId: 'x', billingReference };
  const added = await priced.as(await priced.account({ roles: 'BackOffice' })).post('/api/iam/credit', lot);
  t.true(added.status < 300, JSON.stringify(added.body));
  const answers = await Promise.all([start(), start(), start()]);
  t.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
  for (const { body } of answers) t.is(body.available, undefined);
  const rows = await priced.sql('select tenant_id from transfers where share_id = $1', [id]);
  t.deepEqual(rows, [{ tenant_id: tenantId }]);
});
