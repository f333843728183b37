import test from 'ava';
import { newDataset } from '../world/content.ts';
import { newProject, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

/** How older clients start transfers. No worker runs, so what they start waits. */
const w = world(test);

async function scene() {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const importRequest = async (more: object = {}) => ({
    projectId,
    format: 'geojson',
    uploadUrl: await upload(w, client, '{}'),
    fileName: 'wells.geojson',
    ...more,
  });
  const begin = async (more: object = {}) => client.post('/api/conversion/upload', await importRequest(more));
  const shown = async (id: string) => (await client.get(`/api/conversion/transfer/${id}`)).body;
  return { user, client, projectId, importRequest, begin, shown };
}

test('upload imports into the format of the file; the dataset gets the file name unless a name is given', async (t) => {
  const { client, projectId, begin, shown } = await scene();
  const { status, body } = await begin({ arguments: null, srid: null, datasetImportData: null });
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { type: 'Import', format: 'geojson', status: 'Pending' });
  const first = await shown(body.id);
  t.is(first.projectId, projectId);
  t.like(first.importParameters, {
    fileName: 'wells.geojson',
    readerName: 'GeoJsonReader',
    writerName: 'GeoJsonWriter',
  });
  for (const name of ['srid', 'arguments', 'destinations', 'appendDatasetId'])
    t.false(name in first.importParameters, name);
  const outputs = async (id: string) =>
    (await w.sql("select request->'output' as output from transfers where id = $1", [id]))[0]!.output;
  t.like(await outputs(body.id), { name: 'wells.geojson' });

  const data = { name: 'Wells', description: 'old', metadata: { a: null }, properties: { b: 1 } };
  const told = await begin({ datasetImportData: data });
  t.deepEqual(await outputs(told.body.id), data);

  const inHeader = await client.post(
    '/api/conversion/upload',
    { format: 'file', uploadUrl: await upload(w, client, 'x'), fileName: 'x' },
    { 'svc-project-id': projectId },
  );
  t.is(inHeader.status, 200, JSON.stringify(inHeader.body));
  const nowhere = await begin({ projectId: null });
  t.deepEqual([nowhere.status, Object.keys(nowhere.body.errors)], [400, ['projectId']]);
});

test('format selects a converter by its name or its format; file copies; no format is refused', async (t) => {
  const { begin, shown } = await scene();
  for (const [format, reader, writer] of [
    ['geojson', 'GeoJsonReader', 'GeoJsonWriter'],
    ['GeoJson', 'GeoJsonReader', 'GeoJsonWriter'],
    ['ShapefileReader', 'ShapefileReader', 'ShapefileWriter'],
    ['GeoTiffWriter', 'GeoTiffReader', 'GeoTiffWriter'],
    ['file', 'FileReader', 'FileWriter'],
  ]) {
    const { body } = await begin({ format });
    const { readerName, writerName } = (await shown(body.id)).importParameters;
    t.deepEqual([readerName, writerName], [reader, writer], format);
  }
  const { status, body } = await begin({ format: 'dgn' });
  t.is(status, 400);
  t.regex(body.errors.format[0], /^Format 'dgn' cannot be read\. Use one of file, .*geojson, .*dfsu, .*\.$/);
});

test('srid, arguments and destinations are stored as sent, and become parameters and transformations', async (t) => {
  const { user, client, projectId, begin, shown } = await scene();
  const words = { srid: 25832, destinations: ['Project'], arguments: { layer: 'wells' } };
  const started = await begin({ format: 'shapefile', ...words });
  t.is(started.status, 200, JSON.stringify(started.body));
  const { importParameters } = await shown(started.body.id);
  t.like(importParameters, words);
  const parameters = importParameters.readerParameters as { name: string; value: unknown }[];
  t.deepEqual(Object.fromEntries(parameters.map(({ name, value }) => [name, value])), {
    Layer: 'wells',
    SRID: 'EPSG:25832',
  });
  t.is((await begin({ srid: 0 })).status, 200, 'clients send 0 for none');
  t.is((await begin({ format: 'file', srid: 4326 })).status, 200, 'what is only copied is nowhere');

  const datasetId = await newDataset(w, projectId, user, { datasetFormat: 'geotiff' });
  const pairs = [
    { name: 'Compression', value: 'None' },
    { name: 'Band', value: 1 },
  ];
  const download = (request: object) => client.post(`/api/metadata/dataset/${datasetId}/download`, request);
  const exported = await download({ format: 'geotiff', srid: 'EPSG:3857', arguments: pairs });
  t.is(exported.status, 200, JSON.stringify(exported.body));
  t.like(exported.body, { type: 'Export', format: 'geotiff' });
  const { exportParameters } = await shown(exported.body.id);
  t.like(exportParameters, { datasetId, srid: 'EPSG:3857', arguments: pairs });
  t.like(exportParameters, { readerParameters: [pairs[1]], writerParameters: [pairs[0]] });
  t.deepEqual(exportParameters.transformations, [{ type: 'crsTransformation', outputSrid: 'EPSG:3857' }]);
  const file = { format: 'file', srid: 3857 };
  const whole = await download(file);
  const copied = (await shown(whole.body.id)).exportParameters;
  t.like(copied, { readerName: 'FileReader', writerName: 'FileWriter', srid: 3857 });
  t.deepEqual(copied.transformations, [{ type: 'crsTransformation', outputSrid: 'EPSG:3857' }]);
  const dry = await client.post(`/api/metadata/dataset/${datasetId}/download?dryRun=true`, file);
  t.deepEqual(dry.body.warnings, ['FileReader to FileWriter copies the bytes; the transformations are ignored.']);
});

test('errors name members as the request spelled them', async (t) => {
  const { begin, client, projectId, user } = await scene();
  for (const [more, field, sentence] of [
    [{ srid: 'nowhere' }, 'srid', /'nowhere' is not an SRID/],
    [{ arguments: { Colour: 1 } }, 'arguments.Colour', /^'Colour' is not a parameter of GeoJsonReader/],
    [{ arguments: 5 }, 'arguments', /./],
    [{ arguments: { SRID: 25832 }, srid: 25832 }, 'srid', /'SRID' is given more than once/],
    [{ format: ' ' }, 'format', /empty/],
    [{ fileName: null }, 'fileName', /required/],
  ] as const) {
    const { status, body } = await begin(more);
    t.is(status, 400, field);
    t.deepEqual(Object.keys(body.errors), [field]);
    t.regex(body.errors[field][0], sentence);
  }
  for (const [datasetFormat, sentence] of [
    ['geotiff', /^GeoJsonWriter cannot follow GeoTiffReader/],
    ['dgn', /^A dataset of format 'dgn' cannot become 'geojson'/],
  ] as const) {
    const datasetId = await newDataset(w, projectId, user, { datasetFormat });
    const { status, body } = await client.post(`/api/metadata/dataset/${datasetId}/download`, { format: 'geojson' });
    t.is(status, 400);
    t.deepEqual(Object.keys(body.errors), ['format']);
    t.regex(body.errors.format[0], sentence);
  }
  for (const [datasetFormat, format, sentence] of [
    ['geotiff', 'geojson', /^GeoTiffWriter cannot append\.$/],
    ['shapefile', 'geotiff', /^ShapefileWriter cannot follow GeoTiffReader/],
    ['dgn', 'geojson', /^A dataset of format 'dgn' cannot be appended to/],
  ] as const) {
    const { status, body } = await begin({
      appendDatasetId: await newDataset(w, projectId, user, { datasetFormat }),
      format,
    });
    t.is(status, 400);
    t.deepEqual(Object.keys(body.errors), ['appendDatasetId']);
    t.regex(body.errors.appendDatasetId[0], sentence);
  }
});

test('appendDatasetId appends to that dataset in its format', async (t) => {
  const { user, client, projectId, importRequest, shown } = await scene();
  const id = await newDataset(w, projectId, user, { datasetFormat: 'shapefile' });
  const request = await importRequest({ appendDatasetId: id.toUpperCase(), projectId: null });
  const dry = await client.post('/api/conversion/upload?dryRun=true', request);
  t.deepEqual(dry.body, { valid: true, warnings: [] });
  const { status, body } = await client.post('/api/conversion/upload', request);
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { type: 'Append', format: 'shapefile' });
  t.like((await shown(body.id)).importParameters, {
    appendDatasetId: id,
    readerName: 'GeoJsonReader',
    writerName: 'ShapefileWriter',
  });
  t.is((await client.post('/api/conversion/upload', request)).status, 409, 'it is written already');
});
