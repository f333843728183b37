import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { ASCII_GRID, copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
const worker = sharedWorker(w);

async function scene() {
  await worker();
  const owner = await w.account();
  const client = w.as(owner);
  return { owner, client, projectId: await newProject(client) };
}

test('an uploaded file becomes a dataset', async (t) => {
  const { owner, client, projectId } = await scene();
  const url = await upload(w, client, 'some words');
  const output = { name: 'notes.txt', description: 'words', metadata: { a: null }, properties: { b: 1 } };
  const started = await start(client, copyRequest(projectId, url, { outputDatasetData: output }));
  t.is(started.status, 200, JSON.stringify(started.body));
  t.deepEqual(Object.keys(started.body).sort(), ['createdAt', 'createdBy', 'format', 'id', 'name', 'status', 'type']);
  t.like(started.body, { type: 'Import', format: 'file', createdBy: owner.userId });

  const ended = await untilEnd(client, started.body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is(ended.progress, 100);
  t.is(ended.attempt, 1);
  t.true(ended.finishedAt >= ended.startedAt && ended.startedAt >= ended.createdAt);
  t.is(ended.importResults.length, 1);
  t.is(ended.importResults[0].projectId, projectId);
  t.like(ended.importParameters, { fileName: 'notes.txt', readerName: 'FileReader', writerName: 'FileWriter' });
  t.false(ended.importParameters.uploadUrl.includes('?'), 'no grant in it');
  t.is(ended.receipt.input.size, 10);
  t.is(ended.receipt.input.sha256, ended.receipt.output.sha256);
  t.like(ended, { recordsRead: 1, recordsWritten: 1, recordsSkipped: 0 });

  const { datasetId } = ended.importResults[0];
  const dataset = (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
  t.like(dataset, {
    name: 'notes.txt',
    description: 'words',
    datasetType: 'file',
    datasetFormat: 'file',
    storageSize: 10,
    createdBy: owner.userId,
  });
  t.deepEqual(dataset.metadata, { a: null });
  t.deepEqual(dataset.properties, { b: 1 });
  const raw = await client.get(`/api/raw/dataset/${datasetId}`);
  t.is((await w.nobody.get(local(raw.body.data))).raw.toString(), 'some words');
});

test('the places of skipped records are there as GeoJSON, under an address that each look at the transfer renews', async (t) => {
  const { client, projectId } = await scene();
  const feature = (coordinates: unknown) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Point', coordinates },
  });
  const features = [feature([500000, 5500000]), feature(['wrong', 1]), feature([500010, 5500010])];
  const request = {
    originalFileName: 'wells.geojson',
    outputDatasetData: { name: 'wells' },
    readerName: 'GeoJsonReader',
    readerParameters: [{ name: 'SRID', value: 25832 }],
    writerName: 'ShapefileWriter',
    onBadRecord: 'skip',
  };
  const content = JSON.stringify({ type: 'FeatureCollection', features });
  const started = await start(client, copyRequest(projectId, await upload(w, client, content), request));
  const ended = await untilEnd(client, started.body.id);
  t.like(ended, { status: 'Completed', recordsWritten: 2, recordsSkipped: 1 });
  const got = await w.nobody.get(local(ended.badRecordsUrl));
  t.is(got.status, 200);
  t.is(got.headers['content-type'], 'application/geo+json');
  t.is(got.headers['content-disposition'], 'attachment; filename="wells bad records.geojson"');
  const [bad] = JSON.parse(got.raw.toString()).features;
  t.is(bad.properties.record, 2);
  t.regex(bad.properties.reason, /position is not an array of numbers/);

  const expiry = (address: string) => Date.parse(new URL(address).searchParams.get('se')!);
  await sleep(1100);
  const again = (await client.get(`/api/transfer/${started.body.id}`)).body;
  t.true(expiry(again.badRecordsUrl) > expiry(ended.badRecordsUrl));
  t.is((await w.nobody.get(local(again.badRecordsUrl))).status, 200);
  const { pathname } = new URL(ended.badRecordsUrl);
  t.is((await w.nobody.get(pathname)).status, 403, 'without its signature it is nothing');
  t.is((await w.as(await w.account()).get(`/api/transfer/${started.body.id}`)).status, 404);

  const sound = { ...request, readerParameters: [] };
  const whole = JSON.stringify({ type: 'FeatureCollection', features: [feature([1, 2])] });
  const other = await start(client, copyRequest(projectId, await upload(w, client, whole), sound));
  const done = await untilEnd(client, other.body.id);
  t.is(done.status, 'Completed');
  t.false('badRecordsUrl' in done, 'nothing was skipped');
  t.is((await w.nobody.get(local(again.badRecordsUrl).replace(started.body.id, other.body.id))).status, 403);
});

test('an imported grid is converted, and its dataset records coordinate system and extent', async (t) => {
  const { client, projectId } = await scene();
  const request = {
    ...copyRequest(projectId, await upload(w, client, ASCII_GRID)),
    originalFileName: 'terrain.asc',
    outputDatasetData: { name: 'terrain' },
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
    readerParameters: [{ name: 'srid', value: 32632 }],
    transformations: [{ type: 'crsTransformation', outputSrid: '4326' }],
  };
  const { body } = await start(client, request);
  const ended = await untilEnd(client, body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is(ended.format, 'geotiff');
  t.deepEqual(ended.importParameters.readerParameters, [{ name: 'SRID', value: 'EPSG:32632' }]);
  const { datasetId } = ended.importResults[0];
  const dataset = (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
  t.is(dataset.datasetFormat, 'geotiff');
  t.is(dataset.spatialInformation.srid, 4326);
  t.is(ended.receipt.crs.to, 'EPSG:4326');
  const bytes = await w.nobody.get(local((await client.get(`/api/raw/dataset/${datasetId}`)).body.data));
  t.is(bytes.raw.subarray(0, 2).toString(), 'II');
});

test('a dataset is exported: signed address, name with the extension not doubled, range requests', async (t) => {
  const { client, projectId } = await scene();
  const url = await upload(w, client, ASCII_GRID);
  const request = {
    ...copyRequest(projectId, url),
    originalFileName: 'terrain.asc',
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
  };
  for (const [name, fileName] of [
    ['Gelände 1', 'Gelände 1.asc'],
    ['hills.ASC', 'hills.ASC'],
  ] as const) {
    const made = await start(client, { ...request, outputDatasetData: { name } }, { prefer: 'wait=30' });
    const { importResults } = await untilEnd(client, made.body.id);
    const exported = await client.post(`/api/metadata/dataset/${importResults[0].datasetId}/download-convert`, {
      writerName: 'AsciiGridWriter',
    });
    t.like(exported.body, { type: 'Export', format: 'asciigrid' });
    const ended = await untilEnd(client, exported.body.id);
    t.is(ended.status, 'Completed', ended.errorMessage);
    t.like(ended.exportParameters, { datasetId: importResults[0].datasetId, readerName: 'GeoTiffReader' });
    t.is(ended.exportParameters.outputFileName, fileName);
    t.is(ended.importResults, undefined);
    const path = local(ended.downloadPath);
    t.true(path.startsWith(`/api/blob/export/${exported.body.id}_`), path);
    const file = await w.nobody.get(path);
    t.is(file.status, 200);
    t.true(file.raw.toString().toLowerCase().startsWith('ncols 4'), file.raw.toString());
    t.true(String(file.headers['content-disposition']).includes(encodeURIComponent(fileName)));
    const part = await w.nobody.get(path, { range: 'bytes=0-4' });
    t.is(part.status, 206);
    t.is(part.raw.length, 5);
    t.is((await w.nobody.get(path.split('?')[0]!)).status, 403, 'the address without its grant');
  }
});

test('Prefer: wait keeps the answer of the start until the transfer has ended', async (t) => {
  const { client, projectId } = await scene();
  const url = await upload(w, client, 'words');
  const wait = () => start(client, copyRequest(projectId, url), { prefer: 'respond-async, wait=60' });
  let began = performance.now();
  let started = await wait();
  // on a busy machine the transfer may take longer than the wait
  while (started.body.status !== 'Completed' && performance.now() - began >= 60_000) {
    began = performance.now();
    started = await wait();
  }
  const { headers, body } = started;
  t.is(headers['preference-applied'], 'wait=60');
  t.is(body.status, 'Completed');
  const again = await client.get(`/api/transfer/${body.id}`, { prefer: 'wait=9999' });
  t.is(again.headers['preference-applied'], 'wait=60');
  t.is(again.body.status, 'Completed');
  const plain = await client.get(`/api/transfer/${body.id}`, { prefer: 'handling=lenient' });
  t.is(plain.headers['preference-applied'], undefined);
});

test('a repeated request with the same Idempotency-Key starts one transfer; the wait comes after the commit', async (t) => {
  const { client, projectId } = await scene();
  const request = copyRequest(projectId, await upload(w, client, 'words'));
  let headers = { 'idempotency-key': 'once', prefer: 'wait=30' };
  let began = performance.now();
  let first = await start(client, request, headers);
  // on a busy machine the transfer may take longer than the wait
  while (first.body.status !== 'Completed' && performance.now() - began >= 30_000) {
    headers = { ...headers, 'idempotency-key': `after ${first.body.id}` };
    began = performance.now();
    first = await start(client, request, headers);
  }
  t.is(first.body.status, 'Completed');
  const second = await start(client, request, headers);
  t.is(second.headers['idempotent-replayed'], 'true');
  t.is(second.body.id, first.body.id);
  t.is(second.body.status, 'Pending', 'the answer of the effect is kept, not of the wait');
});

test('a file that its reader cannot read ends the transfer with an error message, and no dataset is created', async (t) => {
  const { client, projectId } = await scene();
  const url = await upload(w, client, 'no grid at all');
  const request = { ...copyRequest(projectId, url), readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };
  const { body } = await start(client, request);
  const ended = await untilEnd(client, body.id);
  t.is(ended.status, 'Error');
  t.true(ended.errorMessage.length > 10);
  t.is(ended.importResults, undefined);
  t.true(ended.progress < 100);
  const { body: list } = await client.get(`/api/metadata/project/${projectId}/dataset/list`);
  t.deepEqual(list.data, []);
  const { body: log } = await client.get(`/api/conversion/transfer/${body.id}/log?level=error`);
  t.is(log.data.at(-1).message, ended.errorMessage);
});

test('the log is a cursor page, oldest first, of a level and more severe ones', async (t) => {
  const { client, projectId } = await scene();
  const request = copyRequest(projectId, await upload(w, client, 'x'), { transformations: [{ type: 'anything' }] });
  const { body } = await start(client, request);
  t.is((await untilEnd(client, body.id)).status, 'Completed');
  const url = `/api/conversion/transfer/${body.id}/log`;
  const warnings = (await client.get(`${url}?level=warning`)).body.data;
  t.is(warnings.length, 1);
  t.regex(warnings[0].message, /transformations are ignored/);
  t.deepEqual(Object.keys(warnings[0]).sort(), ['level', 'message', 'time']);
  t.deepEqual((await client.get(`${url}?level=error`)).body.data, []);
  const all = (await client.get(url)).body.data.map((line: { message: string }) => line.message);
  t.deepEqual([all[0], all.at(-1)], ['Attempt 1 started.', 'Converted: 1 bytes read, 1 written.']);
  t.deepEqual((await client.get(`${url}?level=info`)).body.data.length, all.length);
  t.deepEqual((await client.get(`${url}?level=debug`)).body.data.length, all.length);
  t.is((await client.get(`${url}?level=loud`)).status, 400);
});

test('one uploaded file serves any number of transfers', async (t) => {
  const { client, projectId } = await scene();
  const url = await upload(w, client, 'words');
  const started = await Promise.all([1, 2, 3].map(() => start(client, copyRequest(projectId, url))));
  for (const { body } of started) t.is((await untilEnd(client, body.id)).status, 'Completed');
});

test('a transfer emits one event at its start and one with its result', async (t) => {
  const { owner, client, projectId } = await scene();
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'x')), { prefer: 'wait=30' });
  const ended = await untilEnd(client, body.id);
  const { default: pg } = await import('pg');
  const db = new pg.Client(w.url);
  await db.connect();
  const { rows } = await db.query('select * from events where resource_id = $1 order by id', [body.id]);
  await db.end();
  t.deepEqual(
    rows.map(({ type }) => type),
    ['svc.platform.events.transferstartedevent', 'svc.platform.events.transferfinishedevent'],
  );
  t.deepEqual(rows[1].data, {
    TransferId: body.id,
    Type: 'Import',
    Status: 'Completed',
    Progress: 100,
    DatasetId: ended.importResults[0].datasetId,
    ProjectId: projectId,
    CustomerGuid: owner.tenantId,
    UserId: owner.userId,
  });
  t.is(rows[1].source, '/svc/platform/transfer');
});
