import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { axes, dfsBytes } from '../formats/dfs/dfs-bytes.ts';
import { newDataset } from '../world/content.ts';
import { newSeries, newSeriesDataset } from '../world/series.ts';
import { ASCII_GRID, newProject, start, upload } from '../world/transfers.ts';
import { ownWorld, world } from '../world.ts';

const server = createServer((request, response) => {
  if (request.url === '/valley.asc') response.end(ASCII_GRID);
  else response.writeHead(404).end();
});

const w = world(test);
const settings = { 'outbound.allow': '' };
// before the world is made: its settings name the port
test.serial.before('another server', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  settings['outbound.allow'] = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
const near = ownWorld(test, settings);
test.after.always('another server', () => server.close());

const url = '/api/conversion/inspect';
const depth = dfsBytes({
  projection: ['UTM-33', 15, 55, 0],
  time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
  items: [{ name: 'Depth', axis: axes.plane(3, 2), steps: [0, 1].map((step) => [1, 2, 3, 4, 5, 6 + step]) }],
});

test('inspect tells what a dataset contains, and what each writer keeps and loses of it', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const datasetId = await newDataset(w, projectId, owner, { content: depth, datasetFormat: 'dfs2' });
  const { status, body, headers } = await client.post(url, { datasetId });
  t.is(status, 200, JSON.stringify(body));
  t.is(headers['cache-control'], 'no-store');
  t.like(body, { format: 'dfs2', reader: 'Dfs2Reader', kind: 'grid', width: 3, height: 2, size: depth.length });
  t.like(body.time, { steps: 2, interval: 60 });
  t.like(body.limits, { seconds: 30, memoryMb: 1024 });
  t.true(body.transformations.includes('ResampleTransformation'));
  const writer = (name: string) => body.writers.find((one: { name: string }) => one.name === name);
  const ascii = writer('AsciiGridWriter');
  t.true(ascii.loses.some((one: string) => one.includes('only the first of 2 steps')));
  t.false(ascii.keeps.some((one: string) => one.includes('coordinate system')));
  t.true(writer('Dfs2Writer').keeps.includes('the times of 2 steps'));
  t.deepEqual(writer('Dfs2Writer').loses, []);
  // no value was read
  t.is(body.bands[0].minimum, undefined);
  t.true(body.remarks.some((one: string) => one.includes('only the values tell')));
});

test('with statistics an inspection reads the values; receipts name the losses that it has told', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const uploadUrl = await upload(w, client, ASCII_GRID);
  const asked = { uploadUrl, originalFileName: 'valley.asc', readerParameters: [{ name: 'SRID', value: 25832 }] };
  const { status, body } = await client.post(url, { ...asked, statistics: true });
  t.is(status, 200, JSON.stringify(body));
  t.like(body.bands[0], { values: 11, empty: 1, minimum: 1.5, maximum: 12 });
  t.is(body.crs.srid, 'EPSG:25832');
  const refuses = new Map(body.writers.map((one: { name: string; refuses?: string }) => [one.name, one.refuses]));
  t.is(refuses.get('GeoTiffWriter'), undefined);
  t.is(refuses.get('Dfs1Writer'), 'A DFS1 file holds one row of values, but the grid has 3.');
  const projectId = await newProject(client);
  const given = { ...asked, projectId, readerName: body.reader, outputDatasetData: { name: 'Valley' } };
  t.is((await start(client, { ...given, writerName: 'Dfs1Writer' })).status, 200, 'only the data refuse it');
});

test('what no reader knows is bytes; a broken file is 422 with the sentence of its reader', async (t) => {
  const client = w.as(await w.account());
  const unknown = await client.post(url, { uploadUrl: await upload(w, client, Buffer.from([0, 1, 2, 3])) });
  t.is(unknown.status, 200, JSON.stringify(unknown.body));
  t.like(unknown.body, { reader: 'FileReader', kind: 'bytes' });
  t.deepEqual(unknown.body.writers, [{ name: 'FileWriter', format: 'file', keeps: ['all bytes'], loses: [] }]);
  const broken = await client.post(url, {
    uploadUrl: await upload(w, client, ASCII_GRID.slice(0, 60)),
    readerName: 'AsciiGridReader',
  });
  t.is(broken.status, 422, JSON.stringify(broken.body));
});

test('the start of an upload is inspected, and says what else the reader needs', async (t) => {
  const client = w.as(await w.account());
  const large = dfsBytes({
    projection: ['UTM-33', 15, 55, 0],
    time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
    items: [{ name: 'Depth', axis: axes.plane(200, 200), steps: [0, 1].map(() => Array(40_000).fill(1)) }],
  });
  const uploadUrl = await upload(w, client, large.subarray(0, 1 << 17));
  const { status, body } = await client.post(url, { uploadUrl, size: large.length });
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { format: 'dfs2', kind: 'grid', width: 200, size: large.length, needsMore: undefined });
  t.true(body.writers.length > 5);
  const grid = await client.post(url, { uploadUrl: await upload(w, client, ASCII_GRID), size: 100_000 });
  t.is(grid.status, 200, JSON.stringify(grid.body));
  t.like(grid.body, { size: 100_000, writers: undefined });
  t.is(grid.body.needsMore.from, ASCII_GRID.length);
  t.truthy(grid.body.limits);
  const size = large.length;
  for (const wrong of [
    { uploadUrl, size: 10 },
    { uploadUrl, size, statistics: true },
    { url: 'https://a.example/', size },
  ])
    t.is((await client.post(url, wrong)).status, 400, JSON.stringify(wrong));
});

test('an inspection leaves the upload and the database as they are', async (t) => {
  const client = w.as(await w.account());
  const uploadUrl = await upload(w, client, ASCII_GRID);
  t.is((await client.post(url, { uploadUrl })).status, 200);
  const again = await w.nobody.put(uploadUrl.replace(/^https?:\/\/[^/]+/, ''), Buffer.from('replaced'));
  t.is(again.status, 201);
});

test('uploads and datasets of others are 404, and requests without one input are 400', async (t) => {
  const owner = w.as(await w.account());
  const stranger = w.as(await w.account({ tenantId: await w.tenant() }));
  const uploadUrl = await upload(w, owner, ASCII_GRID);
  t.is((await stranger.post(url, { uploadUrl })).status, 404);
  t.is((await stranger.post(url, { datasetId: '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10' })).status, 404);
  t.is((await owner.post(url, {})).status, 400);
  t.is((await owner.post(url, { uploadUrl, url: 'https://data.example/a' })).status, 400);
  const wrong = await owner.post(url, { uploadUrl, readerName: 'NoReader' });
  t.is(wrong.status, 400);
  t.truthy(wrong.body.errors.readerName, JSON.stringify(wrong.body));
  t.is((await owner.post(url, { uploadUrl, readerName: 'TSReader' })).status, 400);
});

test('addresses of other servers pass the filter of imports', async (t) => {
  const client = w.as(await w.account());
  for (const address of ['http://127.0.0.1/a', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'nonsense'])
    t.is((await client.post(url, { url: address })).status, 400, address);
});

test('a file of an allowed server is inspected, and one that the server does not have is named', async (t) => {
  const client = near.as(await near.account());
  const place = settings['outbound.allow'];
  const { status, body } = await client.post(url, { url: `http://${place}/valley.asc` });
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { reader: 'AsciiGridReader', width: 4, height: 3 });
  const missing = await client.post(url, { url: `http://${place}/none` });
  t.true(missing.status >= 400 && missing.status < 500, JSON.stringify(missing.body));
});

test('a dataset of time series tells its items, without and with statistics', async (t) => {
  const client = w.as(await w.account());
  const { id, url: dataset } = await newSeriesDataset(client);
  const series = await newSeries(client, dataset);
  const csv = '2020-01-01T00:00:00;1.5\n2020-01-01T01:00:00;2.5\n';
  const written = await client.post(`${series}/upload/csv`, csv, { 'content-type': 'text/csv' });
  t.is(written.status, 204, JSON.stringify(written.body));
  const plain = await client.post(url, { datasetId: id });
  t.is(plain.status, 200, JSON.stringify(plain.body));
  t.like(plain.body, { reader: 'TSReader', kind: 'series', items: [{ name: 'Level' }] });
  const { body } = await client.post(url, { datasetId: id, statistics: true });
  t.like(body.items[0], { name: 'Level', minimum: 1.5, maximum: 2.5 });
  t.is((await client.post(url, { datasetId: id, readerName: 'CsvReader' })).status, 400);
});

test('time series are inspected without their values', async (t) => {
  const client = w.as(await w.account());
  const csv = 'time,Level [m]\r\n2020-01-01T00:00:00,1.5\r\n2020-01-01T01:00:00,2\r\n';
  const { status, body } = await client.post(url, { uploadUrl: await upload(w, client, csv) });
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { reader: 'CsvReader', kind: 'series' });
  t.is(body.items[0].minimum, undefined);
  t.true(body.writers.some((one: { name: string }) => one.name === 'TSWriter'));
});
