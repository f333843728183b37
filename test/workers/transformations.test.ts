import test from 'ava';
import { ASCII_GRID, copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

/** Transformations from the request to the dataset. */
const w = world(test);
const worker = sharedWorker(w, { 'worker.concurrency': '2' });

const grid = { originalFileName: 'terrain.asc', readerName: 'AsciiGridReader', writerName: 'AsciiGridWriter' };
const calculate = { type: 'calculateStatisticsTransformation' };
const clip = {
  type: 'spatialFilterTransformation',
  spatialFilter: {
    geometry: 'POLYGON ((500000 5500000, 500040 5500000, 500000 5500030, 500000 5500000))',
    SRID: 25832,
  },
};
/** The terrain below the diagonal. */
const LEFT = ['1.5 -9999 -9999 -9999', '5 6.25 -9999 -9999', '9 10 11 -9999'];

async function scene() {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  await worker();
  return { client, projectId };
}

async function ended(client: Client, path: string, body: object) {
  const answer = await client.post(path, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return untilEnd(client, answer.body.id);
}

const dataset = async (client: Client, id: string) => (await client.get(`/api/metadata/dataset/${id}`)).body;

test('import, convert, update and export apply transformations; statistics stay in properties until the content changes', async (t) => {
  const { client, projectId } = await scene();
  const request = {
    ...copyRequest(projectId, await upload(w, client, ASCII_GRID), grid),
    readerParameters: [{ name: 'SRID', value: 25832 }],
    outputDatasetData: { name: 'terrain', properties: { mine: null, statistics: 'to be replaced' } },
    transformations: [{ type: 'itemFilterTransformation', itemFilter: { itemIndices: [0] } }, clip, calculate],
  };
  const imported = await untilEnd(client, (await start(client, request)).body.id);
  t.is(imported.status, 'Completed', imported.errorMessage);
  t.is(imported.recordsWritten, 12);
  const { datasetId } = imported.importResults[0];
  const made = await dataset(client, datasetId);
  t.is(made.properties.mine, null, 'what the request said stays');
  const { bands } = made.properties.statistics;
  t.like(bands[0], { band: 1, values: 6, empty: 6, minimum: 1.5, maximum: 11 });
  t.true(Math.abs(bands[0].mean - 42.75 / 6) < 1e-12);
  t.deepEqual(imported.receipt.statistics.after, made.properties.statistics);
  const { data } = (await client.get(`/api/raw/dataset/${datasetId}`)).body;
  t.deepEqual((await w.nobody.get(local(data))).raw.toString().trim().split('\n').slice(6), LEFT);

  const converted = await ended(client, `/api/metadata/dataset/${datasetId}/convert`, {
    writerName: 'GeoTiffWriter',
    outputDatasetData: { name: 'tiff' },
    readerParameters: [{ name: 'SRID', value: 25832 }],
    transformations: [calculate, { ...clip, spatialFilter: { geometry: 'POINT (500015 5500005)' } }],
  });
  t.is(converted.status, 'Completed', converted.errorMessage);
  const point = await dataset(client, converted.importResults[0].datasetId);
  t.like(point.properties.statistics.bands[0], { values: 1, empty: 0, mean: 10, standardDeviation: 0 });

  const update = { ...grid, writerName: undefined, transformations: [calculate] };
  const updated = await ended(client, `/api/metadata/dataset/${datasetId}/update`, {
    ...update,
    uploadUrl: await upload(w, client, ASCII_GRID),
  });
  t.is(updated.status, 'Completed', updated.errorMessage);
  const whole = (await dataset(client, datasetId)).properties;
  t.like(whole.statistics.bands[0], { values: 11, empty: 1, maximum: 12 });
  t.is(whole.mine, null);
  const again = { ...update, uploadUrl: await upload(w, client, ASCII_GRID), transformations: [] };
  await ended(client, `/api/metadata/dataset/${datasetId}/update`, again);
  t.deepEqual((await dataset(client, datasetId)).properties, { mine: null }, 'no statistics of what is gone');

  const own = (await dataset(client, datasetId)) as { id: string; name: string; rowVersion: string };
  const { id, name, rowVersion } = own;
  const put = await client.put(`/api/metadata/project/${projectId}/dataset`, {
    id,
    name,
    rowVersion,
    properties: { statistics: { of: 'me' } },
  });
  t.is(put.status, 200, JSON.stringify(put.body));
  await ended(client, `/api/metadata/dataset/${datasetId}/update`, {
    ...again,
    uploadUrl: await upload(w, client, ASCII_GRID),
  });
  t.deepEqual((await dataset(client, datasetId)).properties.statistics, { of: 'me' }, 'what people wrote stays');

  const nowhere = { geometry: 'POLYGON ((0 0, 1 0, 1 1, 0 0))' };
  const exported = await ended(client, `/api/metadata/dataset/${datasetId}/download-convert`, {
    writerName: 'AsciiGridWriter',
    transformations: [{ type: 'spatialFilterTransformation', spatialFilter: nowhere }],
  });
  t.is(exported.status, 'Error');
  t.is(exported.errorMessage, 'The spatial filter does not intersect the grid.');
});

test('transfers calculate items, resample cells and make features; writers follow what is made', async (t) => {
  const { client, projectId } = await scene();
  const resample = { type: 'resampleTransformation', resample: { cellSize: 20, method: 'max' } };
  const doubled = {
    type: 'calculateTransformation',
    calculate: [{ name: 'doubled', expression: '[0] * 2', unit: 'eumUmeter', item: 'eumIWaterDepth' }],
  };
  const request = async (more: object) => ({
    ...copyRequest(projectId, await upload(w, client, ASCII_GRID), grid),
    readerParameters: [{ name: 'SRID', value: 25832 }],
    ...more,
  });
  const made = await untilEnd(
    client,
    (
      await start(
        client,
        await request({ writerName: 'GeoTiffWriter', transformations: [doubled, resample, calculate] }),
      )
    ).body.id,
  );
  t.is(made.status, 'Completed', made.errorMessage);
  t.is(made.recordsRead, 12);
  const { kind, width, bands } = made.receipt.statistics.after;
  t.deepEqual([kind, width, bands[0].maximum], ['grid', 2, 24]);
  t.true(made.receipt.remarks.some((sentence: string) => sentence.includes('to 2 × 2 cells: max')));

  const contours = { type: 'contoursTransformation', contours: { levels: [5] } };
  const lines = await untilEnd(
    client,
    (await start(client, await request({ writerName: 'GeoJsonWriter', transformations: [contours] }))).body.id,
  );
  t.is(lines.status, 'Completed', lines.errorMessage);
  t.like(lines.receipt.statistics, { before: { kind: 'grid' }, after: { kind: 'features' } });

  for (const [more, member, sentence] of [
    [
      { writerName: 'Dfs0Writer', transformations: [contours] },
      'writerName',
      /Dfs0Writer cannot follow AsciiGridReader and ContoursTransformation; .*GeoJsonWriter/,
    ],
    [{ writerName: 'GeoJsonWriter' }, 'writerName', /GeoJsonWriter cannot follow AsciiGridReader; /],
    [
      { transformations: [{ type: 'resampleTransformation', resample: { like: { path: '/etc/hostname' } } }] },
      'transformations',
      /is a path on your machine\. Upload the file/,
    ],
    [
      { writerName: 'GeoJsonWriter', transformations: [contours, resample] },
      'transformations[1].type',
      /ResampleTransformation is not supported/,
    ],
  ] as const) {
    const { status, body } = await start(client, await request(more));
    t.is(status, 400, member);
    t.regex(body.errors[member].join(), sentence);
  }
});

test('FileWriter copies ignore transformations, and the log says so', async (t) => {
  const { client, projectId } = await scene();
  const url = await upload(w, client, 'words');
  const { body } = await start(
    client,
    copyRequest(projectId, url, { transformations: [clip, calculate, { type: 'x' }] }),
  );
  const transfer = await untilEnd(client, body.id);
  t.is(transfer.status, 'Completed', transfer.errorMessage);
  const log = (await client.get(`/api/conversion/transfer/${body.id}/log?level=warning`)).body.data;
  t.deepEqual(
    log.map((line: { message: string }) => line.message),
    ['FileReader to FileWriter copies the bytes; the transformations are ignored.'],
  );
  t.deepEqual((await dataset(client, transfer.importResults[0].datasetId)).properties, {});
});

test('a copy of more than a small file ignores a transformation that does not exist', async (t) => {
  const { client, projectId } = await scene();
  // small files are copied in the blob store
  const url = await upload(w, client, Buffer.alloc(2 * 2 ** 20, 'words '));
  const transformations = [{ type: 'AggregationTransformation' }];
  const { body } = await start(client, copyRequest(projectId, url, { transformations }));
  const transfer = await untilEnd(client, body.id);
  t.is(transfer.status, 'Completed', transfer.errorMessage);
  const log = (await client.get(`/api/conversion/transfer/${body.id}/log?level=warning`)).body.data;
  t.deepEqual(
    log.map((line: { message: string }) => line.message),
    ['FileReader to FileWriter copies the bytes; the transformations are ignored.'],
  );
});
