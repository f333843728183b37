import test from 'ava';
import { makeFolder, makeProject } from '../world/projects.ts';
import { countStatements } from '../world/statements.ts';
import { type User, world } from '../world.ts';

const w = world(test);
const LISTS = ['subproject/list', 'subproject/offset-list', 'subprojects'];
const OLDER = ['/api/project/', '/api/metadata/project/'];

const list = (user: User, id: string, path: string) => w.as(user).get(`/api/metadata/project/${id}/${path}`);
const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map((row) => row.name);

/** A root with a Reader, and below it folders, one closed to the Reader and one where he is Owner. */
async function scene() {
  const [owner, reader] = [await w.account(), await w.account()];
  const root = await makeProject(w, owner, { members: [[reader, 'Reader']] });
  for (const name of ['b', 'a', 'Z']) await makeFolder(w, owner, root.id, name);
  await makeProject(w, owner, { parentId: root.id, name: 'closed' });
  const own = await makeProject(w, owner, { parentId: root.id, name: 'own', members: [[reader, 'Owner']] });
  await makeFolder(w, owner, own.id, 'below');
  return { owner, reader, root: root.id, own: own.id };
}

test.serial('the number of SQL statements of a request does not depend on the number of rows', async (t) => {
  const { owner, reader, root } = await scene();
  const paths = [
    ...LISTS.map((path) => `/api/metadata/project/${root}/${path}`),
    `/api/metadata/project/${root}/offset-list-recursive`,
    `/api/metadata/project/${root}/subproject/offset-list?role=Owner&role=Reader`,
    `/api/project/${root}/path`,
    `/api/metadata/project/${root}/member`,
    '/api/metadata/project/list',
    '/api/project/list',
  ];
  const count = async (user: User, path: string) => {
    const headers = { authorization: `Bearer ${await w.tokenOf(user)}` };
    await w.nobody.get(path, headers);
    // identities and keys that were cached for some seconds are read again
    return countStatements(/^(?!.*(from accounts a where a\.user_id|from signing_keys))/s, async () => {
      t.is((await w.nobody.get(path, headers)).status, 200, path);
    });
  };
  const counts = async () => {
    const all: [string, number][] = [];
    for (const user of [owner, reader]) for (const path of paths) all.push([path, await count(user, path)]);
    return all;
  };
  const few = await counts();
  await w.sql(
    `insert into projects (id, parent_id, root_id, path, tenant_id, member_source_id, inherits_members, name, created_by, updated_by)
     select x.id, p.id, p.root_id, p.path || x.id, p.tenant_id, case when n % 2 = 0 then p.member_source_id else x.id end, n % 2 = 0,
       'n' || n, p.created_by, p.created_by
     from projects p, (select uuidv7() as id, n from generate_series(1, 200) n) x where p.id = $1`,
    [root],
  );
  await w.sql(
    `insert into project_members (project_id, user_id, role)
     select id, u, 'Contributor' from projects, unnest($2::uuid[]) u where parent_id = $1 and member_source_id = id
     on conflict do nothing`,
    [root, [owner.userId, reader.userId]],
  );
  t.deepEqual(await counts(), few);
  for (const [path, statements] of few) t.true(statements <= 4, `${path}: ${statements}`);
});

test('subprojects the caller cannot access are filtered out of the lists, so two callers can get different lists', async (t) => {
  const { owner, reader, root } = await scene();
  for (const path of LISTS) {
    t.deepEqual(names(await list(owner, root, path)), ['Z', 'a', 'b', 'closed', 'own'], path);
    t.deepEqual(names(await list(reader, root, path)), ['Z', 'a', 'b', 'own'], path);
    t.is((await list(await w.account(), root, path)).status, 404);
  }
  const { body } = await list(reader, root, 'subproject/offset-list?limit=2&offset=1');
  t.like(body, { totalCount: 4, offset: 1, limit: 2 });
  t.deepEqual(names({ body }), ['a', 'b']);
});

test('a tenant Owner sees all; permissions show and hide single subprojects', async (t) => {
  const tenantId = await w.tenant();
  const [owner, ann] = [await w.account({ tenantId }), await w.account({ tenantId })];
  const boss = await w.account({ tenantId, role: 'Owner' });
  const root = await makeProject(w, owner, { members: [[ann, 'Reader']] });
  const say = (type: string, operation: string) => ({ permissions: [{ principals: [ann.id], operation, type }] });
  const below = (name: string, more: object) => makeProject(w, owner, { parentId: root.id, name, ...more });
  await below('shut', { inheritsMembers: true, ...say('Denied', 'read') });
  await below('plain', { inheritsMembers: true });
  await below('writable', { inheritsMembers: true, ...say('Allowed', 'update') });
  await below('closed', {});
  await below('opened', say('Allowed', 'read'));
  for (const path of LISTS) {
    t.deepEqual(names(await list(ann, root.id, path)), ['opened', 'plain', 'writable'], path);
    t.deepEqual(names(await list(boss, root.id, path)), ['closed', 'opened', 'plain', 'shut', 'writable'], path);
    const writable = await list(ann, root.id, `${path}?capability=CanUpdateContent`);
    t.deepEqual(names(writable), ['writable'], path);
  }
  const { data } = (await list(ann, root.id, 'subprojects')).body;
  for (const row of data) {
    t.deepEqual(row, (await w.as(ann).get(`/api/metadata/project/${row.id}`)).body, row.name);
  }
});

test('the filter `role` keeps projects where the caller has one of the roles, directly or inherited', async (t) => {
  const { reader, root } = await scene();
  for (const path of LISTS) {
    t.deepEqual(names(await list(reader, root, `${path}?role=Owner`)), ['own'], path);
    t.deepEqual(names(await list(reader, root, `${path}?role=Reader`)), ['Z', 'a', 'b'], path);
    t.deepEqual(names(await list(reader, root, `${path}?role=Reader&role=Owner`)), ['Z', 'a', 'b', 'own'], path);
    t.deepEqual(names(await list(reader, root, `${path}?role=`)), ['Z', 'a', 'b', 'own'], path);
  }
});

test('using both role and capability in one request is not allowed', async (t) => {
  const { owner, root } = await scene();
  for (const path of LISTS) {
    t.is((await list(owner, root, `${path}?role=Owner&capability=CanReadContent`)).status, 400, path);
  }
});

test('a cursor continues after the last row despite inserts, and is valid only for its parent', async (t) => {
  const { owner, root, own } = await scene();
  for (const sortBy of ['Name', 'CreatedAt', 'UpdatedAt']) {
    const page = (id: string, cursor?: string) =>
      list(
        owner,
        id,
        `subproject/list?limit=2&sortBy=${sortBy}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      );
    const all = names(await list(owner, root, `subproject/list?sortBy=${sortBy}`));
    const first = await page(root);
    const made = await makeFolder(w, owner, root, 'A earlier by name');
    const rest: string[] = [];
    let cursor = first.body.cursor;
    while (cursor !== undefined) {
      const next = await page(root, cursor);
      rest.push(...names(next));
      cursor = next.body.cursor;
    }
    const seen = [...names(first), ...rest].filter((name) => name !== made.name);
    t.deepEqual(
      seen,
      all.filter((name) => name !== made.name),
      sortBy,
    );
    t.is((await page(own, first.body.cursor)).status, 400);
    await w.as(owner).delete(`/api/project/${made.id}`);
  }
});

test('rows of current lists have no members or capabilities; rows of legacy lists are full records', async (t) => {
  const { owner, root } = await scene();
  for (const path of LISTS.slice(0, 2)) {
    for (const row of (await list(owner, root, path)).body.data) {
      t.false('members' in row || 'capabilities' in row);
      t.is(row.parentProjectId, root);
    }
  }
  for (const start of OLDER) {
    for (const row of (await w.as(owner).get(`${start}${root}/subprojects`)).body.data) {
      t.deepEqual(row, (await w.as(owner).get(`/api/metadata/project/${row.id}`)).body);
    }
  }
  const roots = (await w.as(owner).get('/api/project/list')).body.data;
  t.deepEqual(roots, [(await w.as(owner).get(`/api/metadata/project/${root}`)).body]);
});

test('lists of subprojects show one level; a client traverses level by level, or asks for the recursive list', async (t) => {
  const { owner, reader, root, own } = await scene();
  t.false(names(await list(owner, root, 'subprojects')).includes('below'));
  t.deepEqual(names(await list(owner, own, 'subprojects')), ['below']);
  const { body } = await list(owner, root, 'offset-list-recursive');
  t.like(body, { totalCount: 6, offset: 0, limit: 50 });
  t.deepEqual(
    body.data.map((row: { name: string; relativePath: string }) => [row.relativePath, row.name]),
    [
      ['', 'Z'],
      ['', 'a'],
      ['', 'b'],
      ['', 'closed'],
      ['', 'own'],
      ['own', 'below'],
    ],
  );
  t.is(body.data[5].parentProjectId, own);
  const ofReader = await list(reader, root, 'offset-list-recursive?offset=4&limit=1');
  t.like(ofReader.body, { totalCount: 5, offset: 4, limit: 1 });
  t.deepEqual(names(ofReader), ['below']);
  await w.as(owner).delete(`/api/project/${own}`);
  t.is((await list(owner, root, 'offset-list-recursive')).body.totalCount, 4);
});

test('deleted subprojects are in no list', async (t) => {
  const { owner, root, own } = await scene();
  await w.as(owner).delete(`/api/project/${own}`);
  for (const path of LISTS) t.false(names(await list(owner, root, path)).includes('own'), path);
});
