import test from 'ava';
import { makeProject } from '../world/projects.ts';
import { type User, world } from '../world.ts';

const w = world(test);
const put = (user: User, body: object) => w.as(user).put('/api/metadata/project', body);
const patch = (user: User, body: object) => w.as(user).patch('/api/metadata/project/', body);

test('PUT project replaces: an absent description is removed, absent metadata and settings are {}, members are ignored', async (t) => {
  const [owner, reader] = [await w.account(), await w.account()];
  const before = await makeProject(w, owner, {
    description: 'text',
    metadata: { a: 1 },
    settings: { b: null },
    accessLevel: 'Private',
    members: [[reader, 'Reader']],
  });
  const answer = await put(owner, { ID: before.id, name: ' Lake ', members: [], capabilities: null, createdAt: 'x' });
  t.is(answer.status, 200);
  const after = answer.body;
  t.like(after, { id: before.id, name: 'Lake', metadata: {}, settings: {}, accessLevel: 'Private' });
  t.false('description' in after);
  t.deepEqual(after.members, before.members);
  t.is(after.createdAt, before.createdAt);
  t.true(after.updatedAt > before.updatedAt);
  t.not(after.rowVersion, before.rowVersion);
  t.deepEqual((await w.as(owner).get(`/api/metadata/project/${before.id}`)).body, after);
  t.is((await put(owner, { ...after, description: 'back' })).body.description, 'back', 'a record that comes back');
});

test('a stale rowVersion is 409, also for concurrent writes', async (t) => {
  const owner = await w.account();
  const { id, rowVersion } = await makeProject(w, owner);
  const answers = await Promise.all([1, 2, 3].map((n) => put(owner, { id, name: `n${n}`, rowVersion })));
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  t.is((await patch(owner, { id, accessLevel: 'Private', rowVersion })).status, 409);
});

test('PUT needs canEdit; changing the access level canEditAccessLevel; permissions canGrantAccess', async (t) => {
  const [owner, contributor, reader, stranger] = [
    await w.account(),
    await w.account(),
    await w.account(),
    await w.account(),
  ];
  const { id } = await makeProject(w, owner, {
    members: [
      [contributor, 'Contributor'],
      [reader, 'Reader'],
    ],
  });
  const body = { id, name: 'New' };
  t.is((await put(reader, body)).status, 403);
  t.is((await put(stranger, body)).status, 404);
  t.is((await put(contributor, { ...body, accessLevel: 'Shared' })).status, 200);
  t.is((await put(contributor, { ...body, accessLevel: 'Private' })).status, 403);
  t.is((await put(contributor, { ...body, permissions: [] })).status, 403);
  t.is((await patch(contributor, { id, accessLevel: 'Private' })).status, 403);
  t.is((await put(owner, { ...body, accessLevel: 'Private' })).body.accessLevel, 'Private');
});

test('PATCH sets the access level of a project and returns id and rowVersion', async (t) => {
  const owner = await w.account();
  const { id } = await makeProject(w, owner);
  const answer = await patch(owner, { id, accesslevel: 'confidential' });
  t.is(answer.status, 200);
  t.deepEqual(Object.keys(answer.body).sort(), ['id', 'rowVersion']);
  t.like((await w.as(owner).get(`/api/metadata/project/${id}`)).body, { accessLevel: 'Confidential', ...answer.body });
  t.is((await patch(owner, { id, accessLevel: 'Open' })).status, 400);
  t.is((await patch(owner, { id })).status, 400);
});

const PICTURES = {
  'image/png': Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'),
  'image/jpeg': Buffer.from('\xff\xd8\xff\xe0rest', 'latin1'),
  'image/webp': Buffer.from('RIFF\x04\0\0\0WEBPrest', 'latin1'),
};
for (const [type, bytes] of Object.entries(PICTURES)) {
  test(`a thumbnail of type ${type} is detected by its bytes and returned unchanged; an empty one removes it`, async (t) => {
    const owner = await w.account();
    const before = await makeProject(w, owner);
    const url = `/api/metadata/project/${before.id}/thumbnail`;
    t.is((await w.as(owner).get(url)).status, 404);
    t.is((await w.as(owner).put(url, { thumbnailBase64: bytes.toString('base64') })).status, 204);
    const shown = await w.as(owner).get(url);
    t.is(shown.headers['content-type'], type);
    t.deepEqual(shown.raw, bytes);
    const record = (await w.as(owner).get(`/api/metadata/project/${before.id}`)).body;
    t.true(record.hasThumbnail);
    t.not(record.rowVersion, before.rowVersion);
    t.is((await w.as(owner).put(url, { thumbnailBase64: '' })).status, 204);
    t.is((await w.as(owner).get(url)).status, 404);
  });
}

test('a thumbnail that is not an image, not base64 or above 1 MiB is 400; creation may include one', async (t) => {
  const owner = await w.account();
  const thumbnailBase64 = PICTURES['image/png'].toString('base64');
  const { id, hasThumbnail } = await makeProject(w, owner, { thumbnailBase64 });
  t.true(hasThumbnail);
  const large = Buffer.concat([PICTURES['image/png'], Buffer.alloc(2 ** 20)]).toString('base64');
  for (const wrong of [Buffer.from('GIF89a').toString('base64'), 'not base64!', large]) {
    const answer = await w.as(owner).put(`/api/metadata/project/${id}/thumbnail`, { thumbnailBase64: wrong });
    t.is(answer.status, 400);
    t.truthy(answer.body.errors.thumbnailBase64);
  }
});
