import test from 'ava';
import { newDataset } from '../world/content.ts';
import { newStore } from '../world/stores.ts';
import { newProject, start, upload } from '../world/transfers.ts';
import { type Client, world } from '../world.ts';

/** Starts of transfers that join several files, or that name files and datasets in their transformations. */
const w = world(test);

const mosaic = { type: 'mosaicTransformation', mosaic: { method: 'first' } };

async function scene() {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const file = async (originalFileName: string) => ({ originalFileName, uploadUrl: await upload(w, client, 'a grid') });
  const request = {
    projectId,
    outputDatasetData: { name: 'all' },
    readerName: 'AsciiGridReader',
    writerName: 'AsciiGridWriter',
    transformations: [mosaic] as object[],
  };
  return { client, file, request };
}

const dryRun = (client: Client, request: object) => client.post('/api/conversion/upload-convert?dryRun=true', request);

test('a start reads one file or several, and several need a transformation that joins them', async (t) => {
  const { client, file, request } = await scene();
  const uploadUrls = [await file('a.asc'), await file('b.asc')];
  for (const [more, member, sentence] of [
    [{}, 'uploadUrl', /uploadUrl is required, or uploadUrls/],
    [{ uploadUrls, uploadUrl: uploadUrls[0]!.uploadUrl }, 'uploadUrl', /not both/],
    [{ uploadUrls, originalFileName: 'a.asc' }, 'originalFileName', /its own originalFileName/],
    [{ uploadUrls: [] }, 'uploadUrls', /./],
    [{ uploadUrls, transformations: [] }, 'transformations', /mosaicTransformation or stackTransformation/],
    [{ uploadUrls, readerName: 'FileReader', writerName: 'FileWriter' }, 'readerName', /copies one file/],
    [
      { uploadUrls, transformations: [{ type: 'calculateStatisticsTransformation' }, mosaic] },
      'transformations[1].type',
      /must be the first/,
    ],
    [
      { uploadUrls, transformations: [{ ...mosaic, mosaic: { method: 'median' } }] },
      'transformations[0].mosaic.method',
      /one of first, last, mean, min, max/,
    ],
    [{ uploadUrls: [uploadUrls[0], { ...uploadUrls[1], uploadUrl: 'ftp://host/b' }] }, 'uploadUrls[1].uploadUrl', /./],
  ] as const) {
    const { status, body } = await start(client, { ...request, ...more });
    t.is(status, 400, JSON.stringify(body));
    t.regex(body.errors?.[member]?.[0] ?? JSON.stringify(body), sentence);
  }
  t.is((await start(client, { ...request, uploadUrls })).status, 200);
});

test('each of several files must be uploaded, and issued to the caller or a tenant of theirs', async (t) => {
  const { client, file, request } = await scene();
  const empty = (await client.get('/api/conversion/transfer/upload-url')).body.data;
  const uploadUrls = [await file('a.asc'), { originalFileName: 'b.asc', uploadUrl: empty }];
  const refused = await start(client, { ...request, uploadUrls });
  t.is(refused.status, 400);
  t.regex(refused.body.errors['uploadUrls[1].uploadUrl'][0], /^Nothing was uploaded to /);
  const { status, body } = await dryRun(client, { ...request, uploadUrls });
  t.is(status, 200);
  t.true(body.warnings.some((one: string) => one.startsWith('Nothing was uploaded to ')));

  const stranger = w.as(await w.account({ tenantId: await w.tenant() }));
  const theirs = { originalFileName: 'b.asc', uploadUrl: await upload(w, stranger, 'a grid') };
  const other = await start(client, { ...request, uploadUrls: [await file('a.asc'), theirs] });
  t.is(other.status, 404);
  t.regex(other.body.detail, /^Upload '.*' was not found\.$/);
});

test('uploads of a transfer that joins them cannot be written any more', async (t) => {
  const { client, file, request } = await scene();
  const uploadUrls = [await file('a.asc'), await file('b.asc')];
  t.is((await start(client, { ...request, uploadUrls })).status, 200);
  for (const { uploadUrl } of uploadUrls) {
    const answer = await w.nobody.put(uploadUrl.replace(/^https?:\/\/[^/]+/, ''), Buffer.from('other'));
    t.is(answer.status, 409);
  }
});

test('ten thousand files are accepted, and no more', async (t) => {
  const { client, file, request } = await scene();
  const { uploadUrl } = await file('a.asc');
  const uploadUrls = Array.from({ length: 10_000 }, (_, n) => ({ originalFileName: `${n}.asc`, uploadUrl }));
  const { status, body } = await dryRun(client, { ...request, uploadUrls });
  t.is(status, 200, JSON.stringify(body).slice(0, 500));
  const more = await dryRun(client, { ...request, uploadUrls: [...uploadUrls, uploadUrls[0]] });
  t.is(more.status, 400);
  t.truthy(more.body.errors.uploadUrls);
});

test('a transformation reads no dataset of another tenant, which would bring its content there', async (t) => {
  const { request, file, client } = await scene();
  const away = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const theirs = w.as(away);
  const there = await newProject(theirs);
  const datasetId = await newDataset(w, there, away);
  const like = { type: 'resampleTransformation', resample: { like: { datasetId } } };
  const one = { ...(await file('a.asc')), transformations: [like] };
  const unseen = await start(client, { ...request, ...one });
  t.deepEqual([unseen.status, unseen.body.detail], [404, `Dataset '${datasetId}' was not found.`]);
  const administrator = await w.administrator();
  const own = w.as(administrator);
  const uploadUrl = await upload(w, own, 'a grid');
  const projectId = await newProject(own);
  const added = await theirs.post(`/api/metadata/project/${there}/member`, {
    userId: administrator.userId,
    role: 'Reader',
  });
  t.true(added.status < 300, JSON.stringify(added.body));
  const seen = await start(own, { ...request, ...one, projectId, uploadUrl });
  t.is(seen.status, 403);
  t.regex(seen.body.detail, /of another tenant/);
});

test('a copy, which ignores transformations, stores no signature of theirs', async (t) => {
  const { client, file, request } = await scene();
  const { uploadUrl } = await file('cells.asc');
  const like = (address: string) => ({ type: 'resampleTransformation', resample: { like: { uploadUrl: address } } });
  const { status, body } = await start(client, {
    ...request,
    ...(await file('a.asc')),
    readerName: 'FileReader',
    writerName: 'FileWriter',
    transformations: [like(uploadUrl), like('https://me:secret@example.com/a.asc?key=secret'), like('secret')],
  });
  t.is(status, 200, JSON.stringify(body));
  const [row] = await w.sql<{ text: string }>('select request::text as text from transfers where id = $1', [body.id]);
  t.notRegex(row!.text, /sig=|secret/);
  t.true(row!.text.includes('https://example.com/a.asc'));
});

test('updates and appends read one file or several, like imports', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const id = await newStore(w, await newProject(client), user, 'levels');
  const file = async (originalFileName: string) => ({
    originalFileName,
    uploadUrl: await upload(w, client, 'a store'),
  });
  const uploadUrls = [await file('a.zip'), await file('b.zip')];
  const stack = { type: 'stackTransformation', stack: { by: 'time' } };
  for (const verb of ['update', 'append']) {
    const send = (body: object, query = '') =>
      client.post(`/api/metadata/dataset/${id}/${verb}${query}`, { readerName: 'MDReader', ...body });
    for (const [body, member, sentence] of [
      [{ transformations: [stack] }, 'uploadUrl', /uploadUrl is required, or uploadUrls/],
      [{ uploadUrls, ...uploadUrls[0], transformations: [stack] }, 'uploadUrl', /not both/],
      [{ uploadUrls }, 'transformations', /mosaicTransformation or stackTransformation/],
      [{ uploadUrl: uploadUrls[0]!.uploadUrl, originalFileName: null }, 'originalFileName', /is required/],
    ] as const) {
      const { status, body: answer } = await send(body, '?dryRun=true');
      t.is(status, 400, `${verb} ${JSON.stringify(answer)}`);
      t.regex(answer.errors?.[member]?.[0] ?? JSON.stringify(answer), sentence, verb);
    }
    const { body } = await send({ uploadUrls, transformations: [stack] }, '?dryRun=true');
    t.is(body.valid, true, JSON.stringify(body));
  }
});

test('files and datasets that transformations name count for the memory and scratch space of a transfer', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const one = await upload(w, client, 'a grid');
  const datasetId = await newDataset(w, projectId, user);
  const begin = async (like: object | undefined) => {
    const resample = { type: 'resampleTransformation', resample: like === undefined ? { cellSize: 5 } : { like } };
    const { status, body } = await start(client, {
      projectId,
      originalFileName: 'a.asc',
      uploadUrl: one,
      outputDatasetData: { name: 'all' },
      readerName: 'AsciiGridReader',
      writerName: 'AsciiGridWriter',
      transformations: [resample],
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const [row] = await w.sql<{ flags: string[] }>('select flags from transfers where id = $1', [body.id]);
    return row!.flags.join(' ');
  };
  const alone = await begin(undefined);
  t.is(await begin({ datasetId }), alone, 'a small one');
  const size = 3 * 2 ** 30;
  await w.sql('update datasets set storage_size = $2 where id = $1', [datasetId, size]);
  const large = await begin({ datasetId });
  t.not(large, alone);
  t.not(await begin({ uploadUrl: 'https://files.example/like.tif' }), alone, 'one of unknown size');
});
