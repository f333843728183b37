import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { newDataset } from '../world/content.ts';
import { makeFolder, makeProject } from '../world/projects.ts';
import { justBefore } from '../world/statements.ts';
import { ownWorld, PASSWORD, type User } from '../world.ts';

const w = ownWorld(test, { 'accounts.registration': 'true' });
const path = '/api/metadata/project';

interface Permission {
  principals: string[];
  operation: string;
  type?: string;
}
/** A tenant with a user who creates a project in it, and a user without a role. */
async function people() {
  const tenantId = await w.tenant();
  const [maker, other] = [await w.account({ tenantId }), await w.account({ tenantId })];
  return { tenantId, maker, other };
}
const newProject = async (maker: User, permissions: Permission[], more: Parameters<typeof makeProject>[2] = {}) =>
  (await makeProject(w, maker, { permissions, ...more })).id;
const look = async (user: User, id: string) => (await w.as(user).get(`${path}/${id}`)).status;
const capabilities = async (user: User, id: string): Promise<string[]> => {
  const { status, body } = await w.as(user).get(`${path}/${id}/capabilities`);
  return status === 200 ? Object.keys(body).filter((name) => body[name]) : [];
};
const listed = async (user: User, query = '') =>
  (await w.as(user).get(`${path}/list?${query}`)).body.data.map(({ id }: { id: string }) => id);

const READ = ['canListContent', 'canReadContent'];
const UPDATE = ['canCreateContent', 'canEdit', 'canUpdateContent'];
const DELETE = ['canDelete', 'canDeleteContent'];

test('principals are user ids, login ids and names of groups of the caller', async (t) => {
  const { maker, other } = await people();
  const group = `Group of ${other.id}`;
  await w.as(await w.administrator()).post('/api/usergroups', { name: group, users: [other.id] });
  for (const principal of [other.userId, other.userId.toUpperCase(), other.id, other.id.toUpperCase(), group]) {
    const id = await newProject(maker, [{ principals: ['nobody', principal], operation: 'read' }]);
    t.is(await look(other, id), 200, principal);
  }
  for (const principal of ['nobody', group.toUpperCase(), '%', maker.userId]) {
    const id = await newProject(maker, [{ principals: [principal], operation: 'read' }]);
    t.is(await look(other, id), 404, principal);
  }
});

test('permissions apply to members of the tenant only', async (t) => {
  const { maker } = await people();
  const stranger = await w.account({ tenantId: await w.tenant() });
  const id = await newProject(maker, [{ principals: [stranger.id, stranger.userId], operation: 'read' }]);
  t.is(await look(stranger, id), 404);
});

test('read grants canListContent and canReadContent, update and delete their privileges; other words are stored without effect', async (t) => {
  const { maker, other } = await people();
  const allow = (operation: string) => ({ principals: [other.id], operation });
  const rightsFor = async (...operations: string[]) =>
    (await capabilities(other, await newProject(maker, operations.map(allow)))).sort();
  t.deepEqual(await rightsFor('read'), READ);
  t.deepEqual(await rightsFor('read', 'update'), [...READ, ...UPDATE].sort());
  t.deepEqual(await rightsFor('read', 'delete'), [...READ, ...DELETE].sort());
  t.deepEqual(await rightsFor('update', 'delete'), [], 'what cannot be read is not there');
  const id = await newProject(maker, [{ principals: [other.id], operation: ' Admire ' }]);
  t.is(await look(other, id), 404);
  const { body } = await w.as(maker).get(`${path}/${id}`);
  t.deepEqual(body.permissions, [{ principals: [other.id], operation: 'admire', type: 'Allowed' }]);
});

test('Allowed adds to the capabilities of the role, and Denied removes from them', async (t) => {
  const { maker, other } = await people();
  const members: [User, string][] = [[other, 'Reader']];
  const more = await newProject(maker, [{ principals: [other.id], operation: 'delete', type: 'allowed' }], { members });
  t.deepEqual((await capabilities(other, more)).sort(), [...READ, ...DELETE].sort());
  const contributor: [User, string][] = [[other, 'Contributor']];
  const less = await newProject(maker, [{ principals: [other.id], operation: 'UPDATE', type: 'DENIED' }], {
    members: contributor,
  });
  t.deepEqual((await capabilities(other, less)).sort(), ['canDeleteContent', ...READ]);
});

test('Denied overrides Allowed and every role but tenant Owner; Denied read is 404', async (t) => {
  const { tenantId, maker, other } = await people();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const group = `Denied ${other.id}`;
  await w.as(await w.administrator()).post('/api/usergroups', { name: group, users: [other.id, owner.id] });
  const permissions = [
    { principals: [other.id, owner.id], operation: 'read' },
    { principals: [group], operation: 'read', type: 'Denied' },
  ];
  const id = await newProject(maker, permissions, { members: [[other, 'Owner']] });
  t.is(await look(other, id), 404);
  t.false((await listed(other)).includes(id));
  t.is(await look(owner, id), 200);
  t.is((await capabilities(owner, id)).length, 9);
});

test('a tenant header does not lift denials of another tenant, and adds none of its grants', async (t) => {
  const { maker, other } = await people();
  const elsewhere = await w.tenant();
  const root = w.as(await w.administrator());
  const joined = await root.post(`/api/iam/tenant/${elsewhere}/member`, { userId: other.userId, role: 'Member' });
  t.is(joined.status, 200);
  const deny = (operation: string) => [{ principals: [other.id], operation, type: 'Denied' }];
  const members: [User, string][] = [[other, 'Contributor']];
  const unread = await newProject(maker, deny('read'), { members });
  const kept = await newProject(maker, deny('update'), { members });
  const dataset = await newDataset(w, kept, maker);
  const { body: record } = await w.as(maker).get(`/api/metadata/dataset/${dataset}`);
  const allowed = await newProject(maker, [{ principals: [other.id], operation: 'read' }]);
  const there = { 'svc-tenant-id': elsewhere };
  for (const headers of [{}, there]) {
    t.is((await w.as(other).get(`${path}/${unread}`, headers)).status, 404);
    const { status, body } = await w.as(other).get(`${path}/${kept}/capabilities`, headers);
    t.is(status, 200);
    t.false(body.canUpdateContent || body.canEdit);
    t.is((await w.as(other).put(`${path}/${kept}/dataset`, { ...record, name: 'Renamed' }, headers)).status, 403);
  }
  t.is((await w.as(other).get(`${path}/${allowed}`)).status, 200);
  t.is((await w.as(other).get(`${path}/${allowed}`, there)).status, 404);
});

test('with the header of another tenant, the explanation has the denials that hold, and no permission that does not', async (t) => {
  const { maker, other } = await people();
  const elsewhere = await w.tenant();
  const root = w.as(await w.administrator());
  await root.post(`/api/iam/tenant/${elsewhere}/member`, { userId: other.userId, role: 'Member' });
  const permissions = [
    { principals: [other.id], operation: 'update', type: 'Denied' },
    { principals: [other.id], operation: 'delete' },
  ];
  const id = await newProject(maker, permissions, { members: [[other, 'Owner']] });
  const effects = async (headers: Record<string, string>) => {
    const { body } = await w.as(other).get(`${path}/${id}/access`, headers);
    const rules: { rule: string; effect: string }[] = body.reasons.flatMap(({ rules }: { rules: object[] }) => rules);
    return [...new Set(rules.flatMap(({ rule, effect }) => (rule === 'Permission' ? effect : [])))].sort();
  };
  t.deepEqual(await effects({}), ['Allows', 'Denies']);
  t.deepEqual(await effects({ 'svc-tenant-id': elsewhere }), ['Denies']);
});

test('nothing is denied to the Owner of a tenant, also when the header names another one', async (t) => {
  const { tenantId, maker } = await people();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const elsewhere = await w.tenant();
  const root = w.as(await w.administrator());
  await root.post(`/api/iam/tenant/${elsewhere}/member`, { userId: owner.userId, role: 'Member' });
  const members: [User, string][] = [[owner, 'Reader']];
  const id = await newProject(maker, [{ principals: [owner.id], operation: 'read', type: 'Denied' }], { members });
  t.is(await look(owner, id), 200);
  t.is((await w.as(owner).get(`${path}/${id}`, { 'svc-tenant-id': elsewhere })).status, 200);
});

test('permissions apply to datasets and inheriting subprojects, not to subprojects with explicit members', async (t) => {
  const { maker, other } = await people();
  const id = await newProject(maker, [{ principals: [other.id], operation: 'read' }]);
  const dataset = await newDataset(w, id, maker);
  const inheriting = await makeFolder(w, maker, id);
  const explicit = await newProject(maker, [], { parentId: id });
  t.is((await w.as(other).get(`/api/metadata/dataset/${dataset}`)).status, 200);
  t.is(await look(other, inheriting.id), 200);
  t.is(await look(other, explicit), 404);
});

test('lists and filters respect permissions', async (t) => {
  const { maker, other } = await people();
  const id = await newProject(maker, [{ principals: [other.id], operation: 'read' }]);
  t.true((await listed(other)).includes(id));
  t.true((await listed(other, 'capability=CanReadContent')).includes(id));
  t.false((await listed(other, 'capability=CanUpdateContent')).includes(id));
  t.false((await listed(other, 'role=Reader')).includes(id), 'a permission is no role');
});

test('reading and changing permissions needs canGrantAccess; a PUT without them keeps them', async (t) => {
  const { maker, other } = await people();
  const permissions = [{ principals: ['Somebody'], operation: 'read', type: 'Allowed' }];
  const id = await newProject(maker, permissions, { members: [[other, 'Contributor']] });
  const kept = await w.as(other).put(path, { id, name: 'Renamed' });
  t.is(kept.status, 200);
  t.false('permissions' in kept.body);
  t.is((await w.as(other).put(path, { id, name: 'x', permissions: [] })).status, 403);
  t.deepEqual((await w.as(maker).get(`${path}/${id}`)).body.permissions, permissions);
  t.deepEqual((await w.as(maker).put(path, { id, name: 'x', permissions: [] })).body.permissions, []);
});

test('a group grants nothing after the account left it or the group was renamed', async (t) => {
  const { maker, other } = await people();
  const admin = w.as(await w.administrator());
  const group = `Left ${other.id}`;
  await admin.post('/api/usergroups', { id: group, users: [other.id] });
  const id = await newProject(maker, [{ principals: [group], operation: 'read' }]);
  t.is(await look(other, id), 200);
  await admin.put('/api/usergroups', { id: group, name: `${group} renamed` });
  t.is(await look(other, id), 404);
  await admin.put('/api/usergroups', { id: group, name: group });
  t.is(await look(other, id), 200);
  await admin.delete(`/api/usergroups/user/${other.id}`);
  t.is(await look(other, id), 404);
});

test('only project roles give access to projects: Editors and account roles see no more', async (t) => {
  const { tenantId, maker } = await people();
  const id = await newProject(maker, []);
  const roles = 'BackOffice,PlatformAdministrator,CreditSpender';
  const many = await w.account({ tenantId, userGroups: ['Administrators', 'Editors'], roles });
  t.is(await look(many, id), 404);
  t.false((await listed(many)).includes(id));
});

test('an API key can be named in permissions by its id', async (t) => {
  const { tenantId, maker } = await people();
  const admin = w.as(await w.administrator());
  const make = async () =>
    (await admin.post('/api/iam/key', { name: 'k', role: 'Reader' }, { 'svc-tenant-id': tenantId })).body;
  const [denied, free] = [await make(), await make()];
  const id = await newProject(maker, [{ principals: [denied.id], operation: 'read', type: 'Denied' }]);
  const seen = async ({ key }: { key: string }) =>
    (await w.nobody.get(`${path}/${id}`, { 'svc-open-api-key': key })).status;
  t.is(await seen(denied), 404);
  t.is(await seen(free), 200);
});

test.serial('access to a project that is permanently removed during the request is 404', async (t) => {
  const { maker } = await people();
  const id = await newProject(maker, []);
  const client = w.as(maker);
  const remove = async () => {
    await client.delete(`${path}/${id}`);
    t.is((await client.delete(`/api/recycle-bin/project/${id}`)).status, 204);
  };
  t.is((await justBefore(/member_role/, remove, () => client.get(`${path}/${id}/access`))).status, 404);
});

/** The permissions of a project, as its maker sees them. */
const shown = async (maker: User, id: string) => (await w.as(maker).get(`${path}/${id}`)).body.permissions;

test('permissions of a deleted account do not pass to a later account with its login id', async (t) => {
  const { tenantId, maker, other } = await people();
  const root = w.as(await w.administrator());
  const gone = await w.account({ tenantId, id: `Straße of ${other.id}` });
  const given = [
    { principals: [gone.id, other.id], operation: 'read' },
    { principals: [gone.id.replace('ß', 'SS').toUpperCase()], operation: 'update' },
  ];
  const denied = [{ principals: [gone.id], operation: 'read', type: 'Denied' }];
  const open = await newProject(maker, given);
  const closed = await newProject(maker, denied);
  const dataset = await newDataset(w, closed, maker);
  const before = (await w.as(maker).get(`/api/metadata/dataset/${dataset}`)).body;
  const changed = await w.as(maker).put(`${path}/${closed}/dataset`, { ...before, permissions: denied });
  t.is(changed.status, 200, JSON.stringify(changed.body));
  const { rowVersion } = (await w.as(maker).get(`${path}/${open}`)).body;
  t.is(await look(gone, open), 200);

  t.is((await root.delete(`/api/accounts/${encodeURIComponent(gone.id)}`)).status, 204);
  const later = await w.account({ tenantId, id: gone.id });
  t.not(later.userId, gone.userId);
  t.is(await look(later, open), 404);
  t.is(await look(other, open), 200);
  t.deepEqual(await shown(maker, open), [{ principals: [other.id], operation: 'read', type: 'Allowed' }]);
  t.deepEqual(await shown(maker, closed), denied, 'what is denied stays so');
  t.deepEqual((await w.as(maker).get(`/api/metadata/dataset/${dataset}`)).body.permissions, denied);
  const stale = await w.as(maker).put(path, { id: open, name: 'River', permissions: given, rowVersion });
  t.is(stale.body.code, 'StaleRowVersion', 'they are not written back unseen');
});

test('a denial outlives its account, so that a signed address of the folder does not open the denied content', async (t) => {
  const { tenantId, maker } = await people();
  const gone = await w.account({ tenantId });
  const folder = await newProject(maker, [{ principals: [gone.id], operation: 'read' }]);
  const dataset = await newDataset(w, folder, maker);
  const bytes = async (grant: string) => (await w.nobody.get(`/api/blob/dataset/${dataset}?${grant}`)).status;
  const signed = (await w.as(gone).get(`/api/security/sastoken?projectId=${folder}`)).body.data;
  t.is(await bytes(signed), 200);
  const before = (await w.as(maker).get(`/api/metadata/dataset/${dataset}`)).body;
  const permissions = [{ principals: [gone.id], operation: 'read', type: 'Denied' }];
  t.is((await w.as(maker).put(`${path}/${folder}/dataset`, { ...before, permissions })).status, 200);
  t.is(await bytes(signed), 403);
  t.is((await w.as(await w.administrator()).delete(`/api/accounts/${gone.id}`)).status, 204);
  t.is(await bytes(signed), 403);
});

test('permissions of a group stay when another group of a similar name is deleted', async (t) => {
  const { maker, other } = await people();
  const root = w.as(await w.administrator());
  const name = `Weiß of ${other.id}`;
  const create = async (group: string, users: string[] = []) =>
    t.is((await root.post('/api/usergroups', { name: group, users })).status, 201, group);
  await create(name, [other.id]);
  await create(name.replace('ß', 'ss'));
  const open = await newProject(maker, [{ principals: [name, name.replace('ß', 'ss')], operation: 'read' }]);
  t.is((await root.delete(`/api/usergroups/${encodeURIComponent(name.replace('ß', 'ss'))}`)).status, 204);
  t.deepEqual(await shown(maker, open), [{ principals: [name], operation: 'read', type: 'Allowed' }]);
  t.is(await look(other, open), 200);
});

test('permissions for a future login id apply to its account, and stay when an expired registration is deleted', async (t) => {
  const { tenantId, maker, other } = await people();
  const id = `invited-by-${other.id}`;
  const open = await newProject(maker, [{ principals: [id], operation: 'read' }]);
  const registered = { id, name: 'x', email: `${id}@example.org`, password: PASSWORD };
  t.is((await w.nobody.post('/api/accounts/registration', registered)).status, 202);
  const swept = await w.sql('delete from accounts where id = $1 and registered and not activated returning id', [id]);
  t.is(swept.length, 1);
  const invited = await w.account({ tenantId, id });
  t.is(await look(invited, open), 200);
});

test('permissions of a deleted group do not pass to a later group or account with its name', async (t) => {
  const { tenantId, maker, other } = await people();
  const root = w.as(await w.administrator());
  const name = `group-of-${other.id}`;
  const create = async () => t.is((await root.post('/api/usergroups', { name, users: [other.id] })).status, 201);
  await create();
  const open = await newProject(maker, [{ principals: [name, name.toUpperCase()], operation: 'read' }]);
  t.is(await look(other, open), 200);

  t.is((await root.delete(`/api/usergroups/${name}`)).status, 204);
  const later = await w.account({ tenantId, id: name });
  t.is(await look(later, open), 404);
  t.is((await root.delete(`/api/accounts/${name}`)).status, 204);
  await create();
  t.is(await look(other, open), 404);
});

for (const kind of ['account', 'group'] as const)
  test.serial(`permissions written while their ${kind} is being deleted are removed with the ${kind}`, async (t) => {
    const { tenantId, maker, other } = await people();
    const root = w.as(await w.administrator());
    const name = `going-${kind}-${other.id}`;
    const [made, remove] =
      kind === 'account'
        ? [w.account({ tenantId, id: name }), () => root.delete(`/api/accounts/${name}`)]
        : [root.post('/api/usergroups', { name }), () => root.delete(`/api/usergroups/${name}`)];
    await made;
    const open = await newProject(maker, []);
    const permissions = [{ principals: [name], operation: 'read', type: 'Allowed' }];
    const writer = new pg.Client({ connectionString: w.url });
    await writer.connect();
    t.teardown(() => writer.end());
    await writer.query('begin');
    await writer.query('update projects set permissions = $1 where id = $2', [JSON.stringify(permissions), open]);
    let isRemoved = false;
    const removed = remove().finally(() => {
      isRemoved = true;
    });
    const waiting = `select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
    while (!isRemoved && (await w.sql(waiting)).length === 0) await setTimeout(10);
    await writer.query('commit');
    t.is((await removed).status, 204);
    t.deepEqual(await shown(maker, open), []);
  });
