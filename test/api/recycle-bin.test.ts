import { randomUUID } from 'node:crypto';
import test from 'ava';
import { insertDataset } from '../../src/datasets/queries.ts';
import { bytes } from '../blobs/rules.ts';
import { justBefore } from '../world/statements.ts';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test);
const BIN = '/api/recycle-bin';

async function root(owner: User, members: [User, string][] = [], name = 'root') {
  const given = members.map(([user, role]) => ({ userId: user.userId, role }));
  const { status, body } = await w.as(owner).post('/api/metadata/project', { name, members: given });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id as string;
}
/** A subproject; without members it inherits. */
async function below(parentId: string, owner: User, members?: [User, string][], name = 'below') {
  const given = members?.map(([user, role]) => ({ userId: user.userId, role }));
  const body = given === undefined ? { name, inheritsMembers: true } : { name, members: given };
  const answer = await w.as(owner).post(`/api/metadata/project/${parentId}/subproject`, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id as string;
}
async function dataset(projectId: string, owner: User, { name = 'data', size = 10 } = {}) {
  const blob = `dataset/${randomUUID()}`;
  await w.blobs.put(blob, bytes('x'.repeat(size)), size);
  const row = { projectId, name, datasetType: 'file', datasetFormat: 'file', blob, storageSize: size } as const;
  const { id } = await w.db.transaction((tx) => insertDataset(tx, { ...row, userId: owner.userId }));
  return { id, blob };
}
async function trash(user: User, id: string, kind: 'project' | 'dataset' = 'project') {
  const { status, body } = await w.as(user).delete(`/api/metadata/${kind}/${id}`);
  if (status !== 204) throw new Error(JSON.stringify(body));
}
const status = async (user: User, id: string, kind: 'project' | 'dataset' = 'project') =>
  (await w.as(user).get(`/api/metadata/${kind}/${id}`)).status;
const list = async (user: User, path: string) => {
  const answer = await w.as(user).get(`${BIN}/${path}`);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.data as { id: string; name: string; deletedBy: string; deletedAt: string }[];
};
const ids = async (user: User, path: string) => (await list(user, path)).map(({ id }) => id);
/** One after the other: the password queue is short. */
let turn: Promise<unknown> = Promise.resolve();
function account(wanted?: Parameters<typeof w.account>[0]): Promise<User> {
  const made = turn.then(() => w.account(wanted));
  turn = made.catch(() => {});
  return made;
}
const three = async (): Promise<[User, User, User]> => [await account(), await account(), await account()];

test('deletion needs DeleteProject or DeleteContent, and regular endpoints do not return deleted items', async (t) => {
  const [owner, contributor, reader] = await three();
  const top = await root(owner, [
    [contributor, 'Contributor'],
    [reader, 'Reader'],
  ]);
  const sub = await below(top, owner);
  const leaf = await below(sub, owner);
  const inside = await dataset(leaf, owner);
  const { id } = await dataset(top, owner);
  t.is((await w.as(reader).delete(`/api/project/${top}/dataset/${id}`)).status, 403);
  t.is((await w.as(contributor).delete(`/api/project/${top}/dataset/${id}`)).status, 204);
  t.is(await status(owner, id, 'dataset'), 404);
  t.is((await w.as(contributor).delete(`/api/project/${top}`)).status, 403);
  t.is((await w.as(reader).delete(`/api/project/${sub}`)).status, 403);
  t.is((await w.as(contributor).delete(`/api/project/${sub}`)).status, 204, 'DeleteContent on the parent');
  for (const gone of [sub, leaf]) t.is(await status(owner, gone), 404, 'a (sub)project and all its nested subprojects');
  t.is(await status(owner, inside.id, 'dataset'), 404);
  t.is((await w.as(owner).delete(`/api/project/${top}`)).status, 204);
  t.is(await status(owner, top), 404);
});

test('restoring checks the permission on each deleted ancestor, and restores these too', async (t) => {
  const [owner, contributor] = await three();
  const top = await root(owner, [[contributor, 'Contributor']]);
  const middle = await below(top, owner);
  const leaf = await below(middle, owner);
  const { id } = await dataset(leaf, owner);
  for (const project of [leaf, middle, top]) await trash(owner, project).catch(() => {});
  t.deepEqual(await ids(owner, 'project/list'), [top, middle, leaf]);
  t.is((await w.as(contributor).put(`${BIN}/project/${leaf}/restore`)).status, 403, 'the root needs DeleteProject');
  for (const project of [top, middle, leaf]) t.is(await status(owner, project), 404, 'nothing of it was restored');
  t.is((await w.as(owner).put(`${BIN}/project/${leaf}/restore`)).status, 204);
  for (const project of [top, middle, leaf]) t.is(await status(contributor, project), 200);
  t.is(await status(owner, id, 'dataset'), 200);
  t.deepEqual(await ids(owner, 'project/list'), []);
});

test('without permission at the original location an item can be restored to another own project', async (t) => {
  const [owner, contributor] = await three();
  const top = await root(owner, [[contributor, 'Contributor']]);
  const folder = await below(top, owner);
  const { id } = await dataset(folder, owner);
  await trash(contributor, id, 'dataset');
  await trash(contributor, folder);
  await trash(owner, top);
  const mine = await root(contributor);
  t.is((await w.as(contributor).put(`${BIN}/dataset/${id}/restore`)).status, 403);
  const to = { targetProjectId: mine };
  t.is((await w.as(contributor).post(`${BIN}/project/${folder}/dataset/${id}/restore`, to)).status, 204);
  t.is((await w.as(contributor).get(`/api/metadata/dataset/${id}`)).body.projectId, mine);
  t.is((await w.as(contributor).post(`${BIN}/project/${folder}/restore`, to)).status, 204);
  t.is((await w.as(contributor).get(`/api/metadata/project/${folder}`)).body.parentProjectId, mine);
  t.is(await status(contributor, top), 404, 'old ancestors stay deleted');
  t.deepEqual(await ids(owner, 'project/list'), [top]);
});

test('permanent removal is irreversible and emits events', async (t) => {
  const [owner] = await three();
  const top = await root(owner);
  const { id, blob } = await dataset(top, owner);
  t.is((await w.as(owner).delete(`${BIN}/project/${top}`)).status, 404, 'not in the bin');
  await trash(owner, top);
  t.is((await w.as(owner).delete(`${BIN}/project/${top}`)).status, 204);
  t.is((await w.as(owner).get(`${BIN}/project/${top}`)).status, 404);
  t.is((await w.as(owner).put(`${BIN}/project/${top}/restore`)).status, 404);
  t.is((await w.as(owner).delete(`${BIN}/project/${top}`)).status, 404);
  t.deepEqual(await w.sql('select name from blob_deletions where name = $1', [blob]), [{ name: blob }]);
  t.deepEqual(await w.sql('select action, account_id, tenant_id, details from audit where subject = $1', [top]), [
    {
      action: 'project.purge',
      account_id: owner.id,
      tenant_id: owner.tenantId,
      details: { name: 'root', projects: 1, datasets: 1 },
    },
  ]);
  const events = await w.sql('select * from events where project_id = $1 and transaction_id is null order by subject', [
    top,
  ]);
  const all = { source: '/svc/platform/metadata', tenant_id: owner.tenantId, user_id: owner.userId };
  const data = { ProjectId: top, CustomerGuid: owner.tenantId, UserId: owner.userId, Reason: 'User' };
  t.is(events.length, 2);
  t.like(events[0], {
    ...all,
    type: 'svc.platform.events.datasetdestroyedevent',
    subject: 'Dataset destroyed',
    resource_id: id,
    data: { ...data, Id: id, Name: 'data', DatasetType: 'file' },
  });
  t.like(events[1], {
    ...all,
    type: 'svc.platform.events.projectdestroyedevent',
    subject: 'Project destroyed',
    resource_id: top,
    data: { ...data, Id: top, Name: 'root' },
  });
  t.false('DatasetType' in (events[1] as { data: object }).data);
});

test('datasets of a deleted project are not separate bin items and are restored only with the project', async (t) => {
  const [owner] = await three();
  const top = await root(owner);
  const { id } = await dataset(top, owner);
  await trash(owner, top);
  t.deepEqual(await ids(owner, 'dataset/list'), []);
  t.deepEqual(await ids(owner, `project/${top}/dataset/list`), []);
  t.is((await w.as(owner).get(`${BIN}/dataset/${id}`)).status, 404);
  t.is((await w.as(owner).put(`${BIN}/dataset/${id}/restore`)).status, 404);
  t.is((await w.as(owner).put(`${BIN}/project/${top}/restore`)).status, 204);
  t.is(await status(owner, id, 'dataset'), 200);
});

test('the bin lists items of all users for which the caller has the matching delete privilege', async (t) => {
  const [owner, contributor, reader] = await three();
  const stranger = await account();
  const top = await root(owner, [
    [contributor, 'Contributor'],
    [reader, 'Reader'],
  ]);
  const sub = await below(top, owner);
  const closed = await below(top, owner, []);
  const { id } = await dataset(top, owner);
  await trash(owner, id, 'dataset');
  await trash(owner, sub);
  await trash(contributor, closed);
  const seen = async (user: User) => ({
    projects: (await ids(user, 'project/list')).sort(),
    datasets: await ids(user, 'dataset/list'),
    all: (await ids(user, 'all-deleted-items')).sort(),
  });
  const both = [sub, closed].sort();
  const everything = { projects: both, datasets: [id], all: [...both, id].sort() };
  t.deepEqual(await seen(owner), everything);
  t.deepEqual(await seen(contributor), everything, 'DeleteContent on the parent');
  t.deepEqual(await seen(reader), { projects: [], datasets: [], all: [] });
  t.deepEqual(await seen(stranger), { projects: [], datasets: [], all: [] });
  t.deepEqual(await seen(await account({ role: 'Owner' })).then(({ all }) => all.includes(id)), true);
  for (const user of [reader, stranger]) {
    t.is((await w.as(user).get(`${BIN}/project/${sub}`)).status, 404);
    t.is((await w.as(user).get(`${BIN}/dataset/${id}`)).status, 404);
    t.is((await w.as(user).get(`${BIN}/project/${sub}/restore/preview`)).status, 404);
    t.is((await w.as(user).delete(`${BIN}/project/${sub}`)).status, 404);
  }
});

test('privileges are DeleteProject for projects and DeleteContent for datasets, for delete, restore and permanent removal', async (t) => {
  const [owner, contributor] = await three();
  const top = await root(owner, [[contributor, 'Contributor']]);
  const sub = await below(top, owner);
  const { id } = await dataset(top, owner);
  await trash(contributor, id, 'dataset');
  await trash(contributor, sub);
  t.is((await w.as(contributor).delete(`${BIN}/project/${sub}`)).status, 403, 'removal needs DeleteProject on it');
  t.is((await w.as(contributor).delete(`${BIN}/project/${top}/dataset/${id}`)).status, 204);
  t.is((await w.as(contributor).put(`${BIN}/project/${sub}/restore`)).status, 204);
  await trash(owner, sub);
  t.is((await w.as(owner).delete(`${BIN}/project/${sub}`)).status, 204);
});

test('the caller’s current privilege counts', async (t) => {
  const [owner, ann] = await three();
  const top = await root(owner, [[ann, 'Owner']]);
  const { id } = await dataset(top, ann);
  await trash(ann, id, 'dataset');
  const sub = await below(top, ann);
  await trash(ann, sub);
  await trash(ann, top);
  await w.sql('delete from project_members where project_id = $1 and user_id = $2', [top, ann.userId]);
  t.deepEqual(await ids(ann, 'all-deleted-items'), []);
  t.deepEqual(await ids(ann, 'project/list'), []);
  t.deepEqual((await ids(ann, 'my-deleted-items')).sort(), [id, sub, top].sort(), 'own direct deletions, always');
  t.is((await w.as(ann).get(`${BIN}/project/${top}`)).status, 200);
  t.is((await w.as(ann).put(`${BIN}/project/${top}/restore`)).status, 403);
  t.is((await w.as(ann).post(`${BIN}/project/${top}/restore`)).status, 403);
  t.is((await w.as(ann).delete(`${BIN}/project/${top}`)).status, 403);
  t.is((await w.as(ann).delete(`${BIN}/dataset/${id}`)).status, 403);
});

test('permissions that allow or deny deletion apply to the lists', async (t) => {
  const [owner, ann, bob] = await three();
  const permissions = [
    { principals: [ann.id], operation: 'delete', type: 'Allowed' },
    { principals: [bob.id], operation: 'delete', type: 'Denied' },
  ];
  const members = [{ userId: bob.userId, role: 'Contributor' }];
  const made = await w.as(owner).post('/api/metadata/project', { name: 'granted', members, permissions });
  const top = made.body.id;
  const sub = await below(top, owner);
  const plain = await root(owner, [[bob, 'Contributor']]);
  const [denied, free] = [await dataset(sub, owner), await dataset(plain, owner)];
  for (const { id } of [denied, free]) await trash(owner, id, 'dataset');
  await trash(owner, sub);
  t.deepEqual((await ids(ann, 'all-deleted-items')).sort(), [denied.id, sub].sort());
  t.deepEqual(await ids(bob, 'all-deleted-items'), [free.id]);
  t.is((await w.as(bob).get(`${BIN}/dataset/${denied.id}`)).status, 404);
  t.is((await w.as(ann).delete(`${BIN}/project/${sub}`)).status, 204);
});

test('the lists reflect current membership, also for items already in the bin', async (t) => {
  const [owner, ann] = await three();
  const top = await root(owner);
  const middle = await below(top, owner, [[ann, 'Contributor']]);
  const sub = await below(middle, owner);
  const { id } = await dataset(middle, owner);
  await trash(owner, id, 'dataset');
  await trash(owner, sub);
  t.deepEqual((await ids(ann, 'all-deleted-items')).sort(), [id, sub].sort());
  t.is((await w.as(owner).put(`/api/metadata/project/${middle}/members/inherit`)).status, 200);
  t.deepEqual(await ids(ann, 'all-deleted-items'), []);
  const set = { members: [{ userId: ann.userId, role: 'Owner' }] };
  t.is((await w.as(owner).put(`/api/metadata/project/${middle}/members`, set)).status, 200);
  t.deepEqual((await ids(ann, 'all-deleted-items')).sort(), [id, sub].sort());
});

test('items deleted inside a deleted project are listed too; purged and restored items are not', async (t) => {
  const [owner] = await three();
  const top = await root(owner);
  const sub = await below(top, owner);
  const [one, two] = [await dataset(sub, owner), await dataset(sub, owner)];
  for (const { id } of [one, two]) await trash(owner, id, 'dataset');
  await trash(owner, sub);
  await trash(owner, top);
  t.deepEqual(await ids(owner, 'my-deleted-items'), [top, sub, two.id, one.id], 'newest first');
  t.deepEqual(await ids(owner, `project/${sub}/dataset/list`), [two.id, one.id], 'also of a deleted project');
  t.deepEqual(await ids(owner, `project/${top}/subprojects`), [sub]);
  t.deepEqual(await ids(owner, `project/${top}/dataset/list`), [], 'directly in it');
  t.is((await w.as(owner).delete(`${BIN}/dataset/${one.id}`)).status, 204);
  t.is((await w.as(owner).put(`${BIN}/dataset/${two.id}/restore`)).status, 204);
  t.deepEqual(await ids(owner, 'my-deleted-items'), []);
  t.is((await w.as(owner).get(`${BIN}/dataset/${two.id}`)).status, 404);
});

test('my-deleted-items is an offset page with its own sorting; a project has the size of its subtree at deletion', async (t) => {
  const [owner] = await three();
  const top = await root(owner, [], 'keeps');
  const big = await below(top, owner, undefined, 'alpha');
  const deep = await below(big, owner);
  await dataset(deep, owner, { size: 3000 });
  const early = await dataset(big, owner, { size: 5000, name: 'Zulu' });
  await trash(owner, early.id, 'dataset');
  await trash(owner, big);
  const small = await dataset(top, owner, { size: 1, name: 'beta' });
  await trash(owner, small.id, 'dataset');
  const get = async (query: string) => (await w.as(owner).get(`${BIN}/my-deleted-items${query}`)).body;
  const names = async (query: string) => (await get(query)).data.map(({ name }: { name: string }) => name);
  t.deepEqual(await names(''), ['beta', 'alpha', 'Zulu']);
  t.deepEqual(await names('?sortBy=name'), ['Zulu', 'alpha', 'beta']);
  t.deepEqual(await names('?sortBy=Name&sortOrder=desc'), ['beta', 'alpha', 'Zulu']);
  t.deepEqual(await names('?sortBy=StorageSize'), ['beta', 'alpha', 'Zulu']);
  t.deepEqual(await names('?sortOrder=Asc'), ['Zulu', 'alpha', 'beta']);
  const page = await get('?offset=1&limit=1');
  t.like(page, { totalCount: 3, offset: 1, limit: 1 });
  t.deepEqual(page.data, [
    {
      id: big,
      name: 'alpha',
      itemType: 'Project',
      sizeKB: 3,
      projectId: top,
      deletedBy: owner.userId,
      deletedAt: page.data[0].deletedAt,
      removedAt: page.data[0].removedAt,
    },
  ]);
  const { deletedAt, removedAt } = page.data[0];
  t.is(Date.parse(`${removedAt}Z`) - Date.parse(`${deletedAt}Z`), 180 * 86_400_000);
  t.like((await get('')).data[0], { itemType: 'Dataset', datasetType: 'file', datasetFormat: 'file', sizeKB: 1 });
  t.deepEqual((await get('?offset=9')).data, [], 'past the end');
  t.is((await w.as(owner).get(`${BIN}/my-deleted-items?sortBy=Age`)).status, 400);
  t.is((await w.as(owner).get(`${BIN}/my-deleted-items?limit=0`)).status, 400);
});

test('details have the full record with deletedAt and deletedBy', async (t) => {
  const [owner, contributor] = await three();
  const top = await root(owner, [[contributor, 'Contributor']]);
  const { id } = await dataset(top, owner);
  const before = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  await trash(contributor, id, 'dataset');
  const { deletedAt, deletedBy, rowVersion, ...rest } = (await w.as(owner).get(`${BIN}/project/${top}/dataset/${id}`))
    .body;
  t.is(deletedBy, contributor.userId);
  t.regex(deletedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/);
  t.not(rowVersion, before.rowVersion);
  const { rowVersion: _, permissions: _none, ...record } = before;
  t.deepEqual(rest, record);
  t.deepEqual((await list(owner, 'dataset/list'))[0], { ...rest, rowVersion, deletedAt, deletedBy });
  const project = (await w.as(owner).get(`/api/metadata/project/${top}`)).body;
  await trash(owner, top);
  const { rowVersion: __, ...known } = project;
  t.like((await w.as(owner).get(`${BIN}/project/${top}`)).body, { ...known, deletedBy: owner.userId });
  t.is((await list(owner, 'project/list'))[0]?.id, top);
  const other = await root(owner);
  t.is((await w.as(owner).get(`${BIN}/project/${other}/dataset/${id}`)).status, 404, 'not in that project');
});

test('an account sees and can restore a subproject that it deleted without being a member of it', async (t) => {
  const [owner, contributor] = await three();
  const top = await root(owner, [[contributor, 'Contributor']]);
  const closed = await below(top, owner, []);
  t.is(await status(contributor, closed), 404);
  await trash(contributor, closed);
  t.deepEqual(await ids(contributor, 'project/list'), [closed]);
  t.is((await w.as(contributor).get(`${BIN}/project/${closed}`)).status, 200);
  const taken = await w.as(contributor).post(`${BIN}/project/${closed}/restore`);
  t.is(taken.status, 403, 'but may not make himself its Owner');
  t.is((await w.as(contributor).put(`${BIN}/project/${closed}/restore`)).status, 204);
  t.is(await status(contributor, closed), 404);
  t.is(await status(owner, closed), 200);
});

test('a project restored without a target becomes a root project of the caller', async (t) => {
  const [owner, ann, reader] = await three();
  const top = await root(owner, [
    [ann, 'Contributor'],
    [reader, 'Reader'],
  ]);
  const inheriting = await below(top, owner, undefined, 'inheriting');
  const leaf = await below(inheriting, owner);
  await trash(ann, inheriting);
  await trash(owner, top);
  t.is((await w.as(ann).post(`${BIN}/project/${inheriting}/restore`, {})).status, 204);
  const made = (await w.as(ann).get(`/api/metadata/project/${inheriting}`)).body;
  t.false(made.inheritsMembers);
  t.false('parentProjectId' in made);
  t.deepEqual(made.members, [{ userId: ann.userId, role: 'Owner', principalType: 'UserIdentity' }]);
  t.is(await status(ann, leaf), 200, 'what is below comes with it');
  t.is(await status(owner, leaf), 404, 'and takes its members from the new root');
  const rows = await w.sql('select root_id, path, member_source_id from projects where id = $1', [leaf]);
  t.deepEqual(rows, [{ root_id: inheriting, path: [inheriting, leaf], member_source_id: inheriting }]);
});

test('a project restored as a root keeps its explicit members and gets the caller as Owner', async (t) => {
  const tenantOwner = await account({ role: 'Owner' });
  const [owner, reader] = await three();
  const top = await root(owner);
  const own = await below(top, owner, [[reader, 'Reader']]);
  await trash(owner, own);
  t.is((await w.as(tenantOwner).post(`${BIN}/project/${own}/restore`)).status, 204);
  const { body } = await w.as(reader).get(`/api/metadata/project/${own}/member`);
  const roles = Object.fromEntries(body.data.map((m: { userId: string; role: string }) => [m.userId, m.role]));
  t.deepEqual(roles, { [owner.userId]: 'Owner', [reader.userId]: 'Reader', [tenantOwner.userId]: 'Owner' });
});

test('restoring elsewhere needs the delete privilege on the item, canCreateContent on the target, and the same tenant', async (t) => {
  const [owner, ann, bob] = await three();
  const elsewhere = await w.tenant();
  const foreigner = await account({ tenantId: elsewhere, role: 'Owner' });
  const top = await root(owner, [[ann, 'Contributor']]);
  const { id } = await dataset(top, owner);
  await trash(owner, id, 'dataset');
  const hidden = await root(bob);
  const readable = await root(bob, [[ann, 'Reader']]);
  const abroad = await root(foreigner, [[ann, 'Owner']]);
  const post = async (targetProjectId?: string) =>
    (await w.as(ann).post(`${BIN}/dataset/${id}/restore`, targetProjectId && { targetProjectId })).status;
  t.is(await post(hidden), 404);
  t.is(await post(randomUUID()), 404);
  t.is(await post(readable), 403);
  t.is(await post(abroad), 403);
  t.is(await post(), 400, 'a dataset lies in a project');
  t.is((await w.as(bob).post(`${BIN}/dataset/${id}/restore`, { targetProjectId: hidden })).status, 404);
  t.is(await post(top), 204, 'also where it was');
  t.is(await post(top), 404, 'not in the bin');
});

test('restoring elsewhere does not reveal items that permissions hide from the caller', async (t) => {
  const [owner, ann] = await three();
  const top = await root(owner, [[ann, 'Contributor']]);
  const permissions = [{ principals: [ann.id], operation: 'read', type: 'Denied' }];
  const { body } = await w
    .as(owner)
    .post(`/api/metadata/project/${top}/subproject`, { name: 'shut', inheritsMembers: true, permissions });
  const folder = await below(body.id, owner);
  const { id } = await dataset(body.id, owner);
  await trash(owner, id, 'dataset');
  await trash(ann, folder);
  const mine = { targetProjectId: await root(ann) };
  t.is((await w.as(ann).post(`${BIN}/dataset/${id}/restore`, mine)).status, 403);
  t.is((await w.as(ann).post(`${BIN}/project/${folder}/restore`, mine)).status, 403);
  t.is((await w.as(ann).post(`${BIN}/project/${folder}/restore`)).status, 403, 'nor as a root');
  t.is((await w.as(ann).put(`${BIN}/project/${folder}/restore`)).status, 204, 'where it was it stays shut');
  t.is(await status(ann, folder), 404);
});

test('restoring elsewhere: an invisible target is 404, which takes precedence over 403 for a lost privilege', async (t) => {
  const [owner, ann, bob] = await three();
  const top = await root(owner, [[ann, 'Contributor']]);
  const { id } = await dataset(top, owner);
  const folder = await below(top, owner);
  await trash(ann, id, 'dataset');
  await trash(ann, folder);
  t.is((await w.as(owner).delete(`/api/metadata/project/${top}/member/${ann.userId}`)).status, 204);
  const [hidden, mine] = [await root(bob), await root(ann)];
  for (const item of [`dataset/${id}`, `project/${folder}`]) {
    const post = async (targetProjectId: string) =>
      (await w.as(ann).post(`${BIN}/${item}/restore`, { targetProjectId })).status;
    t.is(await post(hidden), 404, item);
    t.is(await post(mine), 403, item);
  }
});

test('an inheriting project restored below another project takes its members from the new parent', async (t) => {
  const [owner, ann, reader] = await three();
  const top = await root(owner, [[ann, 'Contributor']]);
  const sub = await below(top, owner);
  const leaf = await below(sub, owner);
  const own = await below(sub, owner, [[reader, 'Reader']]);
  await trash(ann, sub);
  const target = await below(await root(ann), ann, [[reader, 'Contributor']]);
  t.is((await w.as(ann).post(`${BIN}/project/${sub}/restore`, { targetProjectId: target })).status, 204);
  t.is((await w.as(reader).get(`/api/metadata/project/${leaf}/capabilities`)).body.canEdit, true);
  t.is((await w.as(reader).get(`/api/metadata/project/${own}/capabilities`)).body.canEdit, false);
  t.is(await status(owner, leaf), 404);
  t.is(await status(owner, own), 200);
  const rows = await w.sql(
    `select count(*)::int as wrong from projects p left join projects parent on parent.id = p.parent_id
     where p.root_id <> p.path[1] or (parent.id is not null and p.path <> parent.path || p.id)
       or p.member_source_id <> case when p.inherits_members then parent.member_source_id else p.id end`,
  );
  t.deepEqual(rows, [{ wrong: 0 }]);
});

test('restoring next to an item with the same name is allowed', async (t) => {
  const [owner] = await three();
  const top = await root(owner);
  const sub = await below(top, owner, undefined, 'twin');
  await trash(owner, sub);
  await below(top, owner, undefined, 'twin');
  t.is((await w.as(owner).put(`${BIN}/project/${sub}/restore`)).status, 204);
});

test('the preview lists what a restore brings back, which rights are missing, and who can grant them', async (t) => {
  const tenantOwner = await account({ tenantId: await w.tenant(), role: 'Owner' });
  const tenant = { tenantId: tenantOwner.tenantId };
  const [boss, worker, helper] = [await account(tenant), await account(tenant), await account(tenant)];
  const top = await root(boss, [
    [worker, 'Contributor'],
    [helper, 'Owner'],
  ]);
  const sub = await below(top, boss, undefined, 'sub');
  const { id } = await dataset(sub, boss);
  await trash(worker, id, 'dataset');
  await trash(worker, sub);
  await trash(boss, top);
  const preview = async (path: string) => (await w.as(worker).get(`${BIN}/${path}/restore/preview`)).body;
  const missing = [
    {
      id: top,
      name: 'root',
      privilege: 'DeleteProject',
      grantableBy: [boss.userId, helper.userId, tenantOwner.userId].sort(),
    },
  ];
  const restores = [
    { id: top, name: 'root', itemType: 'Project' },
    { id: sub, name: 'sub', itemType: 'Project' },
    { id, name: 'data', itemType: 'Dataset' },
  ];
  const one = { projects: 0, datasets: 1, bytes: 10 };
  t.deepEqual(await preview(`dataset/${id}`), { restores, missing, removes: one });
  t.deepEqual(await preview(`project/${sub}/dataset/${id}`), { restores, missing, removes: one });
  const removes = { ...one, projects: 1 };
  t.deepEqual(await preview(`project/${sub}`), { restores: restores.slice(0, 2), missing, removes });
  t.is((await w.as(boss).put(`${BIN}/project/${top}/restore`)).status, 204);
  t.deepEqual(await preview(`dataset/${id}`), { restores: restores.slice(1), missing: [], removes: one });
});

test('removal purges the whole subtree, also datasets deleted earlier, with one event for each', async (t) => {
  const [owner] = await three();
  const top = await root(owner);
  const sub = await below(top, owner);
  const leaf = await below(sub, owner);
  const [early, late, beside] = [await dataset(leaf, owner), await dataset(sub, owner), await dataset(top, owner)];
  await trash(owner, early.id, 'dataset');
  await trash(owner, leaf);
  await trash(owner, sub);
  t.is((await w.as(owner).delete(`${BIN}/project/${sub}`)).status, 204);
  const gone = [sub, leaf, early.id, late.id];
  const events = await w.sql<{ resource_id: string }>(
    'select resource_id from events where resource_id = any($1) and transaction_id is null',
    [gone],
  );
  t.deepEqual(events.map((event) => event.resource_id).sort(), [...gone].sort());
  const left = await w.sql(
    'select id from projects where id = any($1) union select id from datasets where id = any($1)',
    [gone],
  );
  t.deepEqual(left, []);
  const spent = await w.sql<{ name: string }>('select name from blob_deletions where name = any($1)', [
    [early.blob, late.blob, beside.blob],
  ]);
  t.deepEqual(spent.map(({ name }) => name).sort(), [early.blob, late.blob].sort());
  t.is(await status(owner, beside.id, 'dataset'), 200);
  t.deepEqual(await ids(owner, 'my-deleted-items'), []);
});

test('of concurrent removals and a restore exactly one succeeds', async (t) => {
  const [owner] = await three();
  for (let round = 0; round < 5; round++) {
    const top = await root(owner);
    const { id } = await dataset(top, owner);
    await trash(owner, top);
    const client = w.as(owner);
    const answers = await Promise.all([
      client.delete(`${BIN}/project/${top}`),
      client.put(`${BIN}/project/${top}/restore`),
      client.delete(`${BIN}/project/${top}`),
    ]);
    t.deepEqual(answers.map((answer) => answer.status).sort(), [204, 404, 404]);
    const events = await w.sql('select id from events where resource_id = any($1) and transaction_id is null', [
      [top, id],
    ]);
    t.is(events.length, answers[1].status === 204 ? 0 : 2);
  }
});

test.serial('a list needs the same number of SQL statements for few and many items', async (t) => {
  const [owner] = await three();
  const top = await root(owner);
  const count = async () => {
    const seen: string[] = [];
    const { default: pg } = await import('pg');
    const { query } = pg.Client.prototype;
    pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
      seen.push(String((args[0] as { text?: string }).text ?? args[0]));
      return (query as (...all: unknown[]) => unknown).apply(this, args);
    } as typeof query;
    try {
      for (const path of [
        'my-deleted-items',
        'all-deleted-items',
        'dataset/list',
        'project/list',
        `project/${top}/dataset/list`,
      ])
        await w.as(owner).get(`${BIN}/${path}`);
    } finally {
      pg.Client.prototype.query = query;
    }
    return seen.filter((text) => text.includes('recycle_bin') || text.includes('permission_grants')).length;
  };
  await trash(owner, (await dataset(top, owner)).id, 'dataset');
  const before = await count();
  for (let n = 0; n < 5; n++) await trash(owner, (await dataset(top, owner)).id, 'dataset');
  t.is(await count(), before);
});

test.serial('an item that is permanently removed during the request is 404', async (t) => {
  const owner = await account();
  const top = await root(owner);
  const project = await below(top, owner);
  const { id } = await dataset(top, owner);
  await trash(owner, project);
  await trash(owner, id, 'dataset');
  const client = w.as(owner);
  const cases = [
    [`${BIN}/project/${project}`, /p\.settings/],
    [`${BIN}/dataset/${id}`, /from datasets d where d\.id/],
  ] as const;
  for (const [path, words] of cases) {
    const remove = async () => void t.is((await client.delete(path)).status, 204);
    t.is((await justBefore(words, remove, () => client.get(path))).status, 404, path);
  }
});
