import { randomBytes, randomUUID } from 'node:crypto';
import test from 'ava';
import { offeredBy, readers } from 'hydrofiles';
import { newDataset } from '../world/content.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { type Client, ownWorld } from '../world.ts';

/** Rules that need no worker: transfers wait here. */
const w = ownWorld(test);

async function scene() {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  return { owner, client, projectId, request: copyRequest(projectId, await upload(w, client, 'words')) };
}

const grid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };

/** Changed members of a request → the field that is refused, and its sentence. */
const REFUSED: [what: string, more: object, field: string, sentence: RegExp][] = [
  [
    'an unknown reader',
    { readerName: 'NoReader' },
    'readerName',
    /^'NoReader' is not a reader; there are .*FileReader/,
  ],
  [
    'an unknown writer',
    { writerName: 'NoWriter' },
    'writerName',
    /^'NoWriter' is not a writer; there are .*FileWriter/,
  ],
  [
    'a reader and a writer that do not fit, naming those that do',
    { readerName: 'FileReader', writerName: 'GeoTiffWriter' },
    'writerName',
    /^GeoTiffWriter cannot follow FileReader; FileWriter can\.$/,
  ],
  [
    'an unknown parameter',
    { ...grid, readerParameters: [{ name: 'Colour', value: 1 }] },
    'readerParameters[0]',
    /^'Colour' is not a parameter of AsciiGridReader/,
  ],
  [
    'a parameter of the wrong type',
    { ...grid, readerParameters: [{ name: 'SRID', value: 'UTM' }] },
    'readerParameters[0]',
    /^Parameter 'SRID' cannot be 'UTM'/,
  ],
  [
    'the place of a filter that cannot be read',
    {
      ...grid,
      transformations: [
        { type: 'calculateStatisticsTransformation' },
        { TYPE: 'spatialFilterTransformation', spatialfilter: { Geometry: 'POLYGON ((0 0, 1 0, 1 1))' } },
      ],
    },
    'transformations[1].spatialfilter.Geometry',
    /^The ring at character 10 has 3 vertices\. It needs at least four\.$/,
  ],
  [
    'an item filter that filters nothing',
    { ...grid, transformations: [{ type: 'ItemFilterTransformation', itemFilter: [{ names: [] }] }] },
    'transformations[0].itemFilter[0].names',
    /must be a list of names, not \[\]\.$/,
  ],
  [
    'a coordinate system of heights alone',
    { ...grid, transformations: [{ type: 'crsTransformation', outputSrid: 5730 }] },
    'transformations[0].outputSrid',
    /^EPSG:5730 is a vertical coordinate system\. Use a horizontal or compound one\.$/,
  ],
  ['an unknown transformation', { ...grid, transformations: [{ type: 'x' }] }, 'transformations[0].type', /'x' is not/],
  [
    'two coordinate systems for the input',
    {
      ...grid,
      readerParameters: [{ name: 'SRID', value: 25832 }],
      transformations: [{ type: 'crsTransformation', inputSrid: 25833, outputSrid: 4326 }],
    },
    'transformations[0].inputSrid',
    /25833.*25832/,
  ],
  ['memory that is no multiple of 1024', { memoryRequestMb: 1500 }, 'memoryRequestMb', /multiple of 1024, not 1500/],
  ['no memory', { memoryRequestMb: 0 }, 'memoryRequestMb', /positive multiple/],
  ['more memory than any machine has', { memoryRequestMb: 2 ** 40 }, 'memoryRequestMb', /at most 1073741824/],
  ['no cores', { cpuCoresRequest: 0 }, 'cpuCoresRequest', /more than 0/],
  ['no storage', { storageSizeGb: -1 }, 'storageSizeGb', /more than 0/],
  ['an unknown node size', { nodeSize: 'Huge' }, 'nodeSize', /^'Huge' is not a node size; there are Standard_D4s_v5/],
  [
    'more memory than the node size has',
    { nodeSize: 'Standard_D4s_v5', memoryRequestMb: 32768 },
    'memoryRequestMb',
    /^memoryRequestMb is 32768, but Standard_D4s_v5 has 16384 MB of memory\.$/,
  ],
  ['more cores than it has', { nodeSize: 'Standard_D4s_v5', cpuCoresRequest: 5 }, 'cpuCoresRequest', /has 4 cores/],
  ['more storage than it has', { nodeSize: 'Standard_D4s_v5', storageSizeGb: 151 }, 'storageSizeGb', /has 150 GB/],
  ['a name of the dataset that is empty', { outputDatasetData: { name: ' ' } }, 'outputDatasetData.name', /empty/],
  ['no original file name', { originalFileName: null }, 'originalFileName', /required/],
  ['no upload address', { uploadUrl: null }, 'uploadUrl', /required/],
  ['an address that is not called', { uploadUrl: 'ftp://example.com/x.asc' }, 'uploadUrl', /'ftp:'/],
  [
    'a project id that is not a UUID',
    { projectId: 'valley' },
    'projectId',
    /^projectId must be a UUID, not 'valley'\.$/,
  ],
  [
    'memory that is a text',
    { memoryRequestMb: '1024' },
    'memoryRequestMb',
    /^memoryRequestMb must be a number, not '1024'\.$/,
  ],
  ['no such answer to bad records', { onBadRecord: 'SKIP' }, 'onBadRecord', /must be one of fail, skip, not 'SKIP'\.$/],
  ['no project', { projectId: null }, 'projectId', /^projectId is required, in the body or as a header\.$/],
];

for (const [what, more, field, sentence] of REFUSED) {
  test(`refused with one sentence for the field: ${what}`, async (t) => {
    const { client, request } = await scene();
    const { status, body } = await start(client, { ...request, ...more });
    t.is(status, 400, JSON.stringify(body));
    t.deepEqual(Object.keys(body.errors), [field]);
    t.is(body.errors[field].length, 1);
    t.regex(body.errors[field][0], sentence);
    t.deepEqual((await client.get('/api/transfer/list-summaries')).body.data, [], 'nothing was started');
  });
}

test('all errors of a request are reported at once', async (t) => {
  const { client, request } = await scene();
  const more = { readerName: 'NoReader', memoryRequestMb: 1, cpuCoresRequest: -1 };
  const { body } = await start(client, { ...request, ...more });
  t.deepEqual(Object.keys(body.errors).sort(), ['cpuCoresRequest', 'memoryRequestMb', 'readerName']);
});

test('a missing project or file name is reported with the other errors', async (t) => {
  const { owner, client, projectId, request } = await scene();
  const more = { readerName: 'NoReader', memoryRequestMb: 1, projectId: undefined, originalFileName: undefined };
  const { status, body } = await start(client, { ...request, ...more });
  t.is(status, 400);
  t.deepEqual(Object.keys(body.errors).sort(), ['memoryRequestMb', 'originalFileName', 'projectId', 'readerName']);
  t.deepEqual(body.errors.originalFileName, ['originalFileName is required.']);

  const append = { uploadUrl: request.uploadUrl, readerName: 'GeoJsonReader', memoryRequestMb: 1 };
  const datasetId = await newDataset(w, projectId, owner, { datasetFormat: 'geojson' });
  const appended = await client.post(`/api/metadata/dataset/${datasetId}/append`, append);
  t.deepEqual(Object.keys(appended.body.errors).sort(), ['memoryRequestMb', 'originalFileName']);

  const old = { format: 'asciigrid', fileName: 'a.asc', uploadUrl: request.uploadUrl };
  const legacy = await client.post('/api/conversion/upload', old);
  t.deepEqual(legacy.body.errors, { projectId: ['projectId is required, in the body or as a header.'] });
});

test('a known transformation that does not fit the data has its own error code at every kind of start', async (t) => {
  const { client, request } = await scene();
  const transformations = [{ type: 'VerticalFilterTransformation', verticalFilter: { type: 'VerticalIndexFilter' } }];
  const { status, body } = await start(client, { ...request, ...grid, transformations });
  t.is(status, 400);
  t.is(body.code, 'TransformationNotSupported');
  t.regex(
    body.errors['transformations[0].type'][0],
    /is not supported for this kind of data. Use .*SpatialFilterTransformation/,
  );
});

test('the list of readers has the transformations of each', async (t) => {
  const { client } = await scene();
  const { data } = (await client.get('/api/conversion/reader/list')).body;
  const offered = Object.fromEntries(
    data.map((one: { name: string; transformations: string[] }) => [one.name, one.transformations]),
  );
  t.deepEqual(offered.FileReader, []);
  t.deepEqual(offered, Object.fromEntries(readers.map((reader) => [reader.name, offeredBy(reader)])));
  t.true(offered.GeoTiffReader.includes('TemporalFilterTransformation'));
  const one = (await client.get('/api/conversion/reader/GeoJsonReader')).body;
  t.deepEqual(one.transformations, offered.GeoJsonReader);
});

test('parameter values may be JSON or JSON text, names in any letter case', async (t) => {
  const { client, request } = await scene();
  for (const value of [25832, '25832', '"EPSG:25832"']) {
    const { status, body } = await start(client, { ...request, ...grid, readerParameters: [{ name: 'srid', value }] });
    t.is(status, 200, JSON.stringify(body));
    const transfer = (await client.get(`/api/conversion/transfer/${body.id}`)).body;
    t.deepEqual(transfer.importParameters.readerParameters, [{ name: 'SRID', value: 'EPSG:25832' }]);
  }
});

test('a parameter without a value counts as absent', async (t) => {
  const { client, request } = await scene();
  for (const given of [{ name: 'SRID', value: null }, { name: 'SRID' }]) {
    const { status, body } = await start(client, { ...request, ...grid, readerParameters: [given] });
    t.is(status, 200, JSON.stringify(body));
    const transfer = (await client.get(`/api/conversion/transfer/${body.id}`)).body;
    t.deepEqual(transfer.importParameters.readerParameters, []);
  }
});

test('the project may be named by a header, which must not contradict the body', async (t) => {
  const { client, projectId, request } = await scene();
  const { projectId: _, ...without } = request;
  t.is((await start(client, without, { 'svc-project-id': projectId })).status, 200);
  t.is((await start(client, request, { 'svc-project-id': randomUUID() })).status, 400);
  t.is((await start(client, without, { 'svc-project-id': 'x' })).status, 400);
});

test('originalFileName is required since version 2', async (t) => {
  const { client, request } = await scene();
  const { originalFileName: _, ...without } = request;
  t.is((await start(client, without, { 'api-version': '1' })).status, 200);
  t.is((await start(client, without, { 'api-version': '2' })).status, 400);
});

test('a dry run reports that the request is valid and starts no transfer', async (t) => {
  const { client, request } = await scene();
  const dry = (body: object) => client.post('/api/conversion/upload-convert?dryRun=true', body);
  t.deepEqual((await dry(request)).body, { valid: true, warnings: [] });
  const { body } = await dry({ ...request, transformations: [{ type: 'x' }] });
  t.regex(body.warnings[0], /ignored/);
  t.is((await dry({ ...request, readerName: 'NoReader' })).status, 400);
  t.is((await dry({ ...request, projectId: randomUUID() })).status, 404);
  t.deepEqual((await client.get('/api/transfer/list-summaries')).body.data, []);
  const path = request.uploadUrl.replace(/^https?:\/\/[^/]+/, '');
  t.is((await w.nobody.put(path, Buffer.from('other'))).status, 201, 'the file may still be written');
});

test('TilingSchemes is listed as required, and a dry run warns that it is missing', async (t) => {
  const { client, request } = await scene();
  const { parameters } = (await client.get('/api/conversion/writer/TilingWriter')).body;
  const [listed] = parameters;
  t.like(listed, { name: 'TilingSchemes', dataType: 'array', required: true });
  t.like(parameters[1], { name: 'DrawAheadTiles', required: false });

  const tiles = { ...request, readerName: 'AsciiGridReader', writerName: 'TilingWriter' };
  const warningsOf = async (more: object) =>
    (await client.post('/api/conversion/upload-convert?dryRun=true', { ...tiles, ...more })).body.warnings as string[];
  const warning = "Parameter 'TilingSchemes' is required by TilingWriter.";
  t.true((await warningsOf({})).includes(warning));
  const writerParameters = [{ name: 'TilingSchemes', value: [{ schemeId: 'a' }] }];
  t.false((await warningsOf({ writerParameters })).includes(warning));
});

test('a dry run needs no file yet: it warns that there is none; a start is refused', async (t) => {
  const { client, request } = await scene();
  const uploadUrl = (await client.get('/api/conversion/transfer/upload-url')).body.data;
  const name = new URL(uploadUrl).pathname.split('/').at(-1);
  const sentence = `Nothing was uploaded to '${name}' yet.`;
  const dry = await client.post('/api/conversion/upload-convert?dryRun=true', { ...request, uploadUrl });
  t.deepEqual([dry.status, dry.body], [200, { valid: true, warnings: [sentence] }]);
  const { status, body } = await start(client, { ...request, uploadUrl });
  t.deepEqual([status, body.errors], [400, { uploadUrl: [sentence] }]);
});

test('a file that a transfer has named can no longer be written', async (t) => {
  const { client, request } = await scene();
  await start(client, request);
  const path = request.uploadUrl.replace(/^https?:\/\/[^/]+/, '');
  t.is((await w.nobody.put(path, Buffer.from('other'))).status, 409);
});

test('another account of the tenant may use an upload, a stranger does not find it', async (t) => {
  const { request } = await scene();
  const colleague = await w.account();
  const other = w.as(colleague);
  const projectId = await newProject(other);
  t.is((await start(other, { ...request, projectId })).status, 200);
  const stranger = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  t.is((await start(stranger, { ...request, projectId: await newProject(stranger) })).status, 404);
});

test('a waiting transfer is cancelled immediately, by its starter or by a user who may change content of the project', async (t) => {
  const { client, owner, request } = await scene();
  const reader = await w.account();
  const contributor = await w.account();
  const projectId = await newProject(client, 'shared', [
    { user: reader, role: 'Reader' },
    { user: contributor, role: 'Contributor' },
  ]);
  const startOne = async (by: Client, uploadUrl: string) =>
    (await start(by, { ...request, projectId, uploadUrl })).body.id as string;
  const cancel = (by: Client, id: string) => by.post(`/api/conversion/transfer/${id}/cancel`);
  const mine = await startOne(client, request.uploadUrl);
  t.is((await cancel(w.as(reader), mine)).status, 403);
  const { status, body } = await cancel(w.as(contributor), mine);
  t.is(status, 202);
  t.like(body, { id: mine, status: 'Error', createdBy: owner.userId });
  const { body: transfer } = await client.get(`/api/conversion/transfer/${mine}`);
  t.like(transfer, { errorMessage: 'Cancelled.', updatedBy: contributor.userId, attempt: 0, progress: 0 });
  t.is((await cancel(client, mine)).status, 409);

  const theirs = await startOne(w.as(contributor), await upload(w, w.as(contributor), 'x'));
  t.is((await client.get(`/api/conversion/transfer/${theirs}`)).status, 200, 'a member of the project sees it');
  t.is((await cancel(client, theirs)).status, 202);
});

test('a reader of the project may export but not import', async (t) => {
  const { client, request } = await scene();
  const reader = await w.account();
  const projectId = await newProject(client, 'shared', [{ user: reader, role: 'Reader' }]);
  t.is((await start(w.as(reader), { ...request, projectId })).status, 403);
});

test('rights to read and change are checked before locks', async (t) => {
  const { owner, client, projectId, request } = await scene();
  const stranger = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  const shared = await newProject(w.as(await w.account()), 'shared', [{ user: owner, role: 'Reader' }]);
  const file = { originalFileName: 'a.geojson', uploadUrl: request.uploadUrl, readerName: 'GeoJsonReader' };
  const unseen = { ...file, uploadUrl: await upload(w, stranger, 'words') };
  const [least, id, greatest] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string];
  const geojson = { datasetFormat: 'geojson' };
  await newDataset(w, projectId, owner, { ...geojson, id });
  for (const target of [least, greatest]) await newDataset(w, shared, owner, { ...geojson, id: target });

  const statusOf = async (path: string, body: object) =>
    (await client.post(`/api/metadata/dataset/${id}/${path}`, body)).status;
  t.is(await statusOf('update', file), 200, 'a waiting transfer locks the dataset');
  for (const verb of ['update', 'append']) {
    t.is(await statusOf(verb, unseen), 404, verb);
    t.is(await statusOf(verb, file), 409, verb);
  }
  const convert = { writerName: 'GeoJsonWriter', outputDatasetData: { name: 'x' } };
  t.is(await statusOf('convert', { ...convert, outputProjectId: randomUUID() }), 404);
  t.is(await statusOf('convert', { ...convert, outputProjectId: shared }), 403);
  t.is(await statusOf('convert', convert), 409);
  for (const target of [least, greatest]) t.is(await statusOf(`update/${target}`, {}), 403);
  const own = await newDataset(w, projectId, owner, geojson);
  t.is(await statusOf(`update/${own}`, {}), 409);
});

test('a retry checks the rights of the caller before locks', async (t) => {
  const { owner, client, projectId, request } = await scene();
  const other = w.as(await w.account());
  const shared = await newProject(other, 'shared', [{ user: owner, role: 'Contributor' }]);
  // datasets are locked in the order of their ids
  const [source, target] = [randomUUID(), randomUUID()].sort() as [string, string];
  await newDataset(w, projectId, owner, { datasetFormat: 'geojson', id: source });
  await newDataset(w, shared, owner, { datasetFormat: 'geojson', id: target });
  const { body: first } = await client.post(`/api/metadata/dataset/${source}/update/${target}`);
  t.is((await client.post(`/api/conversion/transfer/${first.id}/cancel`)).status, 202);
  const file = { originalFileName: 'a.geojson', uploadUrl: request.uploadUrl, readerName: 'GeoJsonReader' };
  t.is((await client.post(`/api/metadata/dataset/${source}/update`, file)).status, 200);

  const retry = () => client.post(`/api/conversion/transfer/${first.id}/retry`);
  t.like(await retry(), { status: 409, body: { code: 'DatasetLocked' } });
  const demoted = await other.post(`/api/metadata/project/${shared}/member`, { userId: owner.userId, role: 'Reader' });
  t.true(demoted.status < 300, JSON.stringify(demoted.body));
  t.is((await retry()).status, 403);
});

test('list-summaries are the caller’s own, newest first, by time and status', async (t) => {
  const { client, request } = await scene();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await start(client, request)).body.id);
  await client.post(`/api/conversion/transfer/${ids[1]}/cancel`);
  const list = async (query: string) => {
    const [one, other] = await Promise.all([
      client.get(`/api/transfer/list-summaries?${query}`),
      client.get(`/api/conversion/transfer/list-summaries?${query}`),
    ]);
    t.deepEqual(one.body, other.body);
    return one.body.data.map(({ id }: { id: string }) => id);
  };
  t.deepEqual(await list(''), [...ids].reverse());
  t.deepEqual(await list('status=error'), [ids[1]]);
  t.deepEqual(await list('Status=Pending&status=Error&status=nonsense'), [...ids].reverse());
  t.deepEqual(await list('status=nonsense'), [...ids].reverse(), 'an unreadable status is ignored');
  t.deepEqual(await list('limit=1'), [ids[2]]);
  const { createdAt } = (await client.get(`/api/transfer/${ids[1]}`)).body;
  t.deepEqual(await list(`from=${createdAt}`), [ids[2], ids[1]], 'from is included');
  t.deepEqual(await list(`to=${createdAt}`), [ids[0]], 'to is not');
  const other = w.as(await w.account());
  t.deepEqual((await other.get('/api/transfer/list-summaries')).body.data, []);
});

test('the most that labels may say has room in the database, and more is refused', async (t) => {
  const { client, request } = await scene();
  // random, so that nothing makes them shorter
  const labels = (count: number, length: number) =>
    Array.from(
      { length: count },
      () =>
        `k${randomBytes(length)
          .toString('hex')
          .slice(0, length - 1)}`,
    );
  for (const requiredLabels of [labels(100, 8), labels(4, 200)])
    t.is(
      (await start(client, { ...request, requiredLabels, nodeSize: 'Standard_E8s_v5', cpuCoresRequest: 7 })).status,
      200,
    );
  const { status, body } = await start(client, { ...request, requiredLabels: labels(9, 300) });
  t.is(status, 400);
  t.deepEqual(body.errors, { requiredLabels: ['requiredLabels may have 800 characters in all, not 2700.'] });
});

test('the list contains the transfers visible to the caller, by project and page', async (t) => {
  const { client, projectId, request } = await scene();
  const elsewhere = await newProject(client, 'elsewhere');
  const ids = [(await start(client, request)).body.id, (await start(client, request)).body.id];
  const far = (await start(client, { ...request, projectId: elsewhere })).body.id;
  const list = async (by: Client, query: string) => (await by.get(`/api/conversion/transfer/list?${query}`)).body;
  const page = await list(client, `projectId=${projectId}&limit=1`);
  t.like(page, { totalCount: 2, offset: 0, limit: 1 });
  t.is(page.data[0].id, ids[1]);
  t.deepEqual(
    (await list(client, `projectId=${elsewhere}`)).data.map(({ id }: { id: string }) => id),
    [far],
  );
  const past = await client.get(`/api/conversion/transfer/list?projectId=${projectId}&offset=9`);
  t.is(past.status, 200);
  t.deepEqual(past.body.data, []);
  const stranger = w.as(await w.account());
  t.is((await stranger.get(`/api/conversion/transfer/list?projectId=${projectId}`)).status, 404);
  t.is((await list(stranger, '')).totalCount, 0);
  t.is((await client.get('/api/conversion/transfer/list?projectId=x')).status, 400);
});

test('readers and writers are listed with their parameters and compatible partners', async (t) => {
  const client = w.as(await w.account());
  const { body: readers } = await client.get('/api/conversion/reader/list');
  const ascii = readers.data.find(({ name }: { name: string }) => name === 'AsciiGridReader');
  t.is(ascii.datasetFormat, 'asciigrid');
  t.true(ascii.writers.includes('GeoTiffWriter') && !ascii.writers.includes('FileWriter'));
  t.like(
    ascii.parameters.find(({ name }: { name: string }) => name === 'SRID'),
    { required: false },
  );
  t.deepEqual((await client.get('/api/conversion/reader/AsciiGridReader')).body, ascii);
  const { body: writers } = await client.get('/api/conversion/writer/list?filter=file');
  const file = writers.data.find(({ name }: { name: string }) => name === 'FileWriter');
  t.like(file, { datasetFormat: 'file', canAppend: false });
  const { body: dedicated } = await client.get('/api/conversion/writer/list?filter=Dedicated');
  const names = dedicated.data.map(({ name }: { name: string }) => name).sort();
  t.deepEqual(names, ['GISWriter', 'MDWriter', 'TSWriter', 'TilingWriter']);
  t.is((await client.get('/api/conversion/writer/NoWriter')).status, 404);
  t.is((await client.get('/api/conversion/reader/list?filter=some')).status, 400);
});
