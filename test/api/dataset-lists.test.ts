import test from 'ava';
import { newDataset, subproject } from '../world/content.ts';
import { local, newProject } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);

/** A tree with files at every level, and a reader without access to one branch. */
async function tree() {
  const [owner, reader] = [await w.account(), await w.account()];
  const client = w.as(owner);
  const root = await newProject(client, 'River', [{ user: reader, role: 'Reader' }]);
  const make = (parent: string, name: string, inheritsMembers = true) =>
    subproject(client, parent, { name, inheritsMembers });
  const a = await make(root, 'a');
  const ab = await make(a, 'b');
  const space = await make(root, 'a b');
  const hidden = await make(root, 'hidden', false);
  const under = await subproject(client, hidden, {
    name: 'under',
    members: [{ userId: reader.userId, role: 'Reader' }],
  });
  const gone = await make(root, 'gone');
  for (const [projectId, name] of [
    [ab, 'y'],
    [ab, 'x'],
    [root, 'top'],
    [a, 'x'],
    [space, 'x'],
    [hidden, 'secret'],
    [under, 'secret'],
    [gone, 'deleted'],
  ] as const) {
    await newDataset(w, projectId, owner, { name });
  }
  await newDataset(w, a, owner, { name: 'z', datasetType: 'tiles', datasetFormat: 'tiles' });
  await client.delete(`/api/project/${gone}`);
  return { owner, reader, root, a };
}

const list = (root: string) => `/api/metadata/project/${root}/dataset/recursive-list`;

test('recursive-list has all visible items below a project, sorted by path, name and id, with exact counts', async (t) => {
  const { owner, reader, root } = await tree();
  const { body } = await w.as(reader).get(list(root));
  const places = (rows: { relativePath: string; name: string }[]) => rows.map((row) => [row.relativePath, row.name]);
  const seen = [
    ['', 'top'],
    ['a', 'x'],
    ['a', 'z'],
    ['a b', 'x'],
    ['a/b', 'x'],
    ['a/b', 'y'],
    // what is open to him below a folder that is not
    ['hidden/under', 'secret'],
  ];
  t.deepEqual(places(body.data), seen);
  t.like(body, { totalCount: 7, offset: 0, limit: 50 });
  t.deepEqual(Object.keys(body.data[0]).sort(), [
    'datasetType',
    'datasetUrl',
    'id',
    'name',
    'projectId',
    'relativePath',
  ]);
  const page = (await w.as(reader).get(`${list(root)}?Offset=2&Limit=2`)).body;
  t.deepEqual(places(page.data), seen.slice(2, 4));
  t.is(page.totalCount, 7);
  t.deepEqual((await w.as(reader).get(`${list(root)}?offset=7`)).body.data, []);
  const all = (await w.as(owner).get(list(root))).body;
  t.is(all.totalCount, 8);
});

test('files in recursive-list have a signed datasetUrl, other types do not; tokens are included on request', async (t) => {
  const { reader, root, a } = await tree();
  const { data } = (await w.as(reader).get(`${list(a)}?includeSasTokens=true`)).body;
  t.deepEqual(
    data.map((row: object) => ['datasetUrl' in row, 'sasToken' in row]),
    [
      [true, true],
      [false, true],
      [true, true],
      [true, true],
    ],
  );
  t.is(String((await w.nobody.get(local(data[0].datasetUrl))).raw), 'the bytes');
  t.is((await w.nobody.get(`/api/blob/dataset/${data[1].id}?${data[1].sasToken}`)).status, 200);
  const tiles = (await w.as(reader).get(`${list(root)}?datasetType=Tiles`)).body;
  t.is(tiles.totalCount, 1);
  t.is((await w.as(reader).get(`${list(root)}?datasetType=nonsense`)).status, 400);
});

test('list-summaries has id, name, type and dataPath of each dataset', async (t) => {
  const { reader, a } = await tree();
  const path = `/api/metadata/project/${a}/dataset/list-summaries`;
  const { data } = (await w.as(reader).get(path)).body;
  t.deepEqual(
    data.map((row: { name: string; datasetType: string }) => [row.name, row.datasetType]),
    [
      ['x', 'file'],
      ['z', 'tiles'],
    ],
  );
  t.deepEqual(Object.keys(data[0]).sort(), ['dataPath', 'datasetType', 'id', 'name']);
  t.is((await w.as(reader).get(`${path}?limit=1&offset=1`)).body.data[0].name, 'z');
});

test('a dataset whose permissions deny an account is absent from every list of that account', async (t) => {
  const { owner, reader, a } = await tree();
  const [x] = (await w.as(owner).get(`/api/metadata/project/${a}/dataset/list`)).body.data;
  const permissions = [{ principals: [reader.userId], operation: ' Read ', type: 'denied' }];
  const path = `/api/metadata/project/${a}/dataset`;
  const put = await w.as(owner).put(path, { id: x.id, name: 'x', permissions });
  t.deepEqual(put.body.permissions, [{ principals: [reader.userId], operation: 'read', type: 'Denied' }]);
  for (const url of [`${path}/list`, `${path}/list-summaries`, list(a)]) {
    const mine = (await w.as(owner).get(url)).body.data;
    const his = (await w.as(reader).get(url)).body.data;
    t.is(his.length, mine.length - 1, url);
    t.false(JSON.stringify(his).includes(x.id));
  }
  for (const url of [`/api/metadata/dataset/${x.id}`, `/api/raw/dataset/${x.id}`]) {
    t.is((await w.as(reader).get(url)).status, 404);
  }
});

test('reading and changing permissions of a dataset needs canGrantAccess; sending them back unchanged is allowed', async (t) => {
  const [owner, contributor] = [await w.account(), await w.account()];
  const projectId = await newProject(w.as(owner), 'River', [{ user: contributor, role: 'Contributor' }]);
  const id = await newDataset(w, projectId, owner);
  const path = `/api/metadata/project/${projectId}/dataset`;
  const permissions = [{ principals: [contributor.id], operation: 'delete', type: 'Denied' }];
  t.is((await w.as(contributor).put(path, { id, name: 'n', permissions })).status, 403);
  t.is((await w.as(owner).put(path, { id, name: 'n', permissions })).status, 200);
  t.deepEqual((await w.as(owner).put(path, { id, name: 'kept' })).body.permissions, permissions);
  t.false('permissions' in (await w.as(contributor).get(`/api/metadata/dataset/${id}`)).body);
  t.is((await w.as(contributor).put(path, { id, name: 'n', permissions })).status, 200);
  t.is((await w.as(contributor).put(path, { id, name: 'n', permissions: [] })).status, 403);
  t.is((await w.as(contributor).delete(`/api/metadata/dataset/${id}`)).status, 403);
  t.is((await w.as(owner).put(path, { id, name: 'n', permissions: [] })).status, 200);
  t.is((await w.as(contributor).delete(`/api/metadata/dataset/${id}`)).status, 204);
});

test('temporal and spatial information are replaced if sent, with member names in any letter case', async (t) => {
  const owner = await w.account();
  const projectId = await newProject(w.as(owner));
  const id = await newDataset(w, projectId, owner);
  const put = async (body: object) =>
    await w.as(owner).put(`/api/metadata/project/${projectId}/dataset`, { id, name: 'n', ...body });
  const { body } = await put({
    temporalInformation: { startTime: '2020-01-01T00:00:00', endTime: null, Interval: '1:00:00', resolution: 3600 },
    spatialInformation: { Location: 'POINT(12 55)', SRID: 25832, primarySpatialReference: 'UTM', resolution: 10.5 },
  });
  t.deepEqual(body.temporalInformation, { startTime: '2020-01-01T00:00:00', interval: '1:00:00', resolution: 3600 });
  t.deepEqual(body.spatialInformation, {
    location: 'POINT(12 55)',
    srid: 25832,
    primarySpatialReference: 'UTM',
    resolution: 10.5,
  });
  t.deepEqual((await put({})).body.spatialInformation, body.spatialInformation);
  const refused = await put({ spatialInformation: { srid: 'EPSG:25832' } });
  t.is(refused.status, 400);
  t.truthy(refused.body.errors['spatialInformation.srid']);
});

test('a row that violates the schema fails the list instead of being left out', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const below = await subproject(client, projectId, { name: 'below' });
  t.is((await client.get(`/api/project/${projectId}/subprojects`)).status, 200);
  await w.sql(`update projects set permissions = '[3]' where id = $1`, [below]);
  t.is((await client.get(`/api/project/${projectId}/subprojects`)).status, 500);
});
