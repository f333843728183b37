import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type User, world } from '../world.ts';

const w = world(test);
const NINE = [
  'canEdit',
  'canEditAccessLevel',
  'canDelete',
  'canGrantAccess',
  'canCreateContent',
  'canListContent',
  'canUpdateContent',
  'canDeleteContent',
  'canReadContent',
];
const allowed = (capabilities: Record<string, boolean>) =>
  Object.keys(capabilities)
    .filter((name) => capabilities[name])
    .sort();

async function project(owner: User, body: object = {}) {
  const answer = await w.as(owner).post('/api/metadata/project', { name: 'River', ...body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

test('creating a project is 201 with Location and the whole project, which GET returns unchanged', async (t) => {
  const owner = await w.account();
  const answer = await w.as(owner).post('/api/metadata/project', {
    Name: '  Østre Å ',
    description: 'text',
    metadata: { Kept: { As: null } },
    settings: null,
    members: [],
    unknown: 1,
  });
  t.is(answer.status, 201);
  const made = answer.body;
  t.like(made, {
    name: 'Østre Å',
    description: 'text',
    metadata: { Kept: { As: null } },
    settings: {},
    accessLevel: 'Shared',
    inheritsMembers: false,
    createdBy: owner.userId,
    updatedBy: owner.userId,
    createdAt: made.updatedAt,
  });
  t.regex(made.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/);
  t.is(typeof made.rowVersion, 'string');
  t.deepEqual(made.members, [{ userId: owner.userId, role: 'Owner', principalType: 'UserIdentity' }]);
  t.deepEqual(Object.keys(made.capabilities).sort(), [...NINE].sort());
  t.false('parentProjectId' in made);
  t.true(String(answer.headers.location).endsWith(`/api/metadata/project/${made.id}`));
  t.deepEqual((await w.as(owner).get(`/api/metadata/project/${made.id}`)).body, made);
});

test('an absent description is omitted from the response', async (t) => {
  const made = await project(await w.account());
  t.false('description' in made);
  t.deepEqual(made.metadata, {});
});

test('Owner, Contributor and Reader have the capabilities of their role; without a role there are none', async (t) => {
  const [owner, contributor, reader, stranger] = [
    await w.account(),
    await w.account(),
    await w.account(),
    await w.account(),
  ];
  const { id } = await project(owner, {
    members: [
      { userId: contributor.userId, role: 'ProjectMemberRole.CONTRIBUTOR' },
      { userid: reader.userId.toUpperCase(), role: 'reader' },
    ],
  });
  const of = async (user: User) => (await w.as(user).get(`/api/metadata/project/${id}/capabilities`)).body;
  t.deepEqual(allowed(await of(owner)), [...NINE].sort());
  t.deepEqual(
    allowed(await of(contributor)),
    ['canEdit', 'canCreateContent', 'canListContent', 'canUpdateContent', 'canDeleteContent', 'canReadContent'].sort(),
  );
  t.deepEqual(allowed(await of(reader)), ['canListContent', 'canReadContent']);
  t.is(Object.keys(await of(reader)).length, 9);
  for (const path of ['', '/member', '/capabilities']) {
    t.is((await w.as(stranger).get(`/api/metadata/project/${id}${path}`)).status, 404);
  }
  const members = (await w.as(reader).get(`/api/metadata/project/${id}/member`)).body.data;
  t.deepEqual(
    members.map((member: { userId: string; role: string }) => [member.userId, member.role]),
    [
      [owner.userId, 'Owner'],
      [contributor.userId, 'Contributor'],
      [reader.userId, 'Reader'],
    ],
  );
});

test('a tenant Owner is Owner of every project in it without being listed as a member', async (t) => {
  const tenantId = await w.tenant();
  const [maker, boss] = [await w.account({ tenantId }), await w.account({ tenantId, role: 'Owner' })];
  const made = await project(maker);
  const seen = await w.as(boss).get(`/api/metadata/project/${made.id}`);
  t.is(seen.status, 200);
  t.deepEqual(allowed(seen.body.capabilities), [...NINE].sort());
  t.deepEqual(seen.body.members, made.members);
  const roles = async (role: string) =>
    (await w.as(boss).get(`/api/metadata/project/list?role=${role}`)).body.data.map((one: { id: string }) => one.id);
  t.deepEqual(await roles('Owner'), [made.id]);
  t.deepEqual(await roles('Reader'), []);
});

test('accounts of other tenants may be members, and find the project by its id', async (t) => {
  const guest = await w.account({ tenantId: await w.tenant() });
  const { id } = await project(await w.account(), { members: [{ userId: guest.userId, role: 'Reader' }] });
  t.is((await w.as(guest).get(`/api/metadata/project/${id}`)).status, 200);
  t.deepEqual((await w.as(guest).get('/api/metadata/project/list')).body.data, []);
});

test('an unknown user and a user named twice are 400, and no project is created', async (t) => {
  const owner = await w.account();
  const other = await w.account();
  const nobody = randomUUID();
  const unknown = await w.as(owner).post('/api/metadata/project', {
    name: 'x',
    members: [
      { userId: other.userId, role: 'Reader' },
      { userId: nobody, role: 'Reader' },
    ],
  });
  t.is(unknown.status, 400);
  t.deepEqual(unknown.body.errors, { 'members[1].userId': [`User '${nobody}' does not exist.`] });
  const twice = await w.as(owner).post('/api/metadata/project', {
    name: 'x',
    members: [
      { userId: other.userId, role: 'Reader' },
      { userId: other.userId.toUpperCase(), role: 'Owner' },
    ],
  });
  t.is(twice.status, 400);
  t.truthy(twice.body.errors['members[1].userId']);
  t.is((await w.as(owner).get('/api/metadata/project/offset-list')).body.totalCount, 0);
});

for (const [what, body] of Object.entries({
  'no name': {},
  'an empty name': { name: '  ' },
  'a name with a control character': { name: 'a\tb' },
  'a name of 256 characters': { name: 'x'.repeat(256) },
  'an unknown role': { name: 'x', members: [{ userId: randomUUID(), role: 'Boss' }] },
  'an unknown access level': { name: 'x', accessLevel: 'Open' },
  'a list as metadata': { name: 'x', metadata: [] },
})) {
  test(`a project with ${what} is 400`, async (t) => {
    const answer = await w.as(await w.account()).post('/api/metadata/project', body);
    t.is(answer.status, 400);
    t.truthy(answer.body.errors);
  });
}

test('a name has up to 255 characters of one to four bytes', async (t) => {
  const name = '🌊'.repeat(255);
  t.is((await project(await w.account(), { name })).name, name);
});

const PATHS = ['/api/metadata/project/', '/api/project/'];
for (const path of PATHS) {
  test(`DELETE ${path}{id} moves a project to the recycle bin: 204, then 404 for all callers`, async (t) => {
    const owner = await w.account();
    const { id } = await project(owner);
    const answer = await w.as(owner).delete(path + id);
    t.is(answer.status, 204);
    t.is(answer.raw.length, 0);
    t.is((await w.as(owner).delete(path + id)).status, 404);
    for (const more of ['', '/member', '/capabilities', '/dataset/list']) {
      t.is((await w.as(owner).get(`/api/metadata/project/${id}${more}`)).status, 404);
    }
    t.deepEqual((await w.as(owner).get('/api/metadata/project/list')).body.data, []);
  });
}

test('a root project cannot inherit members', async (t) => {
  const client = w.as(await w.account());
  const answer = await client.post('/api/metadata/project', { name: 'Root', inheritsMembers: true });
  t.is(answer.status, 400);
  t.deepEqual(Object.keys(answer.body.errors), ['inheritsMembers']);
  t.is((await client.post('/api/metadata/project', { name: 'Root', inheritsMembers: false })).status, 201);
});

test('deleting a project needs canDelete: 403 if it is visible, otherwise 404', async (t) => {
  const [contributor, stranger] = [await w.account(), await w.account()];
  const { id } = await project(await w.account(), { members: [{ userId: contributor.userId, role: 'Contributor' }] });
  const refused = await w.as(contributor).delete(`/api/project/${id}`);
  t.is(refused.status, 403);
  t.true(refused.body.detail.includes(id));
  t.is((await w.as(stranger).delete(`/api/project/${id}`)).status, 404);
  t.is((await w.as(stranger).delete('/api/project/none')).status, 404);
});

test('exactly one of two concurrent deletions succeeds', async (t) => {
  const owner = await w.account();
  const { id } = await project(owner);
  const answers = await Promise.all([1, 2, 3].map(() => w.as(owner).delete(`/api/project/${id}`)));
  t.deepEqual(answers.map((answer) => answer.status).sort(), [204, 404, 404]);
});
