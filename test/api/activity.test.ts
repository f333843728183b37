import test from 'ava';
import { newDataset, subproject } from '../world/content.ts';
import { local, newProject } from '../world/transfers.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

interface Entry {
  time: string;
  by?: string;
  action: string;
  subject: { id: string; kind: string; name?: string };
  changed?: string[];
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}
const project = (id: string, rest = '') => `/api/metadata/project/${id}${rest}`;
const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;
async function activity(client: Client, url: string): Promise<Entry[]> {
  const { status, body } = await client.get(`${url}/activity`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}

async function scene() {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const root = await newProject(client, 'Upper valley');
  return { owner, client, root };
}

test('a change of a project shows plain values before and after, and names alone of others', async (t) => {
  const { owner, client, root } = await scene();
  const change = { id: root, name: 'Lower valley', description: 'x'.repeat(400), metadata: { secret: 'hidden-4711' } };
  t.is((await client.put('/api/metadata/project', change)).status, 200);
  const [changed, created] = await activity(client, project(root));
  t.like(created, { action: 'project.create', by: owner.userId, after: { name: 'Upper valley' } });
  t.like(changed, {
    action: 'project.change',
    by: owner.userId,
    subject: { id: root, kind: 'project', name: 'Lower valley' },
    changed: ['description', 'name', 'metadata'],
    before: { name: 'Upper valley' },
  });
  t.is(changed?.after?.name, 'Lower valley');
  t.is(String(changed?.after?.description).length, 301);
  t.false(JSON.stringify(changed).includes('hidden-4711'));
});

test('a write of the same values is no activity', async (t) => {
  const { client, root } = await scene();
  const { body } = await client.get(project(root));
  t.is((await client.put('/api/metadata/project', body)).status, 200);
  t.is((await activity(client, project(root))).length, 1);
});

test('members are shown with their roles before and after, and with who leaves the tenant', async (t) => {
  const { owner, client, root } = await scene();
  const ann = await w.account({ tenantId: owner.tenantId });
  for (const role of ['Reader', 'Contributor'])
    t.is((await client.post(project(root, '/member'), { userId: ann.userId, role })).status, 200);
  const administrator = await w.administrator();
  const left = await w.as(administrator).delete(`/api/iam/tenant/${owner.tenantId}/member/${ann.userId}`);
  t.true(left.status < 300, JSON.stringify(left.body));
  const entries = (await activity(client, project(root))).filter(({ subject }) => subject.id === ann.userId);
  t.deepEqual(
    entries.map(({ time: _, ...entry }) => entry),
    [
      { action: 'project.member.remove', by: administrator.userId, before: { role: 'Contributor' } },
      { action: 'project.member.set', by: owner.userId, before: { role: 'Reader' }, after: { role: 'Contributor' } },
      { action: 'project.member.set', by: owner.userId, after: { role: 'Reader' } },
    ].map((entry) => ({ ...entry, subject: { id: ann.userId, kind: 'account' }, changed: ['role'] })),
  );
});

test('new content by a signed address is activity of the issuer', async (t) => {
  const { owner, client, root } = await scene();
  const id = await newDataset(w, root, owner, { name: 'notes', content: 'four', datasetFormat: 'file' });
  const writer = await w.account({ tenantId: owner.tenantId });
  await client.post(project(root, '/member'), { userId: writer.userId, role: 'Contributor' });
  const signed = await w.as(writer).get(`/api/security/sastoken?projectId=${root}&resourceId=${id}&permission=Write`);
  t.is(signed.status, 200, JSON.stringify(signed.body));
  const put = await w.nobody.put(local(`http://x/api/blob/dataset/${id}?${signed.body.data}`), Buffer.from('longer'));
  t.is(put.status, 201, JSON.stringify(put.body));
  const [written, created, ...others] = await activity(client, dataset(id));
  t.like(written, {
    action: 'dataset.content.replace',
    by: writer.userId,
    before: { storageSize: 4 },
    after: { storageSize: 6 },
  });
  t.like(created, { action: 'dataset.create', by: owner.userId });
  t.deepEqual(others, []);
});

test('a move names the projects that the caller sees, and is activity of both', async (t) => {
  const { owner, client, root } = await scene();
  const other = await newProject(client, 'Elsewhere');
  const id = await newDataset(w, root, owner, { name: 'depth' });
  const reader = await w.account({ tenantId: owner.tenantId });
  await client.post(project(other, '/member'), { userId: reader.userId, role: 'Reader' });
  const moved = await client.post(dataset(id, '/move'), { targetProjectId: other }, { 'api-version': '3.0' });
  t.is(moved.status, 204);
  const inBoth = { action: 'dataset.move', before: { projectId: root }, after: { projectId: other } };
  for (const url of [project(root), project(other), dataset(id)]) t.like((await activity(client, url))[0], inBoth, url);
  const [seen] = await activity(w.as(reader), dataset(id));
  t.like(seen, { action: 'dataset.move', after: { projectId: other } });
  t.is(seen?.before, undefined, 'its old project is none of theirs');
});

test('deletion, restore and deletion for good of a subproject', async (t) => {
  const { owner, client, root } = await scene();
  const below = await subproject(client, root, { name: 'raw', inheritsMembers: true });
  const member = await w.account({ tenantId: owner.tenantId });
  await client.post(project(root, '/member'), { userId: member.userId, role: 'Reader' });
  await client.delete(project(below));
  await client.put(`/api/recycle-bin/project/${below}/restore`);
  await client.delete(project(below));
  const of = async (user: typeof owner) =>
    (await activity(w.as(user), project(root))).filter(({ subject }) => subject.id === below);
  const actions = ['project.delete', 'project.restore', 'project.delete', 'project.create'];
  t.deepEqual(
    (await of(member)).map(({ action, by }) => [action, by]),
    actions.map((action) => [action, owner.userId]),
  );
  t.true((await client.delete(`/api/recycle-bin/project/${below}`)).status < 300);
  for (const user of [owner, member])
    t.deepEqual(
      (await of(user)).map(({ action, subject, by }) => [action, subject.name, by]),
      [['project.purge', 'raw', owner.userId]],
    );
});

test('the deletion for good of a dataset that was closed to a reader is shown to Owners of the tenant alone', async (t) => {
  const { owner, client, root } = await scene();
  const member = await w.account({ tenantId: owner.tenantId });
  await client.post(project(root, '/member'), { userId: member.userId, role: 'Reader' });
  const [open, closed] = [await newDataset(w, root, owner), await newDataset(w, root, owner)];
  const permissions = [{ principals: ['somebody-else'], operation: 'read', type: 'Denied' }];
  const change = { id: closed, name: 'closed', permissions };
  t.is((await client.put(project(root, '/dataset'), change)).status, 200);
  for (const id of [open, closed]) {
    t.is((await client.delete(dataset(id))).status, 204);
    const purged = await client.delete(`/api/recycle-bin/dataset/${id}`);
    t.true(purged.status < 300, JSON.stringify(purged.body));
  }
  const purges = async (user: typeof owner) =>
    (await activity(w.as(user), project(root)))
      .filter(({ action }) => action === 'dataset.purge')
      .map(({ subject }) => subject.id);
  t.deepEqual(await purges(owner), [closed, open]);
  t.deepEqual(await purges(member), [open]);
});

test('pages are bounded, and end, for those who may see hardly any entry', async (t) => {
  const { owner, client, root } = await scene();
  const hidden = await subproject(client, root, { name: 'hidden' });
  const member = await w.account({ tenantId: owner.tenantId });
  await client.post(project(root, '/member'), { userId: member.userId, role: 'Reader' });
  await w.sql(
    `select record_activity('project.change', $1, $2, null, 'project', $2, 'hidden', array[$3, $2]::uuid[])
     from generate_series(1, 4100)`,
    [owner.userId, hidden, root],
  );
  const pages: number[] = [];
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await w.as(member).get(`${project(root, '/activity')}?limit=2${query}`);
    pages.push(body.data.length);
    seen.push(...body.data.map(({ action }: Entry) => action));
    if (body.cursor === undefined) break;
    cursor = body.cursor;
  }
  t.deepEqual(pages, [0, 0, 2]);
  t.deepEqual(seen, ['project.member.set', 'project.create']);
  t.is((await client.get(`${project(root, '/activity')}?limit=1000`)).body.data.length, 1000);
});

test('the runtime role changes no activity', async (t) => {
  const { root } = await scene();
  await t.throwsAsync(
    w.db.transaction(async (tx) => {
      const { sql } = await import('../../src/db.ts');
      await tx.query(sql.unsafe`delete from activity where project_id = ${root}`);
    }),
    { message: /permission denied/ },
  );
});

test('what is in the recycle bin shows its activity to who saw it before, until it is deleted for good', async (t) => {
  const { owner, client, root } = await scene();
  const id = await newDataset(w, root, owner, { name: 'depth' });
  const [reader, stranger] = [
    await w.account({ tenantId: owner.tenantId }),
    await w.account({ tenantId: owner.tenantId }),
  ];
  await client.post(project(root, '/member'), { userId: reader.userId, role: 'Reader' });
  t.is((await client.delete(dataset(id))).status, 204);
  t.like((await activity(w.as(reader), dataset(id)))[0], { action: 'dataset.delete', by: owner.userId });
  t.is((await client.delete(project(root))).status, 204);
  for (const user of [owner, reader])
    t.like((await activity(w.as(user), project(root)))[0], { action: 'project.delete', by: owner.userId });
  for (const url of [project(root), dataset(id)]) t.is((await w.as(stranger).get(`${url}/activity`)).status, 404, url);
  t.is((await client.delete(`/api/recycle-bin/project/${root}`)).status, 204);
  for (const url of [project(root), dataset(id)]) t.is((await client.get(`${url}/activity`)).status, 404, url);
});
