import test from 'ava';
import { pathSegment } from '../../cli/paths.ts';
import { newDataset, subproject } from '../world/content.ts';
import { ASCII_GRID, local, newProject, start, upload } from '../world/transfers.ts';
import { type User, world } from '../world.ts';

const w = world(test);

async function scene() {
  const owner = await w.account();
  const client = w.as(owner);
  return { owner, client, root: await newProject(client) };
}
const apply = (user: User, projectId: string, actions: object[]) =>
  w.as(user).post(`/api/hierarchy/project/${projectId}`, { actions });
const ensure = (path: string, isFolder = false) => ({ type: 'PathActionCreateIfNotExists', path, isFolder });

/** A name, and how it stands in a path. */
const NAMES: Record<string, string> = {
  'upload/download test': 'upload%2Fdownload test',
  'Q m3/s': 'Q m3%2Fs',
  '/': '%2F',
  'a%2Fb': 'a%252Fb',
  'a%252Fb': 'a%25252Fb',
  'a/%2F/b': 'a%2F%252F%2Fb',
  '100 % & a%2f?#\\ "x" %25': '100 % & a%2f?#\\ "x" %25',
  'Überfluß 水 👩🏽‍🌾': 'Überfluß 水 👩🏽‍🌾',
};

test('names of projects, subprojects and datasets may contain any printable character, also slashes', async (t) => {
  const { owner, client, root } = await scene();
  for (const name of Object.keys(NAMES)) {
    t.is((await client.post('/api/metadata/project', { name })).body.name, name);
    const id = await subproject(client, root, { name });
    t.is((await client.get(`/api/metadata/project/${id}`)).body.name, name);
    const path = (await client.get(`/api/project/${id}/path`)).body.data;
    t.is(path[1].name, name, 'a name by itself is as it is');
    const dataset = (await client.get(`/api/metadata/dataset/${await newDataset(w, root, owner)}`)).body;
    const renamed = await client.put(`/api/metadata/project/${root}/dataset`, { ...dataset, name });
    t.is(renamed.body.name, name, JSON.stringify(renamed.body));
  }
});

test('a name of 0 or 256 characters, with control characters or of blanks only is 400 everywhere', async (t) => {
  const { owner, client, root } = await scene();
  const dataset = (await client.get(`/api/metadata/dataset/${await newDataset(w, root, owner)}`)).body;
  const uploadUrl = await upload(w, client, ASCII_GRID);
  const grid = { uploadUrl, originalFileName: 'x.asc', readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };
  const older = { projectId: root, format: 'asciigrid', uploadUrl, fileName: 'x.asc' };
  const ways = (name: string) => [
    client.post('/api/metadata/project', { name }),
    client.post(`/api/metadata/project/${root}/subproject`, { name }),
    client.put(`/api/metadata/project/${root}/dataset`, { ...dataset, name }),
    start(client, { ...grid, projectId: root, outputDatasetData: { name } }),
    client.post('/api/conversion/upload', { ...older, datasetImportData: { name } }),
    client.post('/api/conversion/upload', { ...older, fileName: name }),
    apply(owner, root, [ensure(name)]),
  ];
  const wrong = ['', ' ', ' \u3000', '\u200b', '\u2800\u3164', 'x'.repeat(256), '👩'.repeat(256)];
  for (const name of [...wrong, 'a\u0000b', 'a\nb', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\ud800b'])
    for (const [way, answer] of (await Promise.all(ways(name))).entries())
      t.is(answer.status, 400, `${JSON.stringify(name)}, way ${way}: ${JSON.stringify(answer.body)}`);
  for (const name of ['👩'.repeat(255), ` ${'y'.repeat(255)} `]) {
    const [root, below, , transfer] = await Promise.all(ways(name));
    t.deepEqual(
      [root, below, transfer].map((answer) => answer?.status),
      [201, 201, 200],
    );
  }
});

test('constraints of the database reject invalid names', async (t) => {
  const { owner, root } = await scene();
  const dataset = await newDataset(w, root, owner);
  for (const name of ['', ' x', 'a\tb', 'a\u009fb', 'a\u2029b', 'x'.repeat(256)]) {
    await t.throwsAsync(w.sql('update projects set name = $2 where id = $1', [root, name]), { message: /name_check/ });
    await t.throwsAsync(w.sql('update datasets set name = $2 where id = $1', [dataset, name]), {
      message: /name_check/,
    });
  }
  await w.sql('update projects set name = $2 where id = $1', [root, 'Q m3/s %2F']);
  t.pass();
});

test('in hierarchy paths a slash in a name is %2F and a %2F in a name is %252F, in requests and responses', async (t) => {
  const { owner, client, root } = await scene();
  for (const [name, segment] of Object.entries(NAMES)) {
    const made = await apply(owner, root, [ensure(`${segment}/${segment}`)]);
    t.is(made.body.results[0].path, `${segment}/${segment}`);
    t.is(pathSegment(name), segment, 'the command line writes it the same');
    const folder = (await client.get(`/api/metadata/project/${made.body.results[0].projectId}`)).body;
    t.is(folder.name, name);
    t.is((await client.get(`/api/metadata/dataset/${made.body.results[0].datasetId}`)).body.name, name);
    const again = await apply(owner, root, [ensure(`${segment}/${segment}`)]);
    t.deepEqual(again.body.results[0].datasetId, made.body.results[0].datasetId, 'found by its path');
  }
  const [name = '', segment = ''] = Object.entries(NAMES)[0] ?? [];
  const taken = await apply(owner, root, [{ type: 'PathActionCreate', path: `${segment}/`, isFolder: true }]);
  t.true(taken.body.detail.includes(segment));
  const moved = await apply(owner, root, [
    { type: 'PathActionMove', path: `${segment}/`, newPath: 'plain%2F2/', isFolder: true },
    { type: 'PathActionDelete', path: `plain%2F2/${segment}`, isFolder: false },
  ]);
  t.deepEqual(
    moved.body.results.map(({ path }: { path: string }) => path),
    ['plain%2F2/', `plain%2F2/${segment}`],
  );
  const names = (await client.get(`/api/metadata/project/${root}/subproject/list`)).body.data;
  t.true(names.some((one: { name: string }) => one.name === 'plain/2'));
  t.false(names.some((one: { name: string }) => one.name === name));
});

test('relativePath of recursive lists and the destination of import-staged encode names as paths do', async (t) => {
  const { owner, client, root } = await scene();
  for (const [name, segment] of Object.entries(NAMES)) {
    const file = { url: await upload(w, client, 'x'), fileName: name };
    const brought = await client.post(`/api/conversion/project/${root}/file/import-staged`, {
      files: [file],
      destinationPath: `${segment}/below`,
      createDestinationPathIfNotExists: true,
    });
    t.deepEqual(brought.body.failures, []);
    t.is(brought.body.datasets[0].fileName, name);
    const { data } = (await client.get(`/api/metadata/project/${root}/dataset/recursive-list?limit=1000`)).body;
    const row = data.find(({ id }: { id: string }) => id === brought.body.datasets[0].datasetId);
    t.is(row.relativePath, `${segment}/below`);
    t.is(row.name, name);
    const folders = (await client.get(`/api/metadata/project/${root}/offset-list-recursive?limit=1000`)).body.data;
    const below = folders.find(({ id }: { id: string }) => id === row.projectId);
    t.is(below.relativePath, segment);
    const listed = `${below.relativePath}/${below.name}`;
    const found = await apply(owner, root, [ensure(`${listed}/${segment}`)]);
    t.is(found.body.results[0].datasetId, row.id, 'a relativePath is a path of the hierarchy');
  }
});

test('a folder token works below a folder with a slash in its name; file sync returns encoded path segments', async (t) => {
  const { owner, client, root } = await scene();
  const folder = await subproject(client, root, { name: 'a/b', inheritsMembers: true });
  const id = await newDataset(w, folder, owner, { name: '../x/y', content: 'deep', datasetFormat: 'file' });
  const [made] = (await apply(owner, root, [ensure('a%2Fb/', true)])).body.results;
  t.is(made.projectId, folder);
  const read = await w.nobody.get(`/api/blob/dataset/${id}?${made.sasToken}`);
  t.is(String(read.raw), 'deep');
  const answer = await client.get('/api/filesync/prepare-download', { 'svc-project-id': folder });
  t.deepEqual(
    answer.body.data.map((row: { name: string }) => row.name),
    ['..%2Fx%2Fy'],
  );
  const download = await w.nobody.get(local(answer.body.data[0].url));
  t.true(String(download.headers['content-disposition']).includes('.._x_y'), 'saved as one file');
});

test('an export of a dataset with a slash in its name is one file', async (t) => {
  const { owner, client, root } = await scene();
  const id = await newDataset(w, root, owner, { name: 'Q m3/s', datasetFormat: 'geotiff' });
  const exported = await client.post(`/api/metadata/dataset/${id}/download-convert`, { writerName: 'AsciiGridWriter' });
  const { exportParameters } = (await client.get(`/api/conversion/transfer/${exported.body.id}`)).body;
  t.is(exportParameters.outputFileName, 'Q m3_s.asc');
});
