import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import type { NewDataset } from '../../src/datasets/queries.ts';
import { AppError } from '../../src/errors.ts';
import { newDataset } from '../world/content.ts';
import { local, newProject } from '../world/transfers.ts';
import { type User, world } from '../world.ts';

const w = world(test);

const project = (owner: User, members: { user: User; role: string }[] = []) =>
  newProject(w.as(owner), 'River', members);
const dataset = (projectId: string, owner: User, more: Partial<NewDataset> = {}) =>
  newDataset(w, projectId, owner, more);

test('a dataset record has all required members, and the optional ones that are set', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const plain = (await w.as(owner).get(`/api/metadata/dataset/${await dataset(projectId, owner)}`)).body;
  t.deepEqual(Object.keys(plain).sort(), [
    'createdAt',
    'createdBy',
    'dataPath',
    'datasetFormat',
    'datasetType',
    'hasThumbnail',
    'id',
    'metadata',
    'name',
    'permissions',
    'projectId',
    'properties',
    'rowVersion',
    'storageSize',
    'tags',
    'updatedAt',
    'updatedBy',
  ]);
  t.like(plain, { name: 'terrain', datasetType: 'file', datasetFormat: 'geotiff', projectId, storageSize: 9 });
  t.deepEqual([plain.metadata, plain.properties, plain.tags], [{}, {}, []]);
  t.true(plain.dataPath.endsWith(`/api/blob/dataset/${plain.id}`));

  const spatialInformation = { location: 'POINT(12 55)', srid: 25832, resolution: 10 };
  const id = await dataset(projectId, owner, {
    description: 'measured',
    metadata: { a: null, B: [1] },
    properties: { statistics: { min: 1 } },
    spatialInformation,
  });
  const rich = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  t.like(rich, { description: 'measured', createdBy: owner.userId });
  t.deepEqual(rich.metadata, { a: null, B: [1] });
  t.deepEqual(rich.properties, { statistics: { min: 1 } });
  t.deepEqual(rich.spatialInformation, spatialInformation);
});

test('only accounts with a role in its project see a dataset', async (t) => {
  const [owner, reader, stranger] = [await w.account(), await w.account(), await w.account()];
  const projectId = await project(owner, [{ user: reader, role: 'Reader' }]);
  const id = await dataset(projectId, owner);
  for (const path of [`/api/metadata/dataset/${id}`, `/api/raw/dataset/${id}`]) {
    t.is((await w.as(reader).get(path)).status, 200);
    t.is((await w.as(stranger).get(path)).status, 404);
    t.is((await w.nobody.get(path)).status, 401);
  }
  t.is((await w.as(stranger).get(`/api/metadata/project/${projectId}/dataset/list`)).status, 404);
  t.is((await w.as(owner).get(`/api/metadata/dataset/${randomUUID()}`)).status, 404);
  t.is((await w.as(owner).get('/api/metadata/dataset/17')).status, 404);
});

test('the list has the datasets directly in the project by name, duplicates included, unlimited without limit', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  await dataset(await project(owner), owner, { name: 'elsewhere' });
  for (const name of ['b', 'a', 'Å', 'a']) await dataset(projectId, owner, { name });
  const path = `/api/metadata/project/${projectId}/dataset/list`;
  const list = async (query: string) =>
    (await w.as(owner).get(path + query)).body.data.map((one: { name: string }) => one.name);
  t.deepEqual(await list(''), ['a', 'a', 'b', 'Å']);
  t.deepEqual(await list('?limit=2&offset=1'), ['a', 'b']);
  t.deepEqual(await list('?offset=9&limit=1'), []);
});

test('includeSasTokens adds a signed query that reads the dataset’s dataPath', async (t) => {
  const [owner, reader] = [await w.account(), await w.account()];
  const projectId = await project(owner, [{ user: reader, role: 'Reader' }]);
  await dataset(projectId, owner);
  const path = `/api/metadata/project/${projectId}/dataset/list`;
  t.false('sasToken' in (await w.as(reader).get(path)).body.data[0]);
  const [row] = (await w.as(reader).get(`${path}?IncludeSasTokens=True`)).body.data;
  const read = await w.nobody.get(local(`${row.dataPath}?${row.sasToken}`));
  t.is(read.status, 200);
  t.is(String(read.raw), 'the bytes');
  t.is((await w.nobody.get(local(row.dataPath))).status, 403);
});

test('raw returns a signed address that downloads the content under the dataset’s name, also in ranges', async (t) => {
  const owner = await w.account();
  const id = await dataset(await project(owner), owner);
  const { data } = (await w.as(owner).get(`/api/raw/dataset/${id}`)).body;
  const whole = await w.nobody.get(local(data));
  t.is(String(whole.raw), 'the bytes');
  t.is(whole.headers['content-disposition'], 'attachment; filename="terrain.tif"');
  const part = await w.nobody.get(local(data), { range: 'bytes=4-8' });
  t.is(part.status, 206);
  t.is(String(part.raw), 'bytes');
  const put = await w.nobody.put(local(data), Buffer.from('x'), { 'content-type': 'application/octet-stream' });
  t.is(put.status, 403);
});

test('a download of Terrain.TIF gets no second extension; downloadFileName sets another name', async (t) => {
  const owner = await w.account();
  const id = await dataset(await project(owner), owner, { name: 'Terrain.TIF' });
  const named = async (query: string) => {
    const { data } = (await w.as(owner).get(`/api/raw/dataset/${id}${query}`)).body;
    return (await w.nobody.get(local(data))).headers['content-disposition'];
  };
  t.is(await named(''), 'attachment; filename="Terrain.TIF"');
  t.is(await named('?downloadFileName=mine.bin'), 'attachment; filename="mine.bin"');
});

for (const scoped of [false, true]) {
  const path = scoped ? 'DELETE /api/project/{projectId}/dataset/{id}' : 'DELETE /api/metadata/dataset/{id}';
  test(`${path} moves a dataset to the recycle bin: 204, then 404 on every route`, async (t) => {
    const owner = await w.account();
    const projectId = await project(owner);
    const id = await dataset(projectId, owner);
    const { data: address } = (await w.as(owner).get(`/api/raw/dataset/${id}`)).body;
    const url = scoped ? `/api/project/${projectId}/dataset/${id}` : `/api/metadata/dataset/${id}`;
    const answers = await Promise.all([1, 2, 3].map(() => w.as(owner).delete(url)));
    t.deepEqual(answers.map((answer) => answer.status).sort(), [204, 404, 404]);
    t.is((await w.as(owner).get(`/api/metadata/dataset/${id}`)).status, 404);
    t.is((await w.as(owner).get(`/api/raw/dataset/${id}`)).status, 404);
    t.deepEqual((await w.as(owner).get(`/api/metadata/project/${projectId}/dataset/list`)).body.data, []);
    t.is((await w.nobody.get(local(address))).status, 404);
  });
}

test('deleting a dataset needs canDeleteContent, the right project, and no transfer that is writing it', async (t) => {
  const [owner, reader, contributor, stranger] = [
    await w.account(),
    await w.account(),
    await w.account(),
    await w.account(),
  ];
  const projectId = await project(owner, [
    { user: reader, role: 'Reader' },
    { user: contributor, role: 'Contributor' },
  ]);
  const id = await dataset(projectId, owner);
  t.is((await w.as(reader).delete(`/api/metadata/dataset/${id}`)).status, 403);
  t.is((await w.as(stranger).delete(`/api/metadata/dataset/${id}`)).status, 404);
  const elsewhere = await project(owner);
  t.is((await w.as(owner).delete(`/api/project/${elsewhere}/dataset/${id}`)).status, 404);
  await lock(id, randomUUID());
  t.is((await w.as(contributor).delete(`/api/metadata/dataset/${id}`)).status, 409);
  await lock(id, null);
  t.is((await w.as(contributor).delete(`/api/metadata/dataset/${id}`)).status, 204);
});

test('datasets of a deleted project and their content are unavailable, and none can be added', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const id = await dataset(projectId, owner);
  const { data: address } = (await w.as(owner).get(`/api/raw/dataset/${id}`)).body;
  await w.as(owner).delete(`/api/project/${projectId}`);
  t.is((await w.as(owner).get(`/api/metadata/dataset/${id}`)).status, 404);
  t.is((await w.as(owner).delete(`/api/metadata/dataset/${id}`)).status, 404);
  t.is((await w.nobody.get(local(address))).status, 404);
  const error = await t.throwsAsync(dataset(projectId, owner), { instanceOf: AppError });
  t.is(error?.message, 'The project was deleted.');
});

test('PUT replaces the metadata of a dataset, ignores read-only members, and keeps measured values', async (t) => {
  const [owner, contributor, reader] = [await w.account(), await w.account(), await w.account()];
  const projectId = await project(owner, [
    { user: contributor, role: 'Contributor' },
    { user: reader, role: 'Reader' },
  ]);
  const id = await dataset(projectId, owner, { description: 'old', spatialInformation: { srid: 4326 } });
  const before = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  const path = `/api/metadata/project/${projectId}/dataset`;
  const answer = await w.as(contributor).put(path, {
    ...before,
    description: null,
    name: 'new',
    tags: ['x'],
    metadata: { k: null },
    datasetFormat: 'vtu',
    storageSize: 0,
  });
  t.is(answer.status, 200);
  t.like(answer.body, { id, name: 'new', datasetFormat: 'geotiff', storageSize: 9, updatedBy: contributor.userId });
  t.false('description' in answer.body);
  t.deepEqual(
    [answer.body.tags, answer.body.metadata, answer.body.spatialInformation],
    [['x'], { k: null }, { srid: 4326 }],
  );
  t.not(answer.body.rowVersion, before.rowVersion);
  t.is((await w.as(contributor).put(path, before)).status, 409);
  t.is((await w.as(reader).put(path, answer.body)).status, 403);
  t.is((await w.as(owner).put(`/api/metadata/project/${await project(owner)}/dataset`, answer.body)).status, 404);
  t.is((await w.as(owner).put(path, { id, name: '' })).status, 400);
});

test('a request that waited for a dataset during its move finds the dataset in its new project', async (t) => {
  const owner = await w.account();
  const [from, to] = [await project(owner), await project(owner)];
  const other = new pg.Client({ connectionString: w.url });
  await other.connect();
  t.teardown(() => other.end());
  const { rows: backend } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
  const remove = (id: string) => w.as(owner).delete(`/api/metadata/dataset/${id}`);
  const read = (id: string) =>
    w.as(owner).post(`/api/metadata/dataset/${id}/download-convert`, { writerName: 'GeoTiffWriter' });
  for (const request of [remove, read]) {
    const id = await dataset(from, owner);
    await other.query('begin');
    await other.query('update datasets set project_id = $1 where id = $2', [to, id]);
    let isOver = false;
    const asked = request(id).finally(() => {
      isOver = true;
    });
    const waiting = () =>
      w.sql(`select from pg_stat_activity where pg_blocking_pids(pid) @> array[$1::int]`, [backend[0]!.pid]);
    while (!isOver && (await waiting()).length === 0) await sleep(10);
    t.false(isOver, 'it waits');
    await other.query('commit');
    const { status, body } = await asked;
    t.true(status < 300, JSON.stringify(body));
  }
});

test('exactly one of several concurrent changes from the same rowVersion succeeds', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const id = await dataset(projectId, owner);
  const { rowVersion } = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      w.as(owner).put(`/api/metadata/project/${projectId}/dataset`, { id, name, rowversion: rowVersion }),
    ),
  );
  t.deepEqual(answers.map((answer) => answer.status).sort(), [200, 409, 409]);
});

async function lock(id: string, transfer: string | null) {
  const client = new pg.Client({ connectionString: w.url });
  await client.connect();
  await client.query('update datasets set locked_by = $1 where id = $2', [transfer, id]);
  await client.end();
}
