import test, { type ExecutionContext } from 'ava';
import { emit } from '../../src/outbox.ts';
import { newDataset } from '../world/content.ts';
import { makeFolder, makeProject } from '../world/projects.ts';
import { openStream } from '../world/streams.ts';
import { type Client, ownWorld, type User } from '../world.ts';

const w = ownWorld(test);
const LIST = '/api/eventing/event/list';

const short = (type: string) => type.replace(/^svc\.platform\.events\.(\w+)event$/, '$1');
interface Told {
  type: string;
  resourceid: string;
  userid?: string;
  projectid?: string;
  offset: number;
  data: { Id: string; ProjectId?: string; RowVersion?: string; Change: string[] };
}

/** All events that this user may read, oldest first. */
async function heard(user: Pick<User, 'userId'> | Client, query = ''): Promise<Told[]> {
  const client = 'get' in user ? user : w.as(user);
  const { status, body } = await client.get(`${LIST}?limit=1000&after=0${query}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** What users hear of what happens in `act`: type, id of the thing, names of what has changed. */
async function during(users: readonly User[], act: () => Promise<unknown>) {
  for (const user of users) await heard(user);
  const [row] = await w.sql<{ last: string }>('select coalesce(max("offset"), 0) as last from events');
  await act();
  return Promise.all(
    users.map(async (user) =>
      (await heard(user))
        .filter(({ offset, data }) => offset > Number(row?.last) && data.Change !== undefined)
        .map(({ type, resourceid, data }) => [short(type), resourceid, ...data.Change].join(' '))
        .sort(),
    ),
  );
}

async function people() {
  const tenantId = await w.tenant();
  const [owner, reader, stranger] = [
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const { id } = await makeProject(w, owner, { members: [[reader, 'Reader']] });
  return { tenantId, owner, reader, stranger, id };
}
async function ok(t: ExecutionContext, request: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await request;
  t.true(status < 300, `${status} ${JSON.stringify(body)}`);
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  return body as any;
}

test('each change of a project has one event, for those who see the project', async (t) => {
  const { owner, reader, stranger, id } = await people();
  const all = [owner, reader, stranger];
  const both = (...lines: string[]) => [lines, lines, []];
  const [made] = (await heard(reader)).filter(({ resourceid }) => resourceid === id);
  t.is(short(made?.type ?? ''), 'projectcreated', 'with its members in one transaction');
  t.deepEqual(made?.data, { Id: id, ProjectId: id, RowVersion: '1', Change: [] });
  t.is(made?.userid, owner.userId);

  const project = () => w.as(owner).get(`/api/metadata/project/${id}`);
  const renamed = { id, name: 'Weser', metadata: { a: 1 } };
  t.deepEqual(
    await during(all, () => ok(t, w.as(owner).put('/api/metadata/project', renamed))),
    both(`projectchanged ${id} metadata name`),
  );
  const [changed] = (await heard(reader)).slice(-1);
  t.is(changed?.data.RowVersion, (await project()).body.rowVersion);
  t.is(changed?.userid, owner.userId);
  t.deepEqual(
    await during(all, () => ok(t, w.as(owner).put('/api/metadata/project', renamed))),
    both(`projectchanged ${id}`),
    'only the row version has changed',
  );
  const one = (await makeFolder(w, owner, id, 'One')).id;
  const two = (await makeFolder(w, owner, id, 'Two')).id;
  t.deepEqual(
    await during(all, () => ok(t, w.as(owner).post(`/api/metadata/project/${two}/move`, { targetProjectId: one }))),
    both(`projectchanged ${id} projects`, `projectmoved ${two} parentId`),
  );
  t.deepEqual(
    await during(all, () => ok(t, w.as(owner).delete(`/api/metadata/project/${two}`))),
    both(`projectdeleted ${two}`),
  );
  t.deepEqual(
    await during(all, () => ok(t, w.as(owner).put(`/api/recycle-bin/project/${two}/restore`))),
    both(`projectrestored ${two}`),
  );
  t.is((await heard(reader)).at(-1)?.userid, owner.userId);
});

test('each change of a dataset has one event, for those who see the dataset', async (t) => {
  const { owner, reader, stranger, id } = await people();
  const all = [owner, reader, stranger];
  const both = (...lines: string[]) => [lines, lines, []];
  const target = (await makeFolder(w, owner, id, 'Target')).id;
  let dataset = '';
  t.deepEqual(
    (
      await during(all, async () => {
        dataset = await newDataset(w, id, owner);
      })
    ).map((lines) => lines.map((line) => line.replace(dataset, 'ID'))),
    both('datasetcreated ID'),
  );
  const [made] = (await heard(reader)).slice(-1);
  t.deepEqual(made?.data, { Id: dataset, ProjectId: id, RowVersion: '1', Change: [] });
  const put = (more: object) =>
    ok(t, w.as(owner).put(`/api/metadata/project/${id}/dataset`, { id: dataset, name: 'terrain', ...more }));
  t.deepEqual(
    await during(all, () => put({ name: 'dem', tags: ['x'], metadata: { a: 1 } })),
    both(`datasetchanged ${dataset} metadata name tags`),
  );
  t.deepEqual(
    await during(all, () =>
      ok(
        t,
        w.as(owner).post(`/api/metadata/dataset/${dataset}/move`, { targetProjectId: target }, { 'api-version': '3' }),
      ),
    ),
    both(`datasetchanged ${dataset} projectId`, `projectchanged ${id} datasets`),
  );
  t.deepEqual(
    await during(all, () => ok(t, w.as(owner).delete(`/api/metadata/dataset/${dataset}`))),
    both(`datasetdeleted ${dataset}`),
  );
  t.deepEqual(
    await during(all, () =>
      ok(t, w.as(owner).post(`/api/recycle-bin/dataset/${dataset}/restore`, { targetProjectId: id })),
    ),
    both(`datasetrestored ${dataset} projectId`, `projectchanged ${target} datasets`),
  );
  const actions = ['a', 'b', 'c'].map((path) => ({ type: 'PathActionCreate', path }));
  t.deepEqual(
    (await during(all, () => ok(t, w.as(owner).post(`/api/hierarchy/project/${id}`, { actions })))).map((lines) =>
      lines.map((line) => line.split(' ')[0]),
    ),
    both('datasetcreated', 'datasetcreated', 'datasetcreated'),
  );
});

test('a change of members has one event; who is removed or loses a right by it hears of it last', async (t) => {
  const { owner, reader, stranger, id } = await people();
  const all = [owner, reader, stranger];
  const member = `/api/metadata/project/${id}/member`;
  const changed = [`memberschanged ${id} members`];
  const add = () => ok(t, w.as(owner).post(member, { userId: stranger.userId, role: 'Reader' }));
  const remove = () => ok(t, w.as(owner).delete(`${member}/${stranger.userId}`));
  t.deepEqual(await during(all, add), [changed, changed, changed]);
  const [told] = (await heard(reader)).slice(-1);
  t.is(told?.data.RowVersion, (await w.as(owner).get(`/api/metadata/project/${id}`)).body.rowVersion);
  t.is(told?.userid, owner.userId);
  t.deepEqual(await during(all, add), [[`projectchanged ${id}`], [`projectchanged ${id}`], [`projectchanged ${id}`]]);
  t.deepEqual(await during(all, remove), [changed, changed, changed], 'the last that the removed member hears');
  const rename = () => ok(t, w.as(owner).put('/api/metadata/project', { id, name: `r${Math.random()}` }));
  t.deepEqual((await during(all, rename))[2], []);

  const below = (await makeFolder(w, owner, id, 'Below')).id;
  const own = [{ userId: owner.userId, role: 'Owner' }];
  const setOwn = () => ok(t, w.as(owner).put(`/api/metadata/project/${below}/members`, { members: own }));
  const belowChanged = [`memberschanged ${below} members`];
  t.deepEqual(await during(all, setOwn), [belowChanged, belowChanged, []], 'inheriting ends');
  t.deepEqual((await during(all, setOwn))[1], []);
  const inherit = () => ok(t, w.as(owner).put(`/api/metadata/project/${below}/members/inherit`));
  t.deepEqual(await during(all, inherit), [belowChanged, belowChanged, []]);

  const deny = [{ principals: [reader.id], operation: 'read', type: 'Denied' }];
  const permit = (permissions: object[], on = id) =>
    ok(t, w.as(owner).put('/api/metadata/project', { id: on, name: 'x', permissions }));
  const [first, denied] = await during(all, () => permit(deny));
  t.true(first?.includes(`memberschanged ${id} permissions`));
  t.deepEqual(denied, [`memberschanged ${id} permissions`], 'only the last one');
  t.deepEqual((await during(all, rename))[1], []);
  t.deepEqual((await during(all, () => permit(deny)))[1], [], 'nothing is lost that was not there');
  t.is((await during(all, () => permit([])))[1]?.length, 2, 'sees it again');
});

test('a dataset that is denied to a reader of its project has no events for them, one that is allowed has', async (t) => {
  const { owner, reader, stranger, id } = await people();
  const all = [owner, reader, stranger];
  const dataset = await newDataset(w, id, owner);
  const put = (more: object) =>
    ok(t, w.as(owner).put(`/api/metadata/project/${id}/dataset`, { id: dataset, name: 'terrain', ...more }));
  const permissions = [
    { principals: [reader.userId], operation: 'read', type: 'Denied' },
    { principals: [stranger.userId], operation: 'read', type: 'Allowed' },
  ];
  const changed = [`datasetchanged ${dataset} permissions`, `memberschanged ${dataset} permissions`];
  t.deepEqual(await during(all, () => put({ permissions })), [
    changed,
    [`memberschanged ${dataset} permissions`],
    changed,
  ]);
  const named = [`datasetchanged ${dataset} name`];
  t.deepEqual(await during(all, () => put({ permissions, name: 'n' })), [named, [], named]);
  t.deepEqual((await during(all, () => put({ name: 'n', permissions: [] })))[2], [
    `memberschanged ${dataset} permissions`,
  ]);
  t.deepEqual(
    (await heard(stranger)).filter(({ type }) => short(type).startsWith('project')),
    [],
  );
});

test('credits tell those who may query them', async (t) => {
  const tenantId = await w.tenant();
  const [owner, member] = [await w.account({ tenantId, role: 'Owner' }), await w.account({ tenantId })];
  const stranger = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const seller = await w.account({ roles: 'BackOffice' });
  const lot = {
    credits: 10,
    billingReference: { billingReference: 'R', billingReferenceTag: 'n', billingReferenceType: 'EXT' },
    salesOrderId: 'SO',
    expiresAt: '2999-01-31',
    tenantId,
  };
  const told = (...accounts: string[]) => [`creditschanged ${tenantId} ${accounts.join(' ')}`];
  const all = [owner, member, seller, stranger];
  const added = told('available', 'issued');
  t.deepEqual(await during(all, () => ok(t, w.as(seller).post('/api/iam/credit', lot))), [added, added, added, []]);
  const reserved = told('available', 'reserved');
  t.deepEqual(await during(all, () => ok(t, w.as(owner).put('/api/iam/credit/reserve', { tenantId, credits: 3 }))), [
    reserved,
    reserved,
    reserved,
    [],
  ]);
});

test('an administrator hears only of changes of what they see', async (t) => {
  const { owner, id } = await people();
  const root = await w.administrator();
  const rename = () => ok(t, w.as(owner).put('/api/metadata/project', { id, name: 'x' }));
  t.deepEqual(await during([owner, root], rename), [[`projectchanged ${id} name`], []]);
});

test('a request that is rolled back or repeated tells nothing', async (t) => {
  const { owner, id } = await people();
  const actions = [
    { type: 'PathActionCreate', path: 'a' },
    { type: 'PathActionCreate', path: 'a' },
  ];
  const refused = () => w.as(owner).post(`/api/hierarchy/project/${id}`, { actions });
  t.deepEqual(await during([owner], refused), [[]]);
  const headers = { 'idempotency-key': 'once' };
  const make = () => ok(t, w.as(owner).post('/api/metadata/project', { name: 'Once' }, headers));
  const [lines] = await during([owner], async () => t.deepEqual(await make(), await make()));
  t.is(lines?.length, 1);
});

test('types and projectId choose events of the list; a project that is not visible is 404', async (t) => {
  const { owner, reader, stranger, id } = await people();
  const below = (await makeFolder(w, owner, id)).id;
  await makeProject(w, owner);
  await newDataset(w, below, owner);
  const of = async (query: string) => (await heard(owner, query)).map(({ type }) => short(type));
  const type = (name: string) => `&types=svc.platform.events.${name}event`;
  t.deepEqual(await of(`&projectId=${id}`), ['projectcreated', 'projectcreated', 'datasetcreated']);
  t.deepEqual(await of(`&projectId=${below}`), ['projectcreated', 'datasetcreated']);
  t.deepEqual(await of(`${type('datasetcreated')}${type('memberschanged')}`), ['datasetcreated']);
  t.deepEqual(await of(`${type('projectcreated')}&projectId=${below}`), ['projectcreated']);
  t.is((await w.as(reader).get(`${LIST}?projectId=${id}`)).status, 200);
  for (const accept of ['application/json', 'text/event-stream'])
    t.is((await w.as(stranger).get(`${LIST}?projectId=${id}`, { accept })).status, 404);
  t.is((await w.as(owner).get(`${LIST}?types=nothing`)).status, 400);
});

test('a stream skips more events than maxBehind and says so, and tells only the chosen types', async (t) => {
  const { owner, id } = await people();
  const authorization = `Bearer ${await w.tokenOf(owner)}`;
  const follow = async (query: string) => {
    const stream = await openStream(`${await w.listen()}${LIST}?after=0${query}`, { authorization });
    t.teardown(stream.close);
    return stream;
  };
  for (let n = 0; n < 5; n++) await newDataset(w, id, owner);
  await heard(owner);
  const behind = await follow(`&maxBehind=5`);
  const near = await follow(`&maxBehind=6`);
  const filtered = await follow(`&maxBehind=1&types=svc.platform.events.projectcreatedevent`);
  await behind.until(1);
  t.deepEqual(behind.heard[0]?.event, {}, 'behind');
  await ok(t, w.as(owner).put('/api/metadata/project', { id, name: 'x' }));
  await behind.until(2);
  t.like(behind.heard[1]?.event, { resourceid: id, type: 'svc.platform.events.projectchangedevent' });
  await near.until(7);
  t.is(filtered.heard.length, 1);
});

test('only webhooks that name a change event get it, also in a replay', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const hook = async (types?: string[]) =>
    (await ok(t, w.as(owner).post('/api/eventing/webhook', { url: 'https://hooks.example/in', types }))).id as string;
  const all = await hook();
  const named = await hook(['svc.platform.events.projectcreatedevent']);
  const { id } = await makeProject(w, owner);
  await newDataset(w, id, owner);
  await w.db.transaction((tx) =>
    emit(tx, { type: 'svc.platform.events.transferstartedevent', source: '/test', tenantId, data: {} }),
  );
  await heard(owner);
  const sent = async (webhook: string) =>
    (await ok(t, w.as(owner).get(`/api/eventing/webhook/${webhook}/delivery/list`))).data.map(
      ({ type }: { type: string }) => short(type),
    );
  for (const repeat of [false, true]) {
    if (repeat)
      for (const one of [all, named])
        await ok(t, w.as(owner).post(`/api/eventing/webhook/${one}/replay`, { after: 0 }));
    t.deepEqual(await sent(all), ['transferstarted']);
    t.deepEqual(await sent(named), ['projectcreated']);
  }
});

test('a move of a project with many below it, and a deletion for good, write no event for each of them', async (t) => {
  const { owner, reader, id } = await people();
  const from = (await makeFolder(w, owner, id, 'From')).id;
  const moved = (await makeFolder(w, owner, from, 'Moved')).id;
  for (let n = 0; n < 3; n++) await newDataset(w, (await makeFolder(w, owner, moved, `f${n}`)).id, owner);
  const move = () => ok(t, w.as(owner).post(`/api/metadata/project/${moved}/move`, { targetProjectId: id }));
  t.deepEqual(
    (await during([reader], move))[0],
    [`projectchanged ${from} projects`, `projectmoved ${moved} parentId`].sort(),
  );
  const remove = () => ok(t, w.as(owner).delete(`/api/metadata/project/${moved}`));
  t.deepEqual((await during([reader], remove))[0], [`projectdeleted ${moved}`]);
});

test('who joins or leaves a group hears what they gain or lose by permissions that name it', async (t) => {
  const { owner, reader, stranger, id } = await people();
  const all = [owner, reader, stranger];
  const administrator = w.as(await w.administrator());
  const names = [`Allowed ${id}`, `Denied ${id}`] as const;
  const [allowed, denied] = [`a-${id}`, `d-${id}`];
  for (const [n, group] of [allowed, denied].entries())
    await ok(t, administrator.post('/api/usergroups', { id: group, name: names[n] }));
  const permissions = [
    { principals: [names[0]], operation: 'read', type: 'Allowed' },
    { principals: [names[1]], operation: 'read', type: 'Denied' },
  ];
  await ok(t, w.as(owner).put('/api/metadata/project', { id, name: 'x', permissions }));
  const told = [`memberschanged ${id} members`];
  const join = (user: User, group: string) => ok(t, administrator.post(`/api/usergroups/user/${user.userId}`, [group]));
  t.deepEqual(await during(all, () => join(stranger, allowed)), [told, told, told], 'gains');
  t.deepEqual(await during(all, () => join(reader, denied)), [told, told, told], 'loses');
  const rename = () => ok(t, w.as(owner).put('/api/metadata/project', { id, name: `r${Math.random()}` }));
  t.deepEqual(
    (await during(all, rename)).map((lines) => lines.length),
    [1, 0, 1],
  );
  const [, , last] = await during(all, () => ok(t, administrator.delete(`/api/usergroups/${allowed}`)));
  t.deepEqual(last, [`memberschanged ${id} members permissions`], 'the group is deleted');
});

test('who joins or leaves the tenant hears what they gain or lose by permissions', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const administrator = w.as(await w.administrator());
  const [named, member, kept, barred, other] = await Promise.all(
    Array.from({ length: 5 }, () => w.account({ tenantId })),
  );
  const all = [owner, named!, member!, kept!, barred!, other!];
  const { id } = await makeProject(w, owner, {
    members: [
      [member!, 'Reader'],
      [kept!, 'Reader'],
      [barred!, 'Reader'],
    ],
  });
  const group = `Group ${id}`;
  await ok(t, administrator.post('/api/usergroups', { id: `g-${id}`, name: group }));
  await ok(t, administrator.post(`/api/usergroups/user/${other!.userId}`, [`g-${id}`]));
  const permissions = [
    { principals: [named!.userId, group], operation: 'read', type: 'Allowed' },
    { principals: [kept!.userId, barred!.id], operation: 'read', type: 'Denied' },
  ];
  await ok(t, w.as(owner).put('/api/metadata/project', { id, name: 'x', permissions }));
  const file = await newDataset(w, id, owner, { name: 'file' });
  await ok(
    t,
    w.as(owner).put(`/api/metadata/project/${id}/dataset`, {
      id: file,
      name: 'file',
      permissions: [{ principals: [named!.userId], operation: 'read', type: 'Allowed' }],
    }),
  );
  const leave =
    (user: User, rest = '') =>
    () =>
      ok(t, administrator.delete(`/api/iam/tenant/${tenantId}/member/${user.userId}${rest}`));
  const join = (user: User) => () =>
    ok(t, administrator.post(`/api/iam/tenant/${tenantId}/member`, { userId: user.userId, role: 'Member' }));
  const told = [`memberschanged ${id} members`];
  const both = [`memberschanged ${id} members`, `memberschanged ${file} members`].sort();
  const heard = async (act: () => Promise<unknown>) => (await during(all, act)).map((lines) => lines.sort());
  t.deepEqual(await heard(leave(named!)), [both, both, both, [], [], both], 'named by permissions alone');
  t.deepEqual(await heard(join(named!)), [both, both, both, [], [], both], 'gains');
  t.deepEqual(await heard(leave(other!)), [told, told, told, [], [], told], 'by a group');
  t.deepEqual(await heard(leave(barred!)), [told, told, told, [], [], []], 'a member who was denied to read');
  t.deepEqual(await heard(leave(kept!, '?keepProjectRoles=true')), [told, told, told, told, [], []], 'a guest reads');
  t.deepEqual(await heard(join(kept!)), [told, told, told, told, [], []], 'and is denied to read again');
  t.deepEqual(await heard(leave(member!)), [told, told, told, [], [], []], 'by a role alone');
});
