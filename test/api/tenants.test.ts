import test from 'ava';
import { Passwords } from '../../src/accounts/password.ts';
import { bootstrap } from '../../src/tenants/bootstrap.ts';
import { type Answer, PASSWORD, PASSWORD_ITERATIONS, testDatabase, world } from '../world.ts';

const w = world(test);
const administrator = async () => w.as(await w.administrator());
const idsOf = ({ body }: Answer) => body.data.map((tenant: { id: string }) => tenant.id);

test('an administrator creates a tenant without becoming its member', async (t) => {
  const root = await w.administrator();
  const owner = await w.account();
  const { status, headers, body } = await w
    .as(root)
    .post('/api/iam/tenant', { name: ' North ', ownerUserId: owner.userId });
  t.is(status, 201);
  t.is(headers.location, `/api/iam/tenant/${body.id}`);
  t.like(body, { name: 'North', weight: 1, createdBy: root.userId, updatedBy: root.userId });
  t.deepEqual(body.members, [{ userId: owner.userId, role: 'Owner' }]);
  const bare = await w.as(root).post('/api/iam/tenant', { name: 'Empty' });
  t.deepEqual(bare.body.members, []);
  t.is((await w.as(owner).post('/api/iam/tenant', { name: 'Mine' })).status, 403);
  const unknown = { name: 'x', ownerUserId: '0198c0de-0000-7000-8000-000000000000' };
  t.is((await w.as(root).post('/api/iam/tenant', unknown)).status, 400);
  for (const name of ['', '  ', 'x'.repeat(256)])
    t.is((await w.as(root).post('/api/iam/tenant', { name })).status, 400);
});

test('members see their tenants, administrators all, other accounts none', async (t) => {
  const tenantId = await w.tenant();
  const [owner, member, stranger] = [
    await w.account({ tenantId, role: 'Owner' }),
    await w.account({ tenantId }),
    await w.account({ tenantId: await w.tenant() }),
  ];
  t.deepEqual(idsOf(await w.as(member).get('/api/iam/tenant')), [tenantId]);
  t.true(idsOf(await (await administrator()).get('/api/iam/tenant')).includes(tenantId));
  t.false(idsOf(await w.as(stranger).get('/api/iam/tenant')).includes(tenantId));

  t.is((await w.as(stranger).get(`/api/iam/tenant/${tenantId}`)).status, 404);
  t.is((await w.as(member).get(`/api/iam/tenant/${tenantId}`)).body.members, undefined);
  t.is((await w.as(owner).get(`/api/iam/tenant/${tenantId.toUpperCase()}`)).body.members.length, 2);
});

test('tenant/my lists the tenants of the caller with the role in each', async (t) => {
  const tenantId = await w.tenant('Home');
  const user = await w.account({ tenantId });
  const admin = await administrator();
  const other = await w.tenant('Away');
  await admin.post(`/api/iam/tenant/${other}/member`, { userId: user.userId, role: 'Owner' });
  const { body } = await w.as(user).get('/api/iam/tenant/my');
  t.deepEqual(
    body.data.map(({ id, name, role }: Record<string, string>) => ({ id, name, role })),
    [
      { id: other, name: 'Away', role: 'Owner' },
      { id: tenantId, name: 'Home', role: 'Member' },
    ],
  );
  for (const tenant of body.data) t.deepEqual(Object.keys(tenant), ['id', 'name', 'role', 'createdAt', 'updatedAt']);
});

test('Owners can rename their tenant; only administrators can change its weight', async (t) => {
  const tenantId = await w.tenant();
  const [owner, member] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId })];
  const url = `/api/iam/tenant/${tenantId}`;
  const renamed = await w.as(owner).put(url, { name: 'Renamed' });
  t.is(renamed.status, 200);
  t.like(renamed.body, { name: 'Renamed', weight: 1, updatedBy: owner.userId });
  t.is((await w.as(owner).put(url, { name: 'Renamed', weight: 1 })).status, 200, 'what was read may be sent back');
  t.is((await w.as(owner).put(url, { name: 'Renamed', weight: 5 })).status, 403);
  t.is((await w.as(member).put(url, { name: 'Mine' })).status, 403);
  t.is((await w.as(await w.account()).put(url, { name: 'Mine' })).status, 404);
  const weighed = await (await administrator()).put(url, { name: 'Renamed', weight: 2.5 });
  t.is(weighed.body.weight, 2.5);
  t.is((await (await administrator()).put(url, { name: 'Renamed', weight: 0 })).status, 400);
});

test('Owners and administrators manage members; for others the route is 404', async (t) => {
  const tenantId = await w.tenant();
  const [owner, member] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId })];
  const newcomer = await w.account();
  const url = `/api/iam/tenant/${tenantId}/member`;
  const set = await w.as(owner).post(url, { UserID: newcomer.userId, role: 'Member' });
  t.is(set.status, 200);
  t.deepEqual(set.body, { userId: newcomer.userId, role: 'Member' });
  t.is((await w.as(owner).get(url)).body.data.length, 3);
  t.is((await w.as(owner).get(`${url}?offset=1&limit=1`)).body.data.length, 1);
  const unknown = { userId: '0198c0de-0000-7000-8000-000000000000', role: 'Member' };
  t.is((await w.as(owner).post(url, unknown)).status, 400);
  t.is((await w.as(owner).post(url, { userId: member.userId, role: 'King' })).status, 400);

  for (const other of [member, await w.account()]) {
    const client = w.as(other);
    t.is((await client.get(url)).status, 404);
    t.is((await client.post(url, { userId: other.userId, role: 'Owner' })).status, 404);
    t.is((await client.delete(`${url}/${owner.userId}`)).status, 404);
  }
  t.is((await w.as(owner).delete(`${url}/${member.userId}`)).status, 204);
  t.is((await w.as(owner).delete(`${url}/${member.userId}`)).status, 404);
  t.is((await w.as(member).get(`/api/iam/tenant/${tenantId}`)).status, 404);
});

/**
 * A tenant with an Owner, a Member who made a project of his own, and a project and a subproject in which the Member
 * has roles.
 */
async function leavingScene() {
  const tenantId = await w.tenant();
  const [owner, member] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId })];
  const project = async (user: typeof owner, url: string, body: object) => (await w.as(user).post(url, body)).body.id;
  const made = '/api/metadata/project';
  const read = await project(owner, made, { name: 'Read', members: [{ userId: member.userId, role: 'Reader' }] });
  const explicit = await project(owner, `${made}/${read}/subproject`, {
    name: 'Explicit',
    members: [{ userId: member.userId, role: 'Contributor' }],
  });
  const own = await project(member, made, { name: 'Own' });
  const seen = async (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await w.as(member).get(`${made}/${id}`)).status));
  return {
    tenantId,
    owner,
    member,
    ids: [read, explicit, own],
    seen,
    url: `/api/iam/tenant/${tenantId}/member/${member.userId}`,
  };
}

test('removing a member ends its roles in the tenant’s projects; preview and audit give their number', async (t) => {
  const { tenantId, owner, member, ids, seen, url } = await leavingScene();
  const elsewhere = await w.as(await w.administrator()).post('/api/metadata/project', {
    name: 'Elsewhere',
    members: [{ userId: member.userId, role: 'Reader' }],
  });
  await w.as(owner).delete(`/api/metadata/project/${ids[1]}`);
  const before = (await w.as(owner).get(`/api/metadata/project/${ids[0]}`)).body;

  const preview = await w.as(owner).delete(`${url}?dryRun=true`);
  t.is(preview.status, 200);
  t.deepEqual(preview.body, { projectRoles: 3, projectsWithoutOwner: 1 });
  t.deepEqual(await seen(ids), [200, 404, 200], 'a preview changes nothing');

  t.is((await w.as(owner).delete(url)).status, 204);
  t.deepEqual(await seen(ids), [404, 404, 404]);
  await w.as(owner).put(`/api/recycle-bin/project/${ids[1]}/restore`);
  t.deepEqual(await seen(ids), [404, 404, 404], 'a restore brings no role back');
  t.deepEqual(await seen([elsewhere.body.id]), [200], 'other tenants have their own members');
  const after = (await w.as(owner).get(`/api/metadata/project/${ids[0]}`)).body;
  t.not(after.rowVersion, before.rowVersion);
  t.is(after.updatedBy, owner.userId);
  t.is((await w.as(owner).get(`/api/metadata/project/${ids[2]}`)).status, 200, 'left to the Owners of the tenant');
  const rows = await w.sql("select details from audit where action = 'tenant.member.remove' and tenant_id = $1", [
    tenantId,
  ]);
  t.like(rows, [{ details: { projectRoles: 3, projectsWithoutOwner: 1, keepProjectRoles: false } }]);
});

test('keepProjectRoles=true keeps the project roles of a removed member', async (t) => {
  const { owner, ids, seen, url } = await leavingScene();
  const preview = await w.as(owner).delete(`${url}?keepProjectRoles=true&dryRun=true`);
  t.deepEqual(preview.body, { projectRoles: 0, projectsWithoutOwner: 0 });
  t.is((await w.as(owner).delete(`${url}?keepProjectRoles=True`)).status, 204);
  t.deepEqual(await seen(ids), [200, 200, 200]);
});

test('the last Owner of a project cannot leave a tenant without Owners', async (t) => {
  const tenantId = await w.tenant();
  const member = await w.account({ tenantId });
  const admin = await administrator();
  await w.as(member).post('/api/metadata/project', { name: 'Own' });
  const url = `/api/iam/tenant/${tenantId}/member`;
  for (const query of ['', '?dryRun=true']) {
    const refused = await admin.delete(`${url}/${member.userId}${query}`);
    t.deepEqual([refused.status, refused.body.code], [409, 'LastOwner']);
  }
  const owner = await w.account();
  await admin.post(url, { userId: owner.userId, role: 'Owner' });
  t.is((await admin.delete(`${url}/${member.userId}`)).status, 204);
});

test('a role copied to a subproject while the member leaves is removed too', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { owner, member, ids, seen, url } = await leavingScene();
    const made = { name: 'Inherits', inheritsMembers: true };
    const { id } = (await w.as(owner).post(`/api/metadata/project/${ids[0]}/subproject`, made)).body;
    const other = await w.account({ tenantId: member.tenantId });
    const [copied, left] = await Promise.all([
      w.as(owner).post(`/api/metadata/project/${id}/member`, { userId: other.userId, role: 'Reader' }),
      w.as(owner).delete(url),
    ]);
    t.deepEqual([copied.status, left.status], [200, 204]);
    t.deepEqual(await seen([...ids, id]), [404, 404, 404, 404]);
  }
});

test('a former member cannot read events of a permanently removed project', async (t) => {
  const { owner, member, ids, url } = await leavingScene();
  await w.as(owner).delete(`/api/metadata/project/${ids[2]}`);
  await w.as(owner).delete(`/api/recycle-bin/project/${ids[2]}`);
  const remembered = () =>
    w.sql('select from removed_project_members where user_id = $1 and project_id = $2', [member.userId, ids[2]]);
  t.is((await remembered()).length, 1);
  t.is((await w.as(owner).delete(url)).status, 204);
  t.is((await remembered()).length, 0);
});

test('the last Owner of a tenant cannot be removed, also not by administrators', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const url = `/api/iam/tenant/${tenantId}/member`;
  for (const client of [w.as(owner), await administrator()]) {
    t.is((await client.delete(`${url}/${owner.userId}`)).status, 409);
    t.is((await client.post(url, { userId: owner.userId, role: 'Member' })).status, 409);
  }
  t.is((await w.as(owner).post(url, { userId: owner.userId, role: 'Owner' })).status, 200);
});

test('if two Owners leave concurrently, one stays', async (t) => {
  for (let round = 0; round < 5; round++) {
    const tenantId = await w.tenant();
    const owners = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId, role: 'Owner' })];
    const url = `/api/iam/tenant/${tenantId}/member`;
    const answers = await Promise.all([
      w.as(owners[0]!).delete(`${url}/${owners[0]?.userId}`),
      w.as(owners[1]!).post(url, { userId: owners[1]?.userId, role: 'Member' }),
    ]);
    t.is(answers.filter((answer) => answer.status === 409).length, 1);
    const left = await w.sql("select from tenant_members where tenant_id = $1 and role = 'Owner'", [tenantId]);
    t.is(left.length, 1);
  }
});

test('leaving the home tenant makes another tenant the home, or none until the account joins one', async (t) => {
  const [home, other] = [await w.tenant(), await w.tenant()];
  const user = await w.account({ tenantId: home });
  const admin = await administrator();
  await admin.post(`/api/iam/tenant/${other}/member`, { userId: user.userId, role: 'Member' });
  const tenantOf = async () => (await w.as(user).get('/api/iam/principal/me')).body.tenantId;
  t.is(await tenantOf(), home);
  await admin.delete(`/api/iam/tenant/${home}/member/${user.userId}`);
  t.is(await tenantOf(), other);
  t.is((await admin.delete(`/api/iam/tenant/${other}`)).status, 204);
  t.is(await tenantOf(), undefined);
  await admin.post(`/api/iam/tenant/${home}/member`, { userId: user.userId, role: 'Member' });
  t.is(await tenantOf(), home);
});

test('only administrators can delete a tenant, and only without projects', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const url = `/api/iam/tenant/${tenantId}`;
  t.is((await w.as(owner).delete(url)).status, 403);
  const [project] = await w.sql<{ id: string }>('select uuidv7() as id');
  await w.sql(
    `insert into projects (id, tenant_id, root_id, path, member_source_id, name, created_by, updated_by)
     values ($1, $2, $1, array[$1::uuid], $1, 'Dam', $3, $3)`,
    [project?.id, tenantId, owner.userId],
  );
  t.is((await (await administrator()).delete(url)).status, 409);
  await w.sql('delete from projects where tenant_id = $1', [tenantId]);
  t.is((await (await administrator()).delete(url)).status, 204);
  t.is((await (await administrator()).get(url)).status, 404);
});

test('deleting a tenant with API keys is 409', async (t) => {
  const tenantId = await w.tenant();
  const admin = await administrator();
  const key = await admin.post('/api/iam/key', { name: 'x', role: 'Reader' }, { 'svc-tenant-id': tenantId });
  const refused = await admin.delete(`/api/iam/tenant/${tenantId}`);
  t.is(refused.status, 409);
  t.is(refused.body.code, 'TenantNotEmpty');
  await admin.delete(`/api/iam/key/${key.body.id}`);
  t.is((await admin.delete(`/api/iam/tenant/${tenantId}`)).status, 204);
});

test('an administrator cannot delete the own home tenant: 409', async (t) => {
  const tenantId = await w.tenant();
  const other = await w.account({ tenantId, userGroups: ['Administrators'] });
  const refused = await w.as(other).delete(`/api/iam/tenant/${tenantId}`);
  t.is(refused.status, 409);
  t.is(refused.body.code, 'HomeTenant');
  const elsewhere = { 'svc-tenant-id': await w.tenant() };
  t.is((await w.as(other).delete(`/api/iam/tenant/${tenantId}`, elsewhere)).status, 409, 'wherever he acts');
  t.is((await (await administrator()).delete(`/api/iam/tenant/${tenantId}`)).status, 204);
});

test('creating a project or key while its tenant is deleted leaves none without a tenant', async (t) => {
  const admin = await administrator();
  for (let round = 0; round < 5; round++) {
    const tenantId = await w.tenant();
    const owner = await w.account({ tenantId, role: 'Owner' });
    const answers = await Promise.all([
      admin.delete(`/api/iam/tenant/${tenantId}`),
      w.as(owner).post('/api/metadata/project', { name: 'x' }),
      w.as(owner).post('/api/iam/key', { name: 'x', role: 'Reader' }),
    ]);
    for (const { status } of answers) t.true(status < 500);
    const [gone, ...made] = answers.map(({ status }) => status);
    if (gone === 204) t.false(made.includes(201));
  }
});

test('member roles are accepted in any letter case', async (t) => {
  const tenantId = await w.tenant();
  const { userId } = await w.account();
  const { body } = await (await administrator()).post(`/api/iam/tenant/${tenantId}/member`, { userId, role: 'owner' });
  t.deepEqual(body, { userId, role: 'Owner' });
});

test('changes of tenants and members are audited', async (t) => {
  const tenantId = await w.tenant();
  const user = await w.account();
  const admin = await administrator();
  await admin.put(`/api/iam/tenant/${tenantId}`, { name: 'New' });
  await admin.post(`/api/iam/tenant/${tenantId}/member`, { userId: user.userId, role: 'Member' });
  await admin.delete(`/api/iam/tenant/${tenantId}/member/${user.userId}`);
  await admin.delete(`/api/iam/tenant/${tenantId}`);
  const rows = await w.sql<{ action: string; account_id: string; request_id: string }>(
    'select action, account_id, request_id from audit where tenant_id = $1 order by id',
    [tenantId],
  );
  t.deepEqual(
    rows.map((row) => row.action),
    ['tenant.create', 'tenant.change', 'tenant.member.set', 'tenant.member.remove', 'tenant.delete'],
  );
  t.true(rows.every((row) => row.account_id === 'root' && row.request_id));
});

test('bootstrap creates an activated administrator in Administrators, Owner of a new home tenant', async (t) => {
  const root = await w.administrator();
  const admin = w.as(root);
  const { body } = await admin.get('/api/accounts/root');
  t.like(body, { id: 'root', activated: true, enabled: true, tenantId: root.tenantId, userGroups: ['Administrators'] });
  t.is((await admin.get('/api/iam/principal/me')).body.role, 'Owner');
  t.is((await w.nobody.post('/api/tokens', { id: 'root', password: PASSWORD })).status, 200);
  t.is((await w.sql("select from audit where action = 'admin.bootstrap' and subject = 'root'")).length, 1);
});

test('of concurrent bootstraps one succeeds, under the password policy; later ones are refused', async (t) => {
  const { db, close } = await testDatabase();
  const passwords = new Passwords(PASSWORD_ITERATIONS);
  try {
    await t.throwsAsync(bootstrap(db, { accountId: 'a', password: 'short' }, passwords), {
      message: /it has fewer than 10 characters/,
    });
    await t.throwsAsync(bootstrap(db, { accountId: 'a', password: PASSWORD, tenantName: ' ' }, passwords), {
      message: /1 to 255/,
    });
    const names = ['a', 'b', 'c', 'd'];
    const tries = names.map((accountId) => bootstrap(db, { accountId, password: PASSWORD }, passwords));
    const outcomes = await Promise.allSettled(tries);
    t.is(outcomes.filter((one) => one.status === 'fulfilled').length, 1);
    const refusal = { message: 'The platform already has an administrator, who can create others.' };
    await t.throwsAsync(bootstrap(db, { accountId: 'e', password: PASSWORD }, passwords), refusal);
  } finally {
    await close();
  }
});

test('Owners list the guests of their tenant with their projects, and end them; members are none', async (t) => {
  const tenantId = await w.tenant();
  const owner = w.as(await w.account({ tenantId, role: 'Owner' }));
  const [member, guest] = [await w.account({ tenantId }), await w.account()];
  const { body: project } = await owner.post('/api/metadata/project', { name: 'Valley' });
  const at = `/api/iam/tenant/${tenantId}/guest`;
  t.deepEqual((await owner.get(at)).body, { data: [] });
  for (const [one, role] of [
    [member, 'Reader'],
    [guest, 'Contributor'],
  ] as const)
    await owner.post(`/api/metadata/project/${project.id}/member`, { userId: one.userId, role });
  const [listed, ...more] = (await owner.get(at)).body.data;
  t.deepEqual(more, []);
  t.like(listed, { userId: guest.userId, accountId: guest.id, projectCount: 1 });
  t.deepEqual(listed.projects, [{ id: project.id, name: 'Valley', role: 'Contributor' }]);
  t.deepEqual((await owner.get(`${at}?offset=1`)).body.data, []);
  const seen = (await (await administrator()).get(at)).body.data[0];
  t.like(seen, { projectCount: 1, projects: [] }, 'of projects that administrators do not see no name');

  const end = `/api/iam/tenant/${tenantId}/member/${guest.userId}`;
  t.deepEqual((await owner.delete(`${end}?dryRun=true`)).body, { projectRoles: 1, projectsWithoutOwner: 0 });
  t.is((await owner.delete(`${end}?keepProjectRoles=true`)).status, 404, 'nothing would end');
  t.is((await owner.delete(end)).status, 204);
  t.deepEqual((await owner.get(at)).body, { data: [] });
  t.is((await w.as(guest).get(`/api/metadata/project/${project.id}`)).status, 404);
  t.is((await owner.delete(end)).status, 404);
  t.is((await w.as(member).get(`/api/metadata/project/${project.id}`)).status, 200);
});
