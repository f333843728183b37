import { randomUUID } from 'node:crypto';
import test from 'ava';
import { makeFolder, makeProject, roleOf, unsound } from '../world/projects.ts';
import { type User, world } from '../world.ts';

const w = world(test);

const url = (id: string, path = '') => `/api/metadata/project/${id}${path}`;
const member = ({ userId }: User, role: string) => ({ userId, role });
async function people(): Promise<[User, User, User]> {
  return (await Promise.all([w.account(), w.account(), w.account()])) as [User, User, User];
}
async function pairsOf(user: User, id: string) {
  const { body } = await w.as(user).get(url(id, '/member'));
  return body.data.map(({ userId, role }: { userId: string; role: string }) => [userId, role]);
}
async function versionOf(user: User, id: string): Promise<string> {
  return (await w.as(user).get(url(id))).body.rowVersion;
}

test.afterEach.always('the stored tree is what the parents tell', async (t) => {
  t.deepEqual(await unsound(w), []);
});

test('POST member adds a member or changes its role, and returns it', async (t) => {
  const [owner, ann] = await people();
  const { id, rowVersion } = await makeProject(w, owner);
  const added = await w.as(owner).post(url(id, '/member'), { userid: ann.userId.toUpperCase(), role: 'reader' });
  t.is(added.status, 200);
  t.deepEqual(added.body, { userId: ann.userId, role: 'Reader', principalType: 'UserIdentity' });
  t.is(await roleOf(w, ann, id), 'Reader');
  await w.as(owner).post(url(id, '/member'), member(ann, 'Contributor'));
  t.is(await roleOf(w, ann, id), 'Contributor');
  t.not(await versionOf(owner, id), rowVersion);
});

test('a guest, a member from another tenant, is shown as guest, and only Owners of the root project or of the tenant add one', async (t) => {
  const [owner, contributor] = await people();
  const tenantOwner = await w.account({ role: 'Owner' });
  const [guest, other, third] = (await Promise.all(
    [1, 2, 3].map(async () => w.account({ tenantId: await w.tenant() })),
  )) as [User, User, User];
  const { id } = await makeProject(w, owner, { members: [[contributor, 'Contributor']] });

  const added = await w.as(owner).post(url(id, '/member'), member(guest, 'Reader'));
  t.deepEqual(added.body, { userId: guest.userId, role: 'Reader', principalType: 'UserIdentity', guest: true });
  const shown = (await w.as(owner).get(url(id))).body.members;
  t.deepEqual(
    shown.map(({ guest: is }: { guest?: boolean }) => is),
    [undefined, undefined, true],
  );
  t.deepEqual((await w.as(contributor).get(url(id, '/member'))).body.data, shown);

  // the Contributor owns this subproject, and nothing above it
  const below = await makeProject(w, contributor, { parentId: id });
  for (const refused of [
    await w.as(contributor).post(url(below.id, '/member'), member(other, 'Owner')),
    await w.as(contributor).put(url(below.id, '/members'), {
      members: [member(contributor, 'Owner'), member(other, 'Reader')],
    }),
    await w.as(contributor).post(`/api/metadata/project/${id}/subproject`, {
      name: 'Other',
      members: [member(other, 'Owner')],
    }),
  ]) {
    t.is(refused.status, 403);
    t.is(refused.body.code, 'GuestsNotAllowed');
  }
  t.is(await roleOf(w, other, below.id), 404);
  t.is((await w.as(tenantOwner).post(url(below.id, '/member'), member(other, 'Reader'))).status, 200);
  // a guest who is there stays as they are, and gets no other role
  const kept = [member(contributor, 'Owner'), member(other, 'Reader')];
  t.is((await w.as(contributor).put(url(below.id, '/members'), { members: kept })).status, 200);
  t.is((await w.as(contributor).post(url(below.id, '/member'), member(other, 'Owner'))).status, 403);
  t.is((await w.as(contributor).delete(url(below.id, `/member/${other.userId}`))).status, 204);
  // an Owner of the root project, in a subproject of the Contributor that inherits
  const folder = await makeFolder(w, contributor, id);
  t.is((await w.as(contributor).post(url(folder.id, '/member'), member(third, 'Reader'))).status, 403);
  t.is((await w.as(owner).post(url(folder.id, '/member'), member(third, 'Reader'))).body.guest, true);
});

test('each change of members is in the audit trail, with the role before and after, address and program', async (t) => {
  const [owner, ann] = await people();
  const guest = await w.account({ tenantId: await w.tenant() });
  const { id } = await makeProject(w, owner, { name: 'Audited', members: [[ann, 'Reader']] });
  const agent = { 'user-agent': 'curl/8' };
  await w.as(owner).post(url(id, '/member'), member(ann, 'Contributor'), agent);
  await w.as(owner).post(url(id, '/member'), member(ann, 'Contributor'), agent);
  const all = [member(owner, 'Owner'), member(guest, 'Reader')];
  await w.as(owner).put(url(id, '/members'), { members: all }, agent);
  const below = await makeProject(w, owner, { parentId: id, members: [[ann, 'Reader']] });
  await w.as(owner).put(url(below.id, '/members/inherit'), {}, agent);
  const admin = w.as(await w.administrator());
  const rows = (await admin.get(`/api/audit/list?account=${owner.id}`)).body.data.filter(
    ({ action }: { action: string }) => action.startsWith('project.member.'),
  );
  t.true(rows.every((row: object) => 'address' in row && 'requestId' in row));
  t.deepEqual(
    rows.reverse().map((row: Record<string, unknown>) => [row.action, row.subject, row.agent, row.details]),
    [
      ['set', ann, 'Reader', undefined, id],
      ['set', ann, 'Contributor', 'Reader', id],
      ['remove', ann, undefined, 'Contributor', id],
      ['set', guest, 'Reader', undefined, id],
      ['set', ann, 'Reader', undefined, below.id],
      ['remove', ann, undefined, 'Reader', below.id],
      ['set', guest, 'Reader', undefined, below.id],
    ].map(([verb, who, after, before, projectId], at) => [
      `project.member.${verb}`,
      (who as User).userId,
      at === 0 || at === 4 ? 'lightMyRequest' : 'curl/8',
      {
        name: (who as User).id,
        projectId,
        project: projectId === id ? 'Audited' : 'River',
        changed: ['role'],
        before: before === undefined ? {} : { role: before },
        after: after === undefined ? {} : { role: after },
        ...(who === guest && projectId === id ? { guest: true } : {}),
      },
    ]),
  );
});

test('an unknown user is 400, and nothing changes', async (t) => {
  const [owner] = await people();
  const { id, rowVersion } = await makeProject(w, owner);
  const nobody = { userId: randomUUID(), role: 'Reader' };
  const one = await w.as(owner).post(url(id, '/member'), nobody);
  t.is(one.status, 400);
  t.truthy(one.body.errors.userId);
  const all = await w.as(owner).put(url(id, '/members'), { members: [member(owner, 'Owner'), nobody] });
  t.is(all.status, 400);
  t.truthy(all.body.errors['members[1].userId']);
  t.is(await versionOf(owner, id), rowVersion);
});

test('DELETE member removes a member; an account that is not a member is 404', async (t) => {
  const [owner, ann, bob] = await people();
  const { id } = await makeProject(w, owner, { members: [[ann, 'Reader']] });
  t.is((await w.as(owner).delete(url(id, `/member/${ann.userId}`))).status, 204);
  t.is(await roleOf(w, ann, id), 404);
  t.is((await w.as(owner).delete(url(id, `/member/${bob.userId}`))).status, 404);
});

test('on an inheriting subproject POST and DELETE first copy the effective members, and end inheritance', async (t) => {
  const [owner, ann, bob] = await people();
  const root = await makeProject(w, owner, { members: [[ann, 'Reader']] });
  const [one, two] = [await makeFolder(w, owner, root.id), await makeFolder(w, owner, root.id)];
  const beneath = await makeFolder(w, owner, two.id);
  await w.as(owner).post(url(one.id, '/member'), member(bob, 'Contributor'));
  t.deepEqual(await pairsOf(owner, one.id), [
    [owner.userId, 'Owner'],
    [bob.userId, 'Contributor'],
    [ann.userId, 'Reader'],
  ]);
  t.false((await w.as(owner).get(url(one.id))).body.inheritsMembers);
  t.is((await w.as(owner).delete(url(two.id, `/member/${bob.userId}`))).status, 404);
  t.true((await w.as(owner).get(url(two.id))).body.inheritsMembers, 'a refusal leaves it as it was');
  t.is((await w.as(owner).delete(url(two.id, `/member/${ann.userId}`))).status, 204);
  t.deepEqual(await pairsOf(owner, beneath.id), [[owner.userId, 'Owner']]);
  t.is(await roleOf(w, ann, root.id), 'Reader');
});

for (const path of ['/member', '/members']) {
  test(`PUT ${path} sets an explicit member set and ends inheritance`, async (t) => {
    const [owner, ann, bob] = await people();
    const root = await makeProject(w, owner, { members: [[ann, 'Reader']] });
    const folder = await makeFolder(w, owner, root.id);
    const answer = await w.as(owner).put(url(folder.id, path), {
      members: [member(bob, 'Owner'), member(owner, 'Reader')],
      rowVersion: folder.rowVersion,
    });
    t.is(answer.status, 200);
    t.deepEqual(Object.keys(answer.body).sort(), ['id', 'rowVersion']);
    t.is(await roleOf(w, ann, folder.id), 404);
    t.is(await roleOf(w, owner, folder.id), 'Reader');
    t.is(await roleOf(w, bob, folder.id), 'Owner');
    t.is((await w.as(bob).get(url(folder.id))).body.rowVersion, answer.body.rowVersion);
    const stale = { members: [member(bob, 'Owner')], rowVersion: folder.rowVersion };
    t.is((await w.as(bob).put(url(folder.id, path), stale)).status, 409);
    t.is((await w.as(bob).put(url(folder.id, path))).status, 200, 'clients leave out an empty list');
    t.is(await roleOf(w, bob, folder.id), 404);
  });
}

test('PUT members/inherit sets member inheritance; the member collection of the subproject is cleared', async (t) => {
  const [owner, ann] = await people();
  const root = await makeProject(w, owner);
  const own = await makeProject(w, owner, { parentId: root.id, members: [[ann, 'Reader']] });
  const stale = await w.as(owner).put(url(own.id, '/members/inherit'), { rowVersion: 'x' });
  t.is(stale.status, 409);
  const answer = await w.as(owner).put(url(own.id, '/members/inherit'), { rowVersion: own.rowVersion });
  t.is(answer.status, 200);
  t.like((await w.as(owner).get(url(own.id))).body, { inheritsMembers: true, members: [], ...answer.body });
  t.is(await roleOf(w, ann, own.id), 404);
  t.is((await w.as(owner).put(url(own.id, '/members/inherit'))).status, 200);
});

test('a root project always keeps at least one Owner, and cannot inherit', async (t) => {
  const [owner, ann] = await people();
  const { id } = await makeProject(w, owner, { members: [[ann, 'Contributor']] });
  t.is((await w.as(owner).put(url(id, '/members'), { members: [member(ann, 'Contributor')] })).status, 400);
  t.is((await w.as(owner).put(url(id, '/members'))).status, 400);
  t.is((await w.as(owner).post(url(id, '/member'), member(owner, 'Reader'))).status, 400);
  t.is((await w.as(owner).delete(url(id, `/member/${owner.userId}`))).status, 400);
  t.is((await w.as(owner).put(url(id, '/members/inherit'))).status, 400);
  t.is(await roleOf(w, owner, id), 'Owner');
});

test('if two Owners leave a root project concurrently, one stays', async (t) => {
  const [ann, bob] = await people();
  for (let round = 0; round < 5; round++) {
    const { id } = await makeProject(w, ann, { members: [[bob, 'Owner']] });
    const leave = (user: User) => w.as(user).delete(url(id, `/member/${user.userId}`));
    const answers = await Promise.all([leave(ann), leave(bob)]);
    t.deepEqual(answers.map(({ status }) => status).sort(), [204, 400]);
  }
});

test('one of two concurrent member changes from the same rowVersion is refused', async (t) => {
  const [owner] = await people();
  const { id, rowVersion } = await makeProject(w, owner);
  const set = () => w.as(owner).put(url(id, '/members'), { members: [member(owner, 'Owner')], rowVersion });
  const answers = await Promise.all([set(), set()]);
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
});

test('changing members needs canGrantAccess', async (t) => {
  const [owner, contributor] = await people();
  const { id } = await makeProject(w, owner, { members: [[contributor, 'Contributor']] });
  t.is((await w.as(contributor).post(url(id, '/member'), member(owner, 'Reader'))).status, 403);
});

test('access shows which rule grants or denies each capability', async (t) => {
  const tenantId = await w.tenant();
  const [owner, ann] = [await w.account({ tenantId }), await w.account({ tenantId })];
  const boss = await w.account({ tenantId, role: 'Owner' });
  const permissions = [{ principals: [ann.id], operation: 'update', type: 'Denied' }];
  const root = await makeProject(w, owner, { members: [[ann, 'Contributor']], permissions });
  const folder = await makeFolder(w, owner, root.id);
  const of = (caller: User, user: User) => w.as(caller).get(url(folder.id, `/access?userId=${user.userId}`));
  const { status, body } = await of(owner, ann);
  t.is(status, 200);
  t.like(body, { projectId: folder.id, userId: ann.userId, role: 'Contributor' });
  t.deepEqual(body.capabilities, (await w.as(ann).get(url(folder.id, '/capabilities'))).body);
  const reason = (name: string) => body.reasons.find((one: { capability: string }) => one.capability === name);
  const asMember = { rule: 'Member', effect: 'Allows', projectId: root.id, role: 'Contributor' };
  t.deepEqual(reason('canEdit'), {
    capability: 'canEdit',
    allowed: false,
    rules: [
      asMember,
      { rule: 'Permission', effect: 'Denies', projectId: root.id, principal: ann.id, operation: 'update' },
    ],
  });
  t.deepEqual(reason('canReadContent'), { capability: 'canReadContent', allowed: true, rules: [asMember] });
  t.deepEqual(reason('canDelete'), { capability: 'canDelete', allowed: false, rules: [] });
  const ofBoss = (await of(owner, boss)).body;
  t.true(ofBoss.reasons.every((one: { allowed: boolean; rules: unknown[] }) => one.allowed && one.rules.length === 1));
  t.is((await of(ann, ann)).status, 403);
  t.is((await of(owner, { ...ann, userId: randomUUID() })).status, 400);
});

test('access of an API key is explained by its role', async (t) => {
  const tenantId = await w.tenant();
  const { id } = await makeProject(w, await w.account({ tenantId }));
  const admin = w.as(await w.administrator());
  const { body: made } = await admin.post('/api/iam/key', { name: 'k', role: 'Owner' }, { 'svc-tenant-id': tenantId });
  const { status, body } = await w.nobody.get(url(id, '/access'), { 'svc-open-api-key': made.key });
  t.is(status, 200);
  t.like(body, { userId: made.id, role: 'Owner' });
  for (const { allowed, rules } of body.reasons) {
    t.true(allowed);
    t.deepEqual(rules, [{ rule: 'Key', effect: 'Allows', role: 'Owner' }]);
  }
});
