import test from 'ava';
import { newProject } from '../world/transfers.ts';
import type { User } from '../world.ts';
import { world } from '../world.ts';

const w = world(test);

async function subproject(user: User, parentId: string, body: object = {}) {
  const answer = await w.as(user).post(`/api/metadata/project/${parentId}/subproject`, { name: 'Below', ...body });
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const ids = (answer: { body: { data: { userId: string; role: string }[] } }) =>
  answer.body.data.map(({ userId, role }) => [userId, role]);

test('POST subproject creates a subproject, body identical to project creation: the caller becomes Owner, given members join', async (t) => {
  const [owner, reader] = [await w.account(), await w.account()];
  const parent = await newProject(w.as(owner));
  const answer = await w.as(owner).post(`/api/metadata/project/${parent}/subproject`, {
    name: ' Lake ',
    description: 'text',
    metadata: { a: { b: null } },
    accessLevel: 'private',
    members: [{ userId: reader.userId, role: 'Reader' }],
  });
  t.is(answer.status, 201);
  const made = answer.body;
  t.like(made, {
    name: 'Lake',
    description: 'text',
    metadata: { a: { b: null } },
    settings: {},
    accessLevel: 'Private',
    inheritsMembers: false,
    parentProjectId: parent,
    createdBy: owner.userId,
  });
  t.deepEqual(
    made.members.map((member: { userId: string; role: string }) => [member.userId, member.role]),
    [
      [owner.userId, 'Owner'],
      [reader.userId, 'Reader'],
    ],
  );
  t.true(String(answer.headers.location).endsWith(`/api/metadata/project/${made.id}`));
  t.deepEqual((await w.as(owner).get(`/api/metadata/project/${made.id}`)).body, made);
});

test('a subproject that inherits has no members of its own, and nobody becomes Owner by making it', async (t) => {
  const [owner, contributor] = [await w.account(), await w.account()];
  const parent = await newProject(w.as(owner), 'River', [{ user: contributor, role: 'Contributor' }]);
  const folder = await subproject(contributor, parent, { inheritsMembers: true });
  t.like(folder, { inheritsMembers: true, parentProjectId: parent, members: [] });
  t.false(folder.capabilities.canDelete);
  const beneath = await subproject(contributor, folder.id, { inheritsMembers: true });
  t.deepEqual(ids(await w.as(owner).get(`/api/metadata/project/${beneath.id}/member`)), [
    [owner.userId, 'Owner'],
    [contributor.userId, 'Contributor'],
  ]);
  const given = { name: 'x', inheritsMembers: true, members: [{ userId: owner.userId, role: 'Owner' }] };
  const refused = await w.as(owner).post(`/api/metadata/project/${parent}/subproject`, given);
  t.is(refused.status, 400);
  t.truthy(refused.body.errors.members);
});

test('creating a subproject needs canCreateContent: 403 for those who see the parent, 404 for those who do not', async (t) => {
  const [owner, reader, stranger] = [await w.account(), await w.account(), await w.account()];
  const parent = await newProject(w.as(owner), 'River', [{ user: reader, role: 'Reader' }]);
  const make = (user: User) => w.as(user).post(`/api/metadata/project/${parent}/subproject`, { name: 'x' });
  t.is((await make(reader)).status, 403);
  t.is((await make(stranger)).status, 404);
  t.is((await w.as(owner).delete(`/api/project/${parent}`)).status, 204);
  t.is((await make(owner)).status, 404);
});

test('two that make below a project and one that deletes it come one after the other', async (t) => {
  const owner = await w.account();
  const parent = await newProject(w.as(owner));
  const make = () => w.as(owner).post(`/api/metadata/project/${parent}/subproject`, { name: 'x' });
  const [one, , two] = await Promise.all([make(), w.as(owner).delete(`/api/project/${parent}`), make()]);
  for (const { status } of [one, two]) t.true(status === 201 || status === 404, String(status));
  t.is((await make()).status, 404);
});
