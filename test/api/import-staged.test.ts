import { randomUUID } from 'node:crypto';
import test from 'ava';
import { removeSpentBlobs } from '../../src/recycle-bin/blob-deletions.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { subproject } from '../world/content.ts';
import { copyRequest, local, newProject, start, upload } from '../world/transfers.ts';
import { type User, world } from '../world.ts';

const w = world(test);

async function scene() {
  const owner = await w.account();
  const client = w.as(owner);
  return { owner, client, root: await newProject(client) };
}
const bring = (user: User, projectId: string, body: object) =>
  w.as(user).post(`/api/conversion/project/${projectId}/file/import-staged`, body);
const read = async (user: User, datasetId: string) =>
  String((await w.nobody.get(local((await w.as(user).get(`/api/raw/dataset/${datasetId}`)).body.data))).raw);

test('staged files are datasets with content and names when the response arrives', async (t) => {
  const { owner, client, root } = await scene();
  const urls = [await upload(w, client, 'one'), await upload(w, client, '')];
  const files = urls.map((url, n) => ({ url: url.split('?')[0], filename: `file ${n}.bin` }));
  const { status, body } = await bring(owner, root, { files });
  t.is(status, 200);
  t.deepEqual(body.failures, []);
  t.deepEqual(
    body.datasets.map((row: { fileName: string }) => row.fileName),
    ['file 0.bin', 'file 1.bin'],
  );
  const [{ datasetId }] = body.datasets;
  t.is(await read(owner, datasetId), 'one');
  t.like((await client.get(`/api/metadata/dataset/${datasetId}`)).body, {
    name: 'file 0.bin',
    datasetType: 'file',
    datasetFormat: 'file',
    storageSize: 3,
    projectId: root,
  });
  t.is((await w.nobody.put(local(urls[0]!), Buffer.from('late'))).status, 409, 'taken files are not written any more');
  t.is((await w.nobody.delete(local(urls[0]!))).status, 202, 'clients delete right after');
  t.is(await read(owner, datasetId), 'one');
});

test('a file that cannot be imported is reported by name; the others are imported', async (t) => {
  const { owner, client, root } = await scene();
  const stranger = await w.account({ tenantId: await w.tenant() });
  const [good, theirs] = [await upload(w, client, 'good'), await upload(w, w.as(stranger), 'theirs')];
  const { body: empty } = await client.get('/api/conversion/transfer/upload-url');
  const { status, body } = await bring(owner, root, {
    files: [
      { url: 'https://elsewhere.example/file?secret=1', fileName: 'remote' },
      { url: theirs, fileName: 'theirs' },
      { url: good, fileName: 'good' },
      { url: empty.data, fileName: 'empty' },
      { url: good, fileName: 'a\u0001b' },
      { url: good, fileName: ' ' },
      { url: `http://x/api/blob/staging/${randomUUID()}`, fileName: 'unknown' },
    ],
  });
  t.is(status, 200);
  t.deepEqual(
    body.datasets.map((row: { fileName: string }) => row.fileName),
    ['good'],
  );
  t.deepEqual(
    body.failures.map((row: { fileName: string }) => row.fileName),
    ['remote', 'theirs', 'empty', 'a\u0001b', ' ', 'unknown'],
  );
  t.false(JSON.stringify(body).includes('secret'));
  t.true(body.failures.every((row: { message: string }) => row.message.endsWith('.')));
});

test('an absent list of files is empty, and an entry without address and name is skipped', async (t) => {
  const { owner, client, root } = await scene();
  const none = { datasets: [], failures: [] };
  for (const body of [{ files: [] }, { files: null }, {}, { files: [{ url: null, fileName: null }, {}] }]) {
    const answer = await bring(owner, root, body);
    t.deepEqual([answer.status, answer.body], [200, none], JSON.stringify(body));
  }
  const file = { url: await upload(w, client, 'x'), fileName: 'x' };
  const { body } = await bring(owner, root, { files: [file, { url: null, fileName: null }] });
  t.deepEqual([body.datasets.length, body.failures], [1, []]);
  const half = await bring(owner, root, { files: [{ url: file.url }, {}, { fileName: 'x', url: null }] });
  t.is(half.status, 400);
  t.deepEqual(half.body.errors, {
    'files[0].fileName': ['files[0].fileName is required.'],
    'files[2].url': ['files[2].url is required.'],
  });
});

test('a destination folder below the project, in both spellings; a missing one is 404, or created on request', async (t) => {
  const { owner, client, root } = await scene();
  const file = async () => [{ url: await upload(w, client, 'x'), fileName: 'x' }];
  t.is((await bring(owner, root, { files: await file(), destinationPath: 'a/b' })).status, 404);
  const made = await bring(owner, root, {
    files: await file(),
    destingationPath: '/a/b/',
    createDestinationPathIfNotExists: true,
  });
  t.is(made.status, 200);
  t.is((await bring(owner, root, { files: await file(), destinationPath: 'a/b' })).status, 200);
  const { data } = (await client.get(`/api/metadata/project/${root}/dataset/recursive-list`)).body;
  t.deepEqual(
    data.map((row: { relativePath: string }) => row.relativePath),
    ['a/b', 'a/b'],
  );
  t.is((await bring(owner, root, { files: await file(), destinationPath: 'a/../b' })).status, 400);
  const none = await bring(owner, root, {
    files: [{ url: 'http://x/', fileName: 'x' }],
    destinationPath: 'c',
    createDestinationPathIfNotExists: true,
  });
  t.is(none.body.failures.length, 1);
  t.is((await client.get(`/api/project/${root}/subprojects`)).body.data.length, 1, 'nothing is made for no file');
});

test('import needs canCreateContent where the files go', async (t) => {
  const { owner, client, root } = await scene();
  const reader = await w.account();
  await client.post(`/api/metadata/project/${root}/member`, { userId: reader.userId, role: 'Reader' });
  await subproject(client, root, { name: 'own', members: [{ userId: reader.userId, role: 'Contributor' }] });
  const files = [{ url: await upload(w, w.as(reader), 'x'), fileName: 'x' }];
  t.is((await bring(reader, root, { files })).status, 403);
  t.is(
    (await bring(reader, root, { files, destinationPath: 'new', createDestinationPathIfNotExists: true })).status,
    403,
  );
  t.is((await bring(reader, root, { files, destinationPath: 'own' })).body.datasets.length, 1);
  t.is((await bring(await w.account(), root, { files })).status, 404);
  t.is((await bring(owner, root, { files: 'x' })).status, 400);
});

test('a staged file may be imported repeatedly, concurrently and by a transfer; each dataset has its own copy', async (t) => {
  const { owner, client, root } = await scene();
  const url = await upload(w, client, 'shared');
  const files = [
    { url, fileName: 'a' },
    { url, fileName: 'b' },
  ];
  const answers = await Promise.all([bring(owner, root, { files }), bring(owner, root, { files })]);
  const ids = answers.flatMap(({ body }) => body.datasets.map((row: { datasetId: string }) => row.datasetId));
  t.is(ids.length, 4);
  for (const id of ids) t.is(await read(owner, id), 'shared');
  const rows = await w.sql('select blob from datasets where id = any($1)', [ids]);
  t.is(new Set(rows.map((row) => row.blob)).size, 4);
  t.is((await start(client, copyRequest(root, url))).status, 200);
});

test('a staged file outlives the permanent removal of its dataset, and may be imported again', async (t) => {
  const { owner, client, root } = await scene();
  const files = [{ url: await upload(w, client, 'kept'), fileName: 'a' }];
  const first = (await bring(owner, root, { files })).body.datasets[0].datasetId;
  const second = (await bring(owner, root, { files })).body.datasets[0].datasetId;
  for (const id of [first, second]) {
    const [{ blob } = { blob: '' }] = await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]);
    await client.delete(`/api/metadata/dataset/${id}`);
    t.is((await client.delete(`/api/recycle-bin/dataset/${id}`)).status, 204);
    await removeSpentBlobs(w.db, w.blobs);
    t.is((await w.blobs.info(blob)) !== undefined, id === first, 'the copy is gone, the upload is not');
  }
  const { datasets, failures } = (await bring(owner, root, { files })).body;
  t.deepEqual(failures, []);
  t.is(await read(owner, datasets[0].datasetId), 'kept');
});

test.serial(
  'the blob store copies content, without a lock of the tree; a later failure leaves nothing behind',
  async (t) => {
    const { owner, client, root } = await scene();
    const folder = await subproject(client, root, { name: 'a' });
    const url = await upload(w, client, 'copied');
    const files = [
      { url, fileName: 'a' },
      { url, fileName: 'b' },
    ];
    const { copy } = w.blobs;
    const copies: string[] = [];
    w.blobs.copy = async (from, to, ...rest) => {
      copies.push(to);
      t.is((await client.delete(`/api/project/${folder}`)).status, 204, 'the tree is free');
      return copy.call(w.blobs, from, to, ...rest);
    };
    try {
      t.is((await bring(owner, root, { files, destinationPath: 'a' })).status, 404);
    } finally {
      w.blobs.copy = copy;
    }
    t.is(copies.length, 1);
    t.deepEqual(await w.sql('select from datasets where project_id = any($1)', [[root, folder]]), []);
    await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
    t.is(await w.blobs.info(copies[0]!), undefined);
    t.is((await w.nobody.put(local(url), Buffer.from('again'))).status, 201, 'it was not taken');
    const answer = await bring(owner, root, { files });
    for (const { datasetId } of answer.body.datasets) t.is(await read(owner, datasetId), 'again');
  },
);
