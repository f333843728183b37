import test from 'ava';
import { ASCII_GRID, copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Client, type User, world } from '../world.ts';

/** Transfers between datasets. Where a transfer must wait, no worker runs. */
const w = world(test);
const worker = switchedWorker(w, { 'worker.concurrency': '2' });

interface Scene {
  user: User;
  client: Client;
  projectId: string;
  datasetId: string;
}

/** A terrain, stored as it came. */
async function scene(): Promise<Scene> {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  await worker.start();
  return { user, client, projectId, datasetId: await imported(client, projectId) };
}

async function imported(client: Client, projectId: string, text = ASCII_GRID, writerName = 'AsciiGridWriter') {
  const url = await upload(w, client, text);
  const data = { name: 'terrain', description: 'of long ago', metadata: { kept: null }, properties: { a: 1 } };
  const wish = { originalFileName: 'terrain.asc', outputDatasetData: data, readerName: 'AsciiGridReader', writerName };
  const { body } = await start(client, copyRequest(projectId, url, wish));
  const ended = await untilEnd(client, body.id);
  return ended.importResults[0].datasetId as string;
}

async function textOf(client: Client, datasetId: string): Promise<string> {
  const { body } = await client.get(`/api/raw/dataset/${datasetId}`);
  return (await w.nobody.get(local(body.data))).raw.toString();
}

const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;
const RAISED = ASCII_GRID.replace('1.5 2 3 4', '11.5 12 13 14');

test.serial('convert reads a dataset and writes it as a new one; the reader follows from its format', async (t) => {
  const { client, projectId, datasetId } = await scene();
  const other = await newProject(client, 'Other');
  const { status, body } = await client.post(dataset(datasetId, '/convert'), {
    writerName: 'GeoTiffWriter',
    outputDatasetData: { name: 'tiff', description: 'made', metadata: { of: datasetId } },
    outputProjectId: other,
    readerParameters: [{ name: 'SRID', value: 25832 }],
  });
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { type: 'Conversion', format: 'geotiff', status: 'Pending' });
  const ended = await untilEnd(client, body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is(ended.importResults.length, 1);
  t.is(ended.importResults[0].projectId, other);
  t.is(ended.exportParameters.datasetId, datasetId);
  t.is(ended.exportParameters.readerName, 'AsciiGridReader');
  const made = (await client.get(dataset(ended.importResults[0].datasetId))).body;
  t.like(made, { name: 'tiff', description: 'made', datasetFormat: 'geotiff', projectId: other });
  t.is(made.spatialInformation.srid, 25832);

  const here = await client.post(dataset(datasetId, '/convert'), {
    writerName: 'AsciiGridWriter',
    outputDatasetData: { name: 'copy' },
  });
  const copied = await untilEnd(client, here.body.id);
  t.is(copied.importResults[0].projectId, projectId, "without outputProjectId the dataset's own project");
  t.is(await textOf(client, copied.importResults[0].datasetId), await textOf(client, datasetId));
});

test.serial(
  'update replaces the content, keeps id, name and metadata, raises rowVersion; importResults names it',
  async (t) => {
    const { client, projectId, datasetId } = await scene();
    const before = (await client.get(dataset(datasetId))).body;
    const { status, body } = await client.post(dataset(datasetId, '/update'), {
      originalFileName: 'raised.asc',
      uploadUrl: await upload(w, client, RAISED),
      readerName: 'AsciiGridReader',
    });
    t.is(status, 200, JSON.stringify(body));
    t.like(body, { type: 'Update', format: 'asciigrid' });
    const ended = await untilEnd(client, body.id);
    t.is(ended.status, 'Completed', ended.errorMessage);
    t.deepEqual(ended.importResults, [{ projectId, datasetId }]);
    const after = (await client.get(dataset(datasetId))).body;
    for (const member of [
      'id',
      'name',
      'description',
      'metadata',
      'properties',
      'createdAt',
      'createdBy',
      'datasetFormat',
    ])
      t.deepEqual(after[member], before[member], member);
    t.not(after.rowVersion, before.rowVersion);
    t.true(after.updatedAt > before.updatedAt);
    t.regex(await textOf(client, datasetId), /11\.5 12 13 14/);
    t.is(after.storageSize, (await textOf(client, datasetId)).length);

    const tiff = await client.post(dataset(datasetId, '/update'), {
      originalFileName: 'raised.asc',
      uploadUrl: await upload(w, client, RAISED),
      readerName: 'AsciiGridReader',
      writerName: 'GeoTiffWriter',
    });
    t.is(tiff.status, 400, 'the format stays');
    t.regex(tiff.body.errors.writerName[0], /GeoTiffWriter writes 'geotiff'.*'asciigrid'/);
  },
);

test.serial('update/{targetId} reads one dataset and replaces another; its body may be empty', async (t) => {
  const { client, projectId, datasetId } = await scene();
  const raised = await imported(client, projectId, RAISED, 'GeoTiffWriter');
  const answer = await client.post(dataset(raised, `/update/${datasetId}`));
  t.is(answer.status, 200, JSON.stringify(answer.body));
  const ended = await untilEnd(client, answer.body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is(ended.type, 'Update');
  t.deepEqual(ended.importResults, [{ projectId, datasetId }]);
  t.regex(await textOf(client, datasetId), /11\.5 12 13 14/);
  t.is((await client.post(dataset(datasetId, `/update/${datasetId}`))).status, 400);
});

test.serial(
  'a dataset that a transfer writes is locked against all others; readers share it and block writers and deletion',
  async (t) => {
    const { client, projectId, datasetId } = await scene();
    await worker.stop();
    const convert = () =>
      client.post(dataset(datasetId, '/convert'), { writerName: 'GeoTiffWriter', outputDatasetData: { name: 'x' } });
    const download = () => client.post(dataset(datasetId, '/download-convert'), { writerName: 'GeoTiffWriter' });
    const update = async () =>
      client.post(dataset(datasetId, '/update'), {
        originalFileName: 'raised.asc',
        uploadUrl: await upload(w, client, RAISED),
        readerName: 'AsciiGridReader',
      });
    const refused = (answer: { status: number; body: { code: string } }, why: string) =>
      t.deepEqual([answer.status, answer.body.code], [409, 'DatasetLocked'], why);

    const readers = [await convert(), await download(), await convert()].map((answer) => answer.body.id as string);
    refused(await update(), 'readers block a writer');
    refused(await client.delete(dataset(datasetId)), 'readers block deletion');
    const grant = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${datasetId}`);
    const put = () => w.nobody.put(`/api/blob/dataset/${datasetId}?${grant.body.data}`, Buffer.from(RAISED));
    refused(await put(), 'readers block bytes put to the address');
    for (const id of readers) t.is((await client.post(`/api/conversion/transfer/${id}/cancel`)).status, 202);

    const writer = (await update()).body.id;
    refused(await convert(), 'a writer blocks conversion');
    refused(await download(), 'a writer blocks download');
    refused(await update(), 'a writer blocks another');
    refused(await put(), 'a writer blocks bytes put to the address');
    refused(await client.delete(dataset(datasetId)), 'a writer blocks deletion');
    t.is((await client.post(`/api/conversion/transfer/${writer}/cancel`)).status, 202);
    t.is((await client.delete(dataset(datasetId))).status, 204, 'what has ended holds nothing');
  },
);

test.serial('of twenty concurrent readers and writers, one writes the dataset or many read it', async (t) => {
  const { client, datasetId } = await scene();
  await worker.stop();
  const places = await Promise.all(Array.from({ length: 10 }, () => upload(w, client, RAISED)));
  const answers = await Promise.all(
    places.flatMap((uploadUrl) => [
      client.post(dataset(datasetId, '/update'), {
        originalFileName: 'r.asc',
        uploadUrl,
        readerName: 'AsciiGridReader',
      }),
      client.post(dataset(datasetId, '/download-convert'), { writerName: 'GeoTiffWriter' }),
    ]),
  );
  const begun = answers.filter(({ status }) => status === 200).map(({ body }) => body.type as string);
  t.true(begun.length > 0);
  if (begun.includes('Update')) t.is(begun.length, 1);
  t.true(
    answers.every(({ status }) => status === 200 || status === 409),
    JSON.stringify(answers.map((a) => a.status)),
  );
});

test.serial(
  'retry is a new transfer with retryOf and the same input, also when the staged file was deleted; only from Error',
  async (t) => {
    const user = await w.account();
    const client = w.as(user);
    const projectId = await newProject(client);
    const place = await upload(w, client, 'text');
    const first = (await start(client, copyRequest(projectId, place))).body.id;
    t.is((await client.post(`/api/conversion/transfer/${first}/retry`)).status, 409, 'it waits');
    await client.post(`/api/conversion/transfer/${first}/cancel`);
    await w.nobody.delete(local(place));
    const again = await client.post(`/api/conversion/transfer/${first}/retry`);
    t.is(again.status, 202, JSON.stringify(again.body));
    t.not(again.body.id, first);
    await worker.start();
    const ended = await untilEnd(client, again.body.id);
    t.is(ended.status, 'Completed', ended.errorMessage);
    t.is(ended.retryOf, first);
    t.is(await textOf(client, ended.importResults[0].datasetId), 'text');
    t.is((await client.get(`/api/conversion/transfer/${first}`)).body.status, 'Error', 'an end is for ever');
    const completed = await client.post(`/api/conversion/transfer/${again.body.id}/retry`);
    t.is(completed.status, 409);
    t.is(completed.body.code, 'TransferNotFailed');
  },
);

test.serial('retry of an import whose file is gone is refused with a sentence', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  // no worker has this label: the transfer waits until it is cancelled
  const request = copyRequest(projectId, await upload(w, client, 'text'), { requiredLabels: ['gpu'] });
  const { id } = (await start(client, request)).body;
  t.is((await client.post(`/api/conversion/transfer/${id}/cancel`)).status, 202);
  await w.sql(
    'update staged_blobs set blob = null, size = null where name = (select staged_blob from transfers where id = $1)',
    [id],
  );
  const { status, body } = await client.post(`/api/conversion/transfer/${id}/retry`);
  t.is(status, 409);
  t.is(body.code, 'InputGone');
  t.regex(body.detail, /notes\.txt.*Upload it again/);
});
