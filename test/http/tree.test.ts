import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { makeFolder, makeProject, roleOf, unsound } from '../world/projects.ts';
import { type User, world } from '../world.ts';

const w = world(test);

const accounts = (count: number) => Promise.all(Array.from({ length: count }, () => w.account())) as Promise<User[]>;
async function people(): Promise<[User, User, User, User]> {
  return (await accounts(4)) as [User, User, User, User];
}
const pairs = (members: { userId: string; role: string }[]) => members.map(({ userId, role }) => [userId, role]);
const move = (user: User, id: string, targetProjectId: string) =>
  w.as(user).post(`/api/metadata/project/${id}/move`, { targetProjectId });
const shown = (user: User, id: string) => w.as(user).get(`/api/metadata/project/${id}`);

test.afterEach.always('the stored tree is what the parents tell', async (t) => {
  t.deepEqual(await unsound(w), []);
});

test('POST subproject creates a subproject, body identical to project creation: the caller becomes Owner, given members join', async (t) => {
  const [owner, reader] = await people();
  const parent = await makeProject(w, owner);
  const answer = await w.as(owner).post(`/api/metadata/project/${parent.id}/subproject`, {
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
    hasThumbnail: false,
    parentProjectId: parent.id,
    createdBy: owner.userId,
  });
  t.deepEqual(pairs(made.members), [
    [owner.userId, 'Owner'],
    [reader.userId, 'Reader'],
  ]);
  t.true(String(answer.headers.location).endsWith(`/api/metadata/project/${made.id}`));
  t.deepEqual((await shown(owner, made.id)).body, made);
  t.deepEqual((await shown(owner, parent.id)).body, parent, "a child's change does not touch its parent");
});

test('an inheriting subproject has no own members, and its creator does not become Owner', async (t) => {
  const [owner, contributor] = await people();
  const parent = await makeProject(w, owner, { members: [[contributor, 'Contributor']] });
  const folder = await makeFolder(w, contributor, parent.id);
  t.like(folder, { inheritsMembers: true, parentProjectId: parent.id, members: [] });
  t.false(folder.capabilities.canDelete);
  const beneath = await makeFolder(w, contributor, folder.id);
  const { body } = await w.as(owner).get(`/api/metadata/project/${beneath.id}/member`);
  t.deepEqual(pairs(body.data), [
    [owner.userId, 'Owner'],
    [contributor.userId, 'Contributor'],
  ]);
  const given = { name: 'x', inheritsMembers: true, members: [{ userId: owner.userId, role: 'Owner' }] };
  const refused = await w.as(owner).post(`/api/metadata/project/${parent.id}/subproject`, given);
  t.is(refused.status, 400);
  t.truthy(refused.body.errors.members);
});

test('creating a subproject needs canCreateContent: 403 for those who see the parent, 404 for those who do not', async (t) => {
  const [owner, reader, stranger] = await people();
  const { id } = await makeProject(w, owner, { members: [[reader, 'Reader']] });
  const make = (user: User) => w.as(user).post(`/api/metadata/project/${id}/subproject`, { name: 'x' });
  t.is((await make(reader)).status, 403);
  t.is((await make(stranger)).status, 404);
  t.is((await w.as(owner).delete(`/api/project/${id}`)).status, 204);
  t.is((await make(owner)).status, 404);
});

test('creating subprojects and deleting their parent at the same time is serialized', async (t) => {
  const [owner] = await people();
  const { id } = await makeProject(w, owner);
  const make = () => w.as(owner).post(`/api/metadata/project/${id}/subproject`, { name: 'x' });
  const [one, , two] = await Promise.all([make(), w.as(owner).delete(`/api/project/${id}`), make()]);
  for (const { status } of [one, two]) t.true(status === 201 || status === 404, String(status));
  t.is((await make()).status, 404);
});

test('inheritance of members works iteratively: members are taken from the first ancestor that does not inherit', async (t) => {
  const [owner, ann, bob] = await people();
  const root = await makeProject(w, owner, { members: [[ann, 'Reader']] });
  const outer = await makeFolder(w, owner, root.id);
  const own = await makeProject(w, owner, { parentId: outer.id, members: [[bob, 'Contributor']] });
  const inner = await makeFolder(w, owner, own.id);
  const innermost = await makeFolder(w, owner, inner.id);
  t.is(await roleOf(w, ann, outer.id), 'Reader');
  t.is(await roleOf(w, ann, innermost.id), 404);
  t.is(await roleOf(w, bob, innermost.id), 'Contributor');
  await w.as(owner).put(`/api/metadata/project/${own.id}/members/inherit`);
  t.is(await roleOf(w, ann, innermost.id), 'Reader');
  t.is(await roleOf(w, bob, innermost.id), 404);
  await w
    .as(owner)
    .put(`/api/metadata/project/${inner.id}/members`, { members: [{ userId: bob.userId, role: 'Owner' }] });
  t.is(await roleOf(w, ann, inner.id), 404);
  t.is(await roleOf(w, bob, innermost.id), 'Owner');
  t.is(await roleOf(w, ann, own.id), 'Reader');
});

test('moving a subproject moves its subtree, answers 204, and sets the new parent in its record', async (t) => {
  const [owner, reader] = await people();
  const root = await makeProject(w, owner);
  const from = await makeFolder(w, owner, root.id, 'from');
  const to = await makeProject(w, owner, { parentId: root.id, members: [[reader, 'Reader']] });
  const moved = await makeFolder(w, owner, from.id, 'moved');
  const beneath = await makeFolder(w, owner, moved.id, 'beneath');
  const own = await makeProject(w, owner, { parentId: beneath.id });
  t.is(await roleOf(w, reader, beneath.id), 404);
  const answer = await move(owner, moved.id, to.id);
  t.is(answer.status, 204);
  t.is(answer.raw.length, 0);
  const now = (await shown(owner, moved.id)).body;
  t.is(now.parentProjectId, to.id);
  t.not(now.rowVersion, moved.rowVersion);
  t.is((await shown(owner, beneath.id)).body.rowVersion, beneath.rowVersion);
  t.is(await roleOf(w, reader, beneath.id), 'Reader', 'who inherits takes the members of the new place');
  t.is(await roleOf(w, reader, own.id), 404, 'who has members keeps them');
  t.is((await move(owner, moved.id, root.id)).status, 204, 'the root is a place like any other');
  t.is(await roleOf(w, reader, beneath.id), 404);
});

test('move of a subproject: both subprojects must be in the same root project', async (t) => {
  const [owner] = await people();
  const [one, other] = [await makeProject(w, owner), await makeProject(w, owner)];
  const moved = await makeFolder(w, owner, one.id);
  const refused = await move(owner, moved.id, other.id);
  t.is(refused.status, 403);
  t.true(refused.body.detail.includes(other.id));
});

test('move of a subproject: the caller needs to delete content from the current parent and to create content in the new parent', async (t) => {
  const [owner, user] = await people();
  const root = await makeProject(w, owner);
  const place = (role: string) => makeProject(w, owner, { parentId: root.id, members: [[user, role]] });
  const [open, closed] = [await place('Contributor'), await place('Reader')];
  const inOpen = await makeFolder(w, owner, open.id);
  const inClosed = await makeFolder(w, owner, closed.id);
  const own = await makeProject(w, owner, { parentId: closed.id, members: [[user, 'Owner']] });
  t.is((await move(user, inOpen.id, closed.id)).status, 403, 'no canCreateContent in the new parent');
  t.is((await move(user, inClosed.id, open.id)).status, 403, 'no canDeleteContent in the current parent');
  t.is((await move(user, own.id, open.id)).status, 403, 'being Owner of the moved project does not help');
  const hidden = await makeProject(w, owner, { parentId: root.id });
  t.is((await move(user, inOpen.id, hidden.id)).status, 404, 'a target that is not visible');
  t.is((await move(user, hidden.id, open.id)).status, 404);
  t.is((await w.as(user).post(`/api/metadata/project/${inOpen.id}/move`, {})).status, 400);
  const second = await place('Contributor');
  t.is((await move(user, inOpen.id, second.id)).status, 204);
});

test('a move that creates a loop (the moved subproject lies on the path from the destination to the root) is forbidden', async (t) => {
  const [owner] = await people();
  const root = await makeProject(w, owner);
  const top = await makeFolder(w, owner, root.id);
  const middle = await makeFolder(w, owner, top.id);
  const leaf = await makeFolder(w, owner, middle.id);
  t.is((await move(owner, top.id, leaf.id)).status, 403);
  t.is((await move(owner, top.id, middle.id)).status, 403);
  t.is((await move(owner, top.id, top.id)).status, 403);
});

test('root projects cannot be moved', async (t) => {
  const [owner] = await people();
  const [root, other] = [await makeProject(w, owner), await makeProject(w, owner)];
  const below = await makeFolder(w, owner, root.id);
  t.is((await move(owner, root.id, other.id)).status, 403);
  t.is((await move(owner, root.id, below.id)).status, 403);
});

test('a move to the present parent is 204 and changes nothing', async (t) => {
  const [owner, reader] = await people();
  const root = await makeProject(w, owner, { members: [[reader, 'Reader']] });
  const folder = await makeFolder(w, owner, root.id);
  t.is((await move(owner, folder.id, root.id)).status, 204);
  t.deepEqual((await shown(owner, folder.id)).body, folder);
  t.is((await move(reader, folder.id, root.id)).status, 403);
});

test('two concurrent moves cannot make a loop', async (t) => {
  const [owner] = await people();
  for (let round = 0; round < 10; round++) {
    const root = await makeProject(w, owner);
    const [a, b] = [await makeFolder(w, owner, root.id, 'a'), await makeFolder(w, owner, root.id, 'b')];
    const answers = await Promise.all([move(owner, a.id, b.id), move(owner, b.id, a.id)]);
    t.deepEqual(answers.map(({ status }) => status).sort(), [204, 403]);
  }
});

/** A concurrent transaction, and the requests that wait for it. */
async function other(t: ExecutionContext) {
  const client = new pg.Client(w.url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query('begin');
  const [{ pid }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }];
  const untilWaiting = async (count: number) => {
    while ((await w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])).length < count)
      await sleep(10);
  };
  return { client, untilWaiting };
}

test('a request that waited for the lock of a tree that its project has left releases it before it waits for the new tree', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const roots = [await makeProject(w, owner), await makeProject(w, owner)].map(({ id }) => id);
  // others take the second before the first
  const [first = '', second = ''] = roots.sort().reverse();
  const { id: moved } = await makeFolder(w, owner, first);
  const [restore, next] = [await other(t), await other(t)];
  const lock = (by: typeof next, ids: string[]) =>
    by.client.query('select from projects where id = any($1) order by id for no key update', [ids]);
  await lock(restore, [first]);
  await lock(next, [second]);
  const members = [{ userId: owner.userId, role: 'Owner' }];
  const answer = client.put(`/api/metadata/project/${moved}/members`, { members });
  await restore.untilWaiting(1);
  // as a restore to another place does
  await restore.client.query(
    'update projects set parent_id = $2, root_id = $2, path = array[$2, id]::uuid[], member_source_id = $2 where id = $1',
    [moved, second],
  );
  await restore.client.query('commit');
  await next.untilWaiting(1);
  await lock(next, [first]);
  await next.client.query('commit');
  t.is((await answer).status, 200);
});

test('delete of a subproject succeeds when the caller has CanDelete on it or CanDeleteContent on its parent', async (t) => {
  const [owner, contributor, reader] = await people();
  const root = await makeProject(w, owner, {
    members: [
      [contributor, 'Contributor'],
      [reader, 'Reader'],
    ],
  });
  const remove = async (user: User, id: string) => (await w.as(user).delete(`/api/metadata/project/${id}`)).status;
  const folder = await makeFolder(w, owner, root.id);
  t.is(await remove(reader, folder.id), 403);
  t.is(await remove(contributor, folder.id), 204, 'a Contributor has CanDeleteContent on the parent');
  const hidden = await makeProject(w, owner, { parentId: root.id });
  t.is(await remove(reader, hidden.id), 404);
  t.is(await remove(contributor, hidden.id), 204, 'also of one that leaves him out');
  const readers = await makeProject(w, owner, { parentId: root.id, members: [[reader, 'Owner']] });
  t.is(await remove(reader, readers.id), 204, 'an Owner has CanDelete on it');
  t.is(await remove(contributor, root.id), 403, 'deleting a project requires the delete permission on it');
  t.is(await remove(owner, root.id), 204);
});

test('deleting a (sub)project makes it and all its nested subprojects unavailable', async (t) => {
  const [owner] = await people();
  const root = await makeProject(w, owner);
  const middle = await makeFolder(w, owner, root.id);
  const leaf = await makeProject(w, owner, { parentId: middle.id });
  t.is((await w.as(owner).delete(`/api/project/${middle.id}`)).status, 204);
  for (const id of [middle.id, leaf.id]) {
    for (const path of ['', '/member', '/capabilities', '/dataset/list', '/subproject/list', '/subprojects']) {
      t.is((await w.as(owner).get(`/api/metadata/project/${id}${path}`)).status, 404, path);
    }
    t.is((await move(owner, id, root.id)).status, 404);
    t.is((await w.as(owner).put('/api/metadata/project', { id, name: 'x' })).status, 404);
  }
  t.is((await w.as(owner).delete(`/api/project/${leaf.id}`)).status, 404);
  t.is(await roleOf(w, owner, root.id), 'Owner');
});

for (const path of ['/api/project/', '/api/metadata/project/']) {
  test(`GET ${path}{id}/path returns all projects from the root on, the caller's capabilities and deletions`, async (t) => {
    const [owner, user, stranger] = await people();
    const root = await makeProject(w, owner, { name: 'root' });
    const middle = await makeProject(w, owner, { parentId: root.id, name: 'middle', members: [[user, 'Contributor']] });
    const leaf = await makeFolder(w, owner, middle.id, 'leaf');
    const of = (who: User) => w.as(who).get(`${path}${leaf.id}/path`);
    const { body } = await of(user);
    t.like(body.data[0], {
      id: root.id,
      name: 'root',
      isDeleted: false,
      accessLevel: 'Shared',
      inheritsMembers: false,
    });
    t.false('parentProjectId' in body.data[0]);
    t.false('effectiveUserRole' in body.data[0]);
    t.deepEqual(new Set(Object.values(body.data[0].capabilities)), new Set([false]));
    t.like(body.data[1], { id: middle.id, parentProjectId: root.id, effectiveUserRole: 'Contributor' });
    t.like(body.data[2], { id: leaf.id, parentProjectId: middle.id, inheritsMembers: true });
    t.true(body.data[2].capabilities.canEdit);
    await w.as(owner).delete(`/api/project/${middle.id}`);
    const later = await of(user);
    t.deepEqual(
      later.body.data.map((node: { isDeleted: boolean }) => node.isDeleted),
      [false, true, false],
    );
    t.is((await of(stranger)).status, 404);
  });
}
