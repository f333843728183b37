import { randomUUID } from 'node:crypto';
import test from 'ava';
import { newDataset, subproject } from '../world/content.ts';
import { newProject } from '../world/transfers.ts';
import { type User, world } from '../world.ts';

const w = world(test);

interface Found {
  id: string;
  itemType: string;
  name: string;
  projectId?: string;
  path: string;
}
const find = async (user: User, query: Record<string, string>, headers = {}): Promise<Found[]> => {
  const { status, body } = await w.as(user).get(`/api/metadata/find?${new URLSearchParams(query)}`, headers);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
};

async function scene() {
  const owner = await w.account();
  const client = w.as(owner);
  const root = await newProject(client, 'Upper valley');
  const raw = await subproject(client, root, { name: 'raw', inheritsMembers: true });
  const dataset = await newDataset(w, raw, owner, { name: 'Q m3/s' });
  return { owner, client, root, raw, dataset };
}

test('a name finds all items with that name; a path matches nested names; a leading slash anchors it at a root project', async (t) => {
  const { owner, client, root, raw, dataset } = await scene();
  const deep = await subproject(client, raw, { name: 'Upper valley' });
  t.deepEqual(await find(owner, { path: 'Upper valley' }), [
    { id: root, itemType: 'Project', name: 'Upper valley', path: '/Upper valley' },
    { id: deep, itemType: 'Project', name: 'Upper valley', projectId: raw, path: '/Upper valley/raw/Upper valley' },
  ]);
  t.deepEqual(
    (await find(owner, { path: '/Upper valley' })).map(({ id }) => id),
    [root],
  );
  for (const path of ['Q m3%2Fs', 'raw/Q m3%2Fs', 'Upper valley/raw/Q m3%2Fs', '/Upper valley/raw/Q m3%2Fs/'])
    t.deepEqual(
      await find(owner, { path }),
      [
        {
          id: dataset,
          itemType: 'Dataset',
          name: 'Q m3/s',
          projectId: raw,
          path: '/Upper valley/raw/Q m3%2Fs',
        },
      ],
      path,
    );
  for (const path of ['/raw', 'x/Upper valley/raw', 'raw/raw', 'Upper valley/Q m3%2Fs', 'Q m3', 'q M3%2Fs'])
    t.deepEqual(await find(owner, { path }), [], path);
  t.deepEqual(await find(owner, { path: 'raw', itemType: 'Dataset' }), []);
  t.is((await find(owner, { path: 'Upper valley', limit: '1' })).length, 1);
  t.is((await client.get('/api/metadata/find?path=a//b')).status, 400);
});

test('with a project given, the path starts in that project', async (t) => {
  const { owner, client, root, raw, dataset } = await scene();
  const ids = async (projectId: string, path: string) => (await find(owner, { path, projectId })).map(({ id }) => id);
  t.deepEqual(await ids(root, 'raw'), [raw]);
  t.deepEqual(await ids(root, '/raw/Q m3%2Fs'), [dataset]);
  t.deepEqual(await ids(raw, 'Q m3%2Fs'), [dataset]);
  t.deepEqual(await ids(root, 'Q m3%2Fs'), []);
  t.deepEqual(await ids(root, 'Upper valley'), []);
  t.is((await client.get(`/api/metadata/find?path=x&projectId=${randomUUID()}`)).status, 404);
});

test('with a project given, names are searched in its tenant, not in the one of the caller', async (t) => {
  const { client, root, raw, dataset } = await scene();
  const guest = await w.account({ tenantId: await w.tenant() });
  await client.post(`/api/metadata/project/${root}/member`, { userId: guest.userId, role: 'Reader' });
  const ids = async (path: string) => (await find(guest, { path, projectId: root })).map(({ id }) => id);
  t.deepEqual(await ids('raw'), [raw]);
  t.deepEqual(await ids('raw/Q m3%2Fs'), [dataset]);
  t.deepEqual(await find(guest, { path: 'raw' }), []);
});

test('results above the limit are cut off in path order, projects before datasets', async (t) => {
  const { owner, client } = await scene();
  const root = await newProject(client, 'many');
  const paths: string[] = [];
  for (const name of ['c', 'a', 'd', 'b']) {
    const above = await subproject(client, root, { name, inheritsMembers: true });
    await subproject(client, above, { name: 'same', inheritsMembers: true });
    await newDataset(w, above, owner, { name: 'same' });
    paths.push(`/many/${name}/same`);
  }
  paths.sort();
  const found = async (limit: number) =>
    (await find(owner, { path: 'same', limit: String(limit) })).map(({ itemType, path }) => `${itemType} ${path}`);
  const [first, ...others] = paths.map((path) => `Project ${path}`);
  t.deepEqual(await found(3), [first, ...others.slice(0, 2)]);
  t.deepEqual(await found(5), [first, `Dataset ${paths[0]}`, ...others]);
});

test('deleted and invisible items, and those of other tenants, are not found', async (t) => {
  const { owner, client, root, raw } = await scene();
  const reader = await w.account({ tenantId: owner.tenantId });
  t.deepEqual(await find(reader, { path: 'raw' }), []);
  await client.post(`/api/metadata/project/${raw}/member`, { userId: reader.userId, role: 'Reader' });
  t.deepEqual(await find(reader, { path: 'raw' }), [
    { id: raw, itemType: 'Project', name: 'raw', projectId: root, path: '/Upper valley/raw' },
  ]);
  t.deepEqual(await find(reader, { path: 'Upper valley' }), []);
  const elsewhere = await w.account({ tenantId: await w.tenant() });
  await client.post(`/api/metadata/project/${raw}/member`, { userId: elsewhere.userId, role: 'Reader' });
  t.deepEqual(await find(elsewhere, { path: 'raw' }), [], 'lists look in the tenant that the caller acts in, too');
  await client.delete(`/api/metadata/project/${raw}`);
  t.deepEqual(await find(owner, { path: 'raw' }), []);
  t.deepEqual(await find(owner, { path: 'Q m3%2Fs' }), [], 'nor what lies in it');
});

test('names of principals are visible only to accounts that share a tenant or a project with them', async (t) => {
  const { owner, client, root } = await scene();
  const [member, guest] = [
    await w.account({ tenantId: owner.tenantId }),
    await w.account({ tenantId: await w.tenant() }),
  ];
  const stranger = await w.account({ tenantId: await w.tenant() });
  await client.post(`/api/metadata/project/${root}/member`, { userId: guest.userId, role: 'Reader' });
  const namesFor = async (user: User, headers = {}) => {
    const query = [owner, member, guest, stranger].map(({ userId }) => `id=${userId}`).join('&');
    const { body } = await w.as(user).get(`/api/iam/principal/list?${query}&id=${randomUUID()}`, headers);
    return body.data.map(({ loginId }: { loginId: string }) => loginId).sort();
  };
  const ids = (...users: User[]) => users.map(({ id }) => id).sort();
  t.deepEqual(await namesFor(owner), ids(owner, member, guest));
  t.deepEqual(await namesFor(guest), ids(guest, owner), 'members of a project that he sees, himself');
  t.deepEqual(await namesFor(stranger), ids(stranger));
  t.deepEqual(await namesFor(await w.administrator()), ids(owner, member, guest, stranger));
  const [one] = (await client.get(`/api/iam/principal/list?id=${guest.userId}`)).body.data;
  t.like(one, { id: guest.userId, loginId: guest.id, principalType: 'UserIdentity' });
  t.is(typeof one.name, 'string');
});
