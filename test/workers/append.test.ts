import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { asJson, collection, feature, geometryOf, type Json, toShape } from '../formats/features.ts';
import { converted } from '../formats/files.ts';
import { newDataset } from '../world/content.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Answer, type Client, type User, world } from '../world.ts';

/** Appending as a client does it. Where a transfer must wait, no worker runs. */
const w = world(test);
const worker = switchedWorker(w, { 'worker.concurrency': '2' });

const well = (x: number, properties: object) => feature(geometryOf('Point', [x, 50]), properties);
const WELLS = collection([well(9, { name: 'A', depth: 12 }), well(10, { name: 'B', depth: 7 })]);
const MORE = collection([well(11, { name: 'C', depth: 3 })]);

interface Scene {
  user: User;
  client: Client;
  projectId: string;
  datasetId: string;
}

/** Wells, imported as this format. */
async function scene(writerName = 'GeoJsonWriter', content = WELLS): Promise<Scene> {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  await worker.start();
  const outputDatasetData = { name: 'wells', description: 'of old', metadata: { kept: null }, properties: { a: 1 } };
  const wish = { originalFileName: 'wells.json', outputDatasetData, readerName: 'GeoJsonReader', writerName };
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, content), wish));
  const ended = await untilEnd(client, body.id);
  return { user, client, projectId, datasetId: ended.importResults[0].datasetId };
}

const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;

async function append(client: Client, id: string, content: string | Buffer, more: object = {}, query = '') {
  const request = { originalFileName: 'more.json', readerName: 'GeoJsonReader', ...more };
  return client.post(dataset(id, `/append${query}`), { uploadUrl: await upload(w, client, content), ...request });
}

async function ended(t: ExecutionContext, client: Client, { status, body }: Answer) {
  t.is(status, 200, JSON.stringify(body));
  return untilEnd(client, body.id);
}

async function bytesOf(client: Client, datasetId: string): Promise<Buffer> {
  const { body } = await client.get(`/api/raw/dataset/${datasetId}`);
  return (await w.nobody.get(local(body.data))).raw;
}

const featuresOf = async (client: Client, datasetId: string) =>
  (JSON.parse((await bytesOf(client, datasetId)).toString()) as Json).features;

test.serial(
  'append adds the features of a file and keeps id, name and metadata; rowVersion increases, and the receipt has counts',
  async (t) => {
    const { client, projectId, datasetId } = await scene();
    const before = (await client.get(dataset(datasetId))).body;
    const put = { ...before, temporalInformation: { startTime: '2020-01-01T00:00:00Z' } };
    const { rowVersion } = (await client.put(`/api/metadata/project/${projectId}/dataset`, put)).body;
    const answer = await append(client, datasetId, MORE);
    t.like(answer.body, { type: 'Append', format: 'geojson', status: 'Pending' });
    const transfer = await ended(t, client, answer);
    t.is(transfer.status, 'Completed', transfer.errorMessage);
    t.deepEqual(transfer.importResults, [{ projectId, datasetId }]);
    t.like(transfer.importParameters, {
      fileName: 'more.json',
      appendDatasetId: datasetId,
      writerName: 'GeoJsonWriter',
    });
    t.deepEqual(transfer.receipt.appended, { present: 2, added: 1 });
    t.deepEqual([transfer.recordsRead, transfer.recordsWritten], [1, 1]);
    t.deepEqual(
      (await featuresOf(client, datasetId)).map(({ properties }) => properties.name),
      ['A', 'B', 'C'],
    );
    const after = (await client.get(dataset(datasetId))).body;
    for (const name of ['id', 'name', 'description', 'metadata', 'properties', 'createdAt', 'datasetFormat'])
      t.deepEqual(after[name], before[name], name);
    t.is(Number(after.rowVersion), Number(rowVersion) + 1);
    t.deepEqual(after.temporalInformation, put.temporalInformation);
    t.regex(after.spatialInformation.location, /9 50.*11 50/);
    t.is(after.storageSize, (await bytesOf(client, datasetId)).length);
  },
);

test.serial('a shapefile takes shapefiles and GeoJSON, in any coordinate system', async (t) => {
  const { client, datasetId } = await scene('ShapefileWriter');
  const zip = (await converted(t, MORE, toShape)).bytes;
  const first = await ended(t, client, await append(client, datasetId, zip, { readerName: 'ShapefileReader' }));
  t.is(first.status, 'Completed', first.errorMessage);
  const utm = collection([feature(geometryOf('Point', [500000, 5538630.7028]), { NAME: 'D', depth: 1 })]);
  const parameters = { readerParameters: [{ name: 'SRID', value: 25832 }] };
  const second = await ended(t, client, await append(client, datasetId, utm, parameters));
  t.is(second.status, 'Completed', second.errorMessage);
  t.deepEqual([second.receipt.crs.from, second.receipt.crs.to], ['EPSG:25832', 'EPSG:4326']);
  t.deepEqual(second.receipt.appended, { present: 3, added: 1 });
  const { json } = await asJson(t, await bytesOf(client, datasetId));
  t.deepEqual(
    json.features.map(({ properties }) => properties),
    [
      { name: 'A', depth: 12 },
      { name: 'B', depth: 7 },
      { name: 'C', depth: 3 },
      { name: 'D', depth: 1 },
    ],
  );
  const [x, y] = json.features[3]!.geometry!.coordinates as [number, number];
  t.true(Math.abs(x - 9) < 1e-6 && Math.abs(y - 50) < 1e-6, `${x} ${y}`);
});

test.serial('features that do not fit end the transfer in Error; the dataset is unchanged and unlocked', async (t) => {
  const { client, datasetId } = await scene('ShapefileWriter');
  const before = [await bytesOf(client, datasetId), (await client.get(dataset(datasetId))).body.rowVersion];
  const line = geometryOf('LineString', [
    [1, 2],
    [3, 4],
  ]);
  for (const [content, sentence] of [
    [collection([well(1, { colour: 'red' })]), /^The dataset has no field 'colour'; it has 'name', 'depth'\.$/],
    [collection([feature(line, { name: 'C' })]), /^Feature 1 is a LineString; the dataset can only hold Point\.$/],
    [collection([well(1, { depth: 'deep' })]), /^Feature 1 has 'deep' in 'depth'; the field of the dataset holds/],
    ['no GeoJSON', /GeoJSON/i],
  ] as const) {
    const transfer = await ended(t, client, await append(client, datasetId, content));
    t.is(transfer.status, 'Error');
    t.regex(transfer.errorMessage, sentence);
    t.is(transfer.importResults, undefined);
  }
  t.deepEqual([await bytesOf(client, datasetId), (await client.get(dataset(datasetId))).body.rowVersion], before);
  const skipping = { onBadRecord: 'skip' };
  const mixed = collection([feature(line, { name: 'C' }), well(11, { name: 'D' })]);
  const transfer = await ended(t, client, await append(client, datasetId, mixed, skipping));
  t.like(transfer, { status: 'Completed', recordsSkipped: 1, receipt: { appended: { present: 2, added: 1 } } });
  t.truthy(transfer.badRecordsUrl);
});

test.serial('formats without append rules cannot append: 400 with the name of the writer', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  for (const [datasetFormat, writer] of [
    ['asciigrid', 'AsciiGridWriter'],
    ['geotiff', 'GeoTiffWriter'],
    ['file', 'FileWriter'],
  ] as const) {
    const id = await newDataset(w, projectId, user, { datasetFormat });
    const { status, body } = await append(client, id, MORE);
    t.is(status, 400);
    t.is(body.detail, `${writer} cannot append.`);
    t.deepEqual(body.errors, { writerName: [`${writer} cannot append.`] });
  }
  const { data } = (await client.get('/api/conversion/writer/list')).body;
  t.deepEqual(data.flatMap((one: { name: string; canAppend: boolean }) => (one.canAppend ? [one.name] : [])).sort(), [
    'CsvWriter',
    'Dfs0Writer',
    'Dfs1Writer',
    'Dfs2Writer',
    'Dfs3Writer',
    'DfsuWriter',
    'GISWriter',
    'GeoJsonWriter',
    'GeoPackageWriter',
    'MDWriter',
    'NetCdfWriter',
    'ShapefileWriter',
    'TSWriter',
    'TilingWriter',
  ]);
});

test.serial(
  'append needs canUpdateContent, also when it is retried; originalFileName is required since version 2',
  async (t) => {
    // a transfer that it has begun may end before it is cancelled, and could not be retried by anybody
    await worker.stop();
    const [owner, helper] = [await w.account(), await w.account()];
    const client = w.as(owner);
    const projectId = await newProject(client, 'River', [{ user: helper, role: 'Contributor' }]);
    const id = await newDataset(w, projectId, owner, { datasetFormat: 'geojson', content: WELLS });
    const begun = await append(w.as(helper), id, MORE);
    t.is(begun.status, 200, JSON.stringify(begun.body));
    await client.post(`/api/conversion/transfer/${begun.body.id}/cancel`);
    const members = (role: string) => [
      { userId: owner.userId, role: 'Owner' },
      { userId: helper.userId, role },
    ];
    const set = await client.put(`/api/metadata/project/${projectId}/member`, { members: members('Reader') });
    t.true(set.status < 300, JSON.stringify(set.body));
    t.is((await append(w.as(helper), id, MORE)).status, 403);
    t.is((await w.as(helper).post(`/api/conversion/transfer/${begun.body.id}/retry`)).status, 403);
    t.is((await append(w.as(await w.account()), id, MORE)).status, 404);

    const nameless = { originalFileName: undefined };
    const { status, body } = await append(client, id, MORE, nameless);
    t.deepEqual([status, Object.keys(body.errors ?? {})], [400, ['originalFileName']]);
    const old = await append(client, id, MORE, nameless, '?api-version=1');
    t.is(old.status, 200, JSON.stringify(old.body));
  },
);

test.serial('an append locks its dataset like a replacement; a dry run takes no lock', async (t) => {
  const { client, datasetId } = await scene();
  await worker.stop();
  const refused = ({ status, body }: Answer, why: string) =>
    t.deepEqual([status, body.code], [409, 'DatasetLocked'], why);
  const dry = await append(client, datasetId, MORE, {}, '?dryRun=true');
  t.deepEqual(dry.body, { valid: true, warnings: [] });
  const download = () => client.post(dataset(datasetId, '/download-convert'), { writerName: 'GeoJsonWriter' });
  const reader = (await download()).body.id;
  refused(await append(client, datasetId, MORE), 'a reader');
  await client.post(`/api/conversion/transfer/${reader}/cancel`);
  const writer = (await append(client, datasetId, MORE)).body.id;
  refused(await append(client, datasetId, MORE), 'another one');
  refused(await download(), 'reading');
  refused(await client.delete(dataset(datasetId)), 'deletion');
  await client.post(`/api/conversion/transfer/${writer}/cancel`);
  const again = await client.post(`/api/conversion/transfer/${writer}/retry`);
  t.is(again.status, 202, JSON.stringify(again.body));
  await worker.start();
  const transfer = await untilEnd(client, again.body.id);
  t.like(transfer, { status: 'Completed', type: 'Append', retryOf: writer });
  t.is((await featuresOf(client, datasetId)).length, 3, 'once, by the second one');
});

test.serial('the size of the dataset counts towards the scratch space and the estimates of an append', async (t) => {
  const many = collection(Array.from({ length: 8 }, (_, n) => well(n, { name: `well ${n}` })));
  const { client, datasetId } = await scene('GeoJsonWriter', many);
  const { length } = await bytesOf(client, datasetId);
  // each of the two would have room
  const room = (length + MORE.length - 1) / 2 ** 30;
  const tight = await ended(t, client, await append(client, datasetId, MORE, { storageSizeGb: room }));
  t.is(tight.errorMessage, `The conversion needed more than its ${room} GB of scratch space.`);
  await worker.stop();
  await w.sql('update datasets set storage_size = 600 * 1024 * 1024 where id = $1', [datasetId]);
  const { body } = await append(client, datasetId, MORE);
  const [row] = await w.sql<{ flags: string[] }>('select flags from transfers where id = $1', [body.id]);
  t.deepEqual(row?.flags, ['memory~2048', 'scratch~4']);
});

test.serial('ten concurrent appends are serialized, and each is counted once', async (t) => {
  const { client, datasetId } = await scene();
  const places = await Promise.all(Array.from({ length: 10 }, () => upload(w, client, MORE)));
  const request = { originalFileName: 'more.json', readerName: 'GeoJsonReader' };
  const answers = await Promise.all(
    places.map((uploadUrl) => client.post(dataset(datasetId, '/append'), { ...request, uploadUrl })),
  );
  const begun = answers.filter(({ status }) => status === 200);
  t.true(begun.length > 0 && answers.every(({ status }) => status === 200 || status === 409));
  for (const answer of begun) t.is((await ended(t, client, answer)).status, 'Completed');
  t.is((await featuresOf(client, datasetId)).length, 2 + begun.length);
});

test.serial('a worker killed during an append leaves the dataset unchanged; its successor appends once', async (t) => {
  const many = (from: number, count: number) =>
    collection(Array.from({ length: count }, (_, n) => well((from + n) / 10_000, { n: from + n })));
  const { client, datasetId } = await scene('ShapefileWriter', many(0, 3000));
  const before = await bytesOf(client, datasetId);
  const { rowVersion } = (await client.get(dataset(datasetId))).body;
  await worker.stop();
  const { body } = await append(client, datasetId, many(3000, 1000));
  // the commit waits for this lock, so that no attempt is over before its worker is killed
  const holder = new pg.Client(w.url);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from datasets where id = $1 for no key update', [datasetId]);
  const begun = (attempt: number) =>
    w.sql(`select from transfers where id = $1 and status = 'InProgress' and attempt = $2`, [body.id, attempt]);
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  const committing = () => w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0]?.pid]);
  try {
    for (const [attempt, reached] of [
      [1, () => begun(1)],
      [2, committing],
    ] as const) {
      const mortal = await startWorker(w, { 'log.level': 'fatal' });
      while ((await reached()).length === 0) await sleep(10);
      mortal.process.kill('SIGKILL');
      await mortal.ended;
      // a backend that waits for a lock does not notice that its client is gone
      await w.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'platform work'`,
      );
      await w.untilLeft('platform work');
      t.is((await begun(attempt)).length, 1, `attempt ${attempt} was under way`);
      t.deepEqual(await bytesOf(client, datasetId), before, 'the old content is whole');
    }
  } finally {
    await holder.end();
  }
  await worker.start();
  const transfer = await untilEnd(client, body.id);
  t.is(transfer.status, 'Completed', transfer.errorMessage);
  t.true(transfer.attempt > 1);
  t.deepEqual(transfer.receipt.appended, { present: 3000, added: 1000 });
  const { json } = await asJson(t, await bytesOf(client, datasetId));
  t.deepEqual(
    json.features.map(({ properties }) => properties.n),
    Array.from({ length: 4000 }, (_, n) => n),
  );
  t.is(Number((await client.get(dataset(datasetId))).body.rowVersion), Number(rowVersion) + 1);
});
