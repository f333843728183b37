import { randomUUID } from 'node:crypto';
import test from 'ava';
import { newDataset, subproject } from '../world/content.ts';
import { unsound } from '../world/projects.ts';
import { countStatements } from '../world/statements.ts';
import { newProject } from '../world/transfers.ts';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test);

const create = (path: string, isFolder = false) => ({ type: 'PathActionCreate', path, isFolder });
const ensure = (path: string, isFolder = false) => ({ type: 'PathActionCreateIfNotExists', path, isFolder });
const remove = (path: string, isFolder = false) => ({ type: 'PathActionDelete', path, isFolder });
const move = (path: string, newPath: string, isFolder = false) => ({ type: 'PathActionMove', path, newPath, isFolder });

const apply = (user: User, projectId: string, actions: object[], more: object = {}) =>
  w.as(user).post(`/api/hierarchy/project/${projectId}/`, { actions, ...more });

/** Everything below a project as its Owner sees it, folders with a slash. */
async function tree(user: User, projectId: string, above = ''): Promise<string[]> {
  const { data: folders } = (await w.as(user).get(`/api/project/${projectId}/subprojects`)).body;
  const { data: files } = (await w.as(user).get(`/api/metadata/project/${projectId}/dataset/list`)).body;
  const below = await Promise.all(
    folders.map((folder: { id: string; name: string }) => tree(user, folder.id, `${above}${folder.name}/`)),
  );
  return [
    ...folders.map(({ name }: { name: string }) => `${above}${name}/`),
    ...files.map(({ name }: { name: string }) => above + name),
    ...below.flat(),
  ].sort();
}

async function scene() {
  const owner = await w.account();
  return { owner, root: await newProject(w.as(owner)) };
}

test('create makes folders and files with missing parents; results are in action order, folders end with a slash', async (t) => {
  const { owner, root } = await scene();
  const { status, body } = await apply(owner, root, [
    create('a/b/c.txt'),
    create('/x/', true),
    create('a/d', true),
    create('top.txt'),
  ]);
  t.is(status, 200);
  t.deepEqual(
    body.results.map((result: { path: string }) => result.path),
    ['a/b/c.txt', 'x/', 'a/d/', 'top.txt'],
  );
  const [file, folder, , top] = body.results;
  t.truthy(file.datasetId);
  t.false('datasetId' in folder);
  t.is(top.projectId, root);
  t.deepEqual(await tree(owner, root), ['a/', 'a/b/', 'a/b/c.txt', 'a/d/', 'top.txt', 'x/']);
  const dataset = (await w.as(owner).get(`/api/metadata/dataset/${file.datasetId}`)).body;
  t.like(dataset, {
    name: 'c.txt',
    datasetType: 'file',
    datasetFormat: 'file',
    storageSize: 0,
    projectId: file.projectId,
  });
  const made = (await w.as(owner).get(`/api/metadata/project/${folder.projectId}`)).body;
  t.like(made, { inheritsMembers: true, accessLevel: 'Shared', createdBy: owner.userId });
  t.deepEqual(made.members, []);
  t.deepEqual(await unsound(w), []);
});

test('defaultAccessLevel applies to new folders, sasTokenExpiration to the tokens', async (t) => {
  const { owner, root } = await scene();
  const { body } = await apply(owner, root, [create('a', true)], {
    defaultAccessLevel: 'private',
    sasTokenExpiration: '2.00:00:00',
  });
  const [{ projectId, sasToken }] = body.results;
  t.is((await w.as(owner).get(`/api/metadata/project/${projectId}`)).body.accessLevel, 'Private');
  const hours = (Date.parse(new URLSearchParams(sasToken).get('se')!) - Date.now()) / 3_600_000;
  t.true(hours > 47.9 && hours <= 48);
  const [{ sasToken: usual }] = (await apply(owner, root, [create('b', true)])).body.results;
  const minutes = (Date.parse(new URLSearchParams(usual).get('se')!) - Date.now()) / 60_000;
  t.true(minutes > 59 && minutes <= 60);
});

test('returned tokens work on the blob endpoint: of a file for the file, of a folder for the files below it', async (t) => {
  const { owner, root } = await scene();
  const { results } = (await apply(owner, root, [create('a/b.txt'), ensure('a', true)])).body;
  const { datasetId, sasToken } = results[0];
  const url = `/api/blob/dataset/${datasetId}`;
  const put = await w.nobody.put(`${url}?${sasToken}`, Buffer.from('hello'), {
    'x-ms-blob-type': 'BlockBlob',
    'if-none-match': '*',
  });
  t.is(put.status, 201);
  t.is((await w.as(owner).get(`/api/metadata/dataset/${datasetId}`)).body.storageSize, 5);
  const part = await w.nobody.get(`${url}?${results[1].sasToken}`, { range: 'bytes=1-2' });
  t.is(part.status, 206);
  t.is(String(part.raw), 'el');
  t.is((await w.nobody.put(`${url}?${results[1].sasToken}`, Buffer.from('by the folder'))).status, 201);
  t.is((await w.nobody.send({ method: 'HEAD', url: `${url}?${sasToken}` })).headers['content-length'], '13');
  const deleted = (await apply(owner, root, [remove('a/b.txt')])).body.results;
  t.like(deleted[0], { datasetId, path: 'a/b.txt' });
  t.is((await w.nobody.get(`${url}?${sasToken}`)).status, 404);
});

test('create of an existing path is 409; create-if-not-exists returns the existing item', async (t) => {
  const { owner, root } = await scene();
  const [first] = (await apply(owner, root, [create('a', true), create('b')])).body.results;
  for (const action of [
    create('a', true),
    create('a'),
    create('b'),
    create('b', true),
    ensure('a'),
    ensure('b', true),
  ]) {
    const { status, body } = await apply(owner, root, [action]);
    t.is(status, 409, JSON.stringify(action));
    t.is(body.code, 'PathExists');
    t.deepEqual(Object.keys(body.errors), ['actions[0].path']);
  }
  const again = (await apply(owner, root, [ensure('a', true), ensure('b'), ensure('c/d')])).body.results;
  t.is(again[0].projectId, first.projectId);
  t.is(again.length, 3);
  t.deepEqual(await tree(owner, root), ['a/', 'b', 'c/', 'c/d']);
});

test('delete moves items to the recycle bin; a missing path gives no error and no result', async (t) => {
  const { owner, root } = await scene();
  await apply(owner, root, [create('a/b/c'), create('d')]);
  const { body } = await apply(owner, root, [
    remove('none'),
    remove('a/none/x'),
    remove('a', true),
    remove('d'),
    remove('d'),
  ]);
  t.deepEqual(
    body.results.map((result: { path: string }) => result.path),
    ['a/', 'd'],
  );
  t.deepEqual(await tree(owner, root), []);
  const bin = (await w.as(owner).get('/api/recycle-bin/my-deleted-items')).body;
  t.deepEqual(bin.data.map((item: { name: string }) => item.name).sort(), ['a', 'd']);
  t.is((await apply(owner, root, [create('a', true)])).status, 200, 'deleted items do not exist');
});

test('move moves and renames an item with its content; a missing source is 404, an existing target 409', async (t) => {
  const { owner, root } = await scene();
  await apply(owner, root, [create('a/b/c/d.txt'), create('e.txt'), create('f', true)]);
  const { status, body } = await apply(owner, root, [
    move('a/b', 'f/g/renamed', true),
    move('e.txt', 'f/e2.txt'),
    move('f', 'h/', true),
    move('h', 'h', true),
  ]);
  t.is(status, 200);
  t.deepEqual(
    body.results.map((result: { path: string }) => result.path),
    ['f/g/renamed/', 'f/e2.txt', 'h/', 'h/'],
  );
  const after = ['a/', 'h/', 'h/e2.txt', 'h/g/', 'h/g/renamed/', 'h/g/renamed/c/', 'h/g/renamed/c/d.txt'];
  t.deepEqual(await tree(owner, root), after);
  t.deepEqual(await unsound(w), []);
  t.is((await apply(owner, root, [move('none', 'x')])).status, 404);
  t.is((await apply(owner, root, [move('a', 'h', true)])).status, 409);
  t.is((await apply(owner, root, [move('a', 'h/e2.txt', true)])).status, 409);
  t.is((await apply(owner, root, [{ type: 'PathActionMove', path: 'a' }])).status, 400);
  t.deepEqual(await tree(owner, root), after);
});

test('moving a folder below itself is 403', async (t) => {
  const { owner, root } = await scene();
  await apply(owner, root, [create('a/b', true)]);
  for (const target of ['a/b/c', 'a/x', 'a/new/a']) {
    t.is((await apply(owner, root, [move('a', target, true)])).status, 403, target);
  }
  t.deepEqual(await tree(owner, root), ['a/', 'a/b/']);
});

test('later actions see items that earlier actions created, moved or deleted', async (t) => {
  const { owner, root } = await scene();
  await apply(owner, root, [create('a/old.txt'), create('a/sub/deep.txt'), create('b/x')]);
  const { status, body } = await apply(owner, root, [
    move('a', 'tmp', true),
    move('b', 'a', true),
    move('tmp', 'b', true),
    move('b/old.txt', 'a/sub/old.txt'),
    create('b/sub/new.txt'),
    remove('b/sub/deep.txt'),
    remove('a/x'),
    create('a/x', true),
    create('n/m/o', true),
    move('n/m', 'm', true),
    create('m/p'),
    remove('n', true),
  ]);
  t.is(status, 200, JSON.stringify(body));
  t.deepEqual(await tree(owner, root), [
    'a/',
    'a/sub/',
    'a/sub/old.txt',
    'a/x/',
    'b/',
    'b/sub/',
    'b/sub/new.txt',
    'm/',
    'm/o/',
    'm/p',
  ]);
  t.deepEqual(await unsound(w), []);
});

test('a long chain of dependent moves is 400 and changes nothing; split into several requests it succeeds', async (t) => {
  const { owner, root } = await scene();
  await apply(owner, root, [create('m0/x/y')]);
  const chain = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => n + from).flatMap((n) => [
      move(`m${n}`, `m${n + 1}`, true),
      ensure(`m${n + 1}/x/y`),
    ]);
  const { status, body } = await apply(owner, root, chain(0, 60));
  t.is(status, 400);
  t.regex(body.detail, /Split such chains into several requests/);
  t.deepEqual(await tree(owner, root), ['m0/', 'm0/x/', 'm0/x/y']);
  for (const from of [0, 30]) t.is((await apply(owner, root, chain(from, 30))).status, 200);
  t.deepEqual(await tree(owner, root), ['m60/', 'm60/x/', 'm60/x/y']);
});

test('if one action is refused, none is applied', async (t) => {
  const { owner, root } = await scene();
  await apply(owner, root, [create('a', true)]);
  const { status, body } = await apply(owner, root, [create('b/c'), remove('a', true), move('none', 'x')]);
  t.is(status, 404);
  t.deepEqual(Object.keys(body.errors), ['actions[2].path']);
  t.deepEqual(await tree(owner, root), ['a/']);
  t.deepEqual(await w.sql('select count(*)::int as n from projects where root_id = $1', [root]), [{ n: 2 }]);
});

test('empty names, . and .. are 400, leading and trailing slashes are ignored, more than 1000 actions are 400', async (t) => {
  const { owner, root } = await scene();
  for (const path of ['', '/', 'a//b', './a', 'a/..', ' ', `${'x'.repeat(256)}`, Array(101).fill('a').join('/')]) {
    t.is((await apply(owner, root, [create(path)])).status, 400, path);
  }
  t.is((await apply(owner, root, [{ type: 'PathActionCopy', path: 'a' }])).status, 400);
  t.is((await apply(owner, root, Array(1001).fill(ensure('a')))).status, 400);
  t.is((await apply(owner, root, [create('/a/b/', true)])).status, 200);
  t.deepEqual((await apply(owner, root, [])).body, { results: [] });
  const left = await w.as(owner).post(`/api/hierarchy/project/${root}`, {});
  t.deepEqual([left.status, left.body], [200, { results: [] }], 'clients leave out an empty list');
  t.deepEqual(await tree(owner, root), ['a/', 'a/b/']);
});

test('paths whose total length and depth exceed the limit are 400 before anything is read', async (t) => {
  const { owner, root } = await scene();
  const deep = (first: string) => [first, ...Array.from({ length: 99 }, () => 'x'.repeat(90))].join('/');
  const answer = await apply(
    owner,
    root,
    Array.from({ length: 30 }, (_, n) => create(deep(`${n}`))),
  );
  t.is(answer.status, 400);
  t.is((await apply(owner, root, [create(deep('one'))])).status, 200);
});

test('an ambiguous path is 409, and so is a file used as a folder', async (t) => {
  const { owner, root } = await scene();
  await subproject(w.as(owner), root, { name: 'twin', inheritsMembers: true });
  await subproject(w.as(owner), root, { name: 'twin', inheritsMembers: true });
  for (const name of ['pair', 'pair', 'file']) await newDataset(w, root, owner, { name });
  for (const action of [
    create('twin/x'),
    ensure('twin', true),
    remove('twin', true),
    remove('pair'),
    move('pair', 'x'),
  ]) {
    const { status, body } = await apply(owner, root, [action]);
    t.is(status, 409, JSON.stringify(action));
    t.is(body.code, 'PathAmbiguous');
  }
  for (const action of [create('file/x'), remove('file/x'), move('file/x', 'y'), move('pair', 'file/y')]) {
    t.is((await apply(owner, root, [action])).status, 409, JSON.stringify(action));
  }
});

test('create needs canCreateContent, delete canDelete or canDeleteContent on the parent, move both', async (t) => {
  const { owner, root } = await scene();
  const [reader, contributor, stranger] = [await w.account(), await w.account(), await w.account()];
  for (const [user, role] of [
    [reader, 'Reader'],
    [contributor, 'Contributor'],
  ] as const) {
    await w.as(owner).post(`/api/metadata/project/${root}/member`, { userId: user.userId, role });
  }
  await apply(owner, root, [create('a/b.txt'), create('c', true)]);
  const own = await subproject(w.as(owner), root, { name: 'own', members: [{ userId: reader.userId, role: 'Owner' }] });
  for (const action of [
    create('x'),
    ensure('a/x', true),
    remove('a', true),
    remove('a/b.txt'),
    move('a', 'c/a', true),
  ]) {
    t.is((await apply(reader, root, [action])).status, 403, JSON.stringify(action));
    t.is((await apply(stranger, root, [action])).status, 404);
  }
  t.is((await apply(reader, root, [ensure('a', true)])).status, 200, 'what is there may be asked for');
  t.is((await apply(reader, root, [move('own', 'c/own', true)])).status, 403);
  t.is((await apply(reader, own, [create('mine')])).status, 200);
  t.is((await apply(reader, root, [remove('own', true)])).status, 200, 'his own subproject');
  t.is((await apply(contributor, root, [move('a', 'c/a', true), remove('c/a/b.txt'), create('d')])).status, 200);
});

test('invisible items are 404 and their names are free; delete finds visible items first, then invisible ones', async (t) => {
  const { owner, root } = await scene();
  const contributor = await w.account();
  await w.as(owner).post(`/api/metadata/project/${root}/member`, { userId: contributor.userId, role: 'Contributor' });
  const hidden = await subproject(w.as(owner), root, { name: 'hidden' });
  t.is((await apply(contributor, root, [move('hidden', 'x', true)])).status, 404);
  const { results } = (await apply(contributor, root, [create('hidden/x')])).body;
  t.not(results[0].projectId, hidden);
  t.is((await apply(contributor, root, [remove('hidden', true)])).body.results[0].projectId, results[0].projectId);
  t.is((await apply(contributor, root, [remove('hidden', true)])).body.results[0].projectId, hidden);
  t.is((await w.as(owner).get(`/api/metadata/project/${hidden}`)).status, 404);
});

test('the token of a deleted folder without access for the caller reads nothing, also after its restore', async (t) => {
  const { owner, root } = await scene();
  const contributor = await w.account();
  await w.as(owner).post(`/api/metadata/project/${root}/member`, { userId: contributor.userId, role: 'Contributor' });
  const hidden = await subproject(w.as(owner), root, { name: 'hidden' });
  const secret = await newDataset(w, hidden, owner);
  const more = { sasTokenExpiration: '7.00:00:00' };
  const [result] = (await apply(contributor, root, [remove('hidden', true)], more)).body.results;
  t.is(result.projectId, hidden);
  t.is((await w.as(contributor).put(`/api/recycle-bin/project/${hidden}/restore`)).status, 204);
  t.is((await w.nobody.get(`/api/blob/dataset/${secret}?${result.sasToken}`)).status, 403);
  const token = (await w.as(owner).get(`/api/security/sastoken?projectId=${hidden}`)).body.data;
  t.is((await w.nobody.get(`/api/blob/dataset/${secret}?${token}`)).status, 200, 'the Owner’s reads it');
});

test('a dataset that a transfer writes or reads is neither moved nor deleted: 409', async (t) => {
  const { owner, root } = await scene();
  const written = await newDataset(w, root, owner, { name: 'written' });
  await w.sql('update datasets set locked_by = $1 where id = $2', [randomUUID(), written]);
  const read = await newDataset(w, root, owner, { name: 'read' });
  await w.sql('insert into dataset_readers (transfer_id, dataset_id) values ($1, $2)', [randomUUID(), read]);
  for (const action of [remove('written'), move('written', 'x'), remove('read'), move('read', 'x')]) {
    const { status, body } = await apply(owner, root, [action]);
    t.is(status, 409);
    t.is(body.code, 'DatasetLocked');
  }
});

test('moved folders keep explicit members; folders without them inherit from the new parent', async (t) => {
  const { owner, root } = await scene();
  const guest = await w.account();
  const club = await subproject(w.as(owner), root, {
    name: 'club',
    members: [{ userId: guest.userId, role: 'Contributor' }],
  });
  await apply(owner, root, [create('a/b/c.txt'), create('e', true)]);
  const { status } = await apply(owner, root, [move('a', 'club/a', true), create('club/a/b/d.txt')]);
  t.is(status, 200);
  t.deepEqual(await tree(guest, club), ['a/', 'a/b/', 'a/b/c.txt', 'a/b/d.txt']);
  t.is((await apply(owner, root, [move('club', 'e/club', true)])).status, 200);
  t.deepEqual(await tree(guest, club), ['a/', 'a/b/', 'a/b/c.txt', 'a/b/d.txt']);
  t.deepEqual(await unsound(w), []);
});

test('concurrent requests on one tree run one after another: the same path is created once', async (t) => {
  const { owner, root } = await scene();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => apply(owner, root, [ensure('same/path', true), create(`same/path/${n}`)])),
  );
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  );
  t.deepEqual(await tree(owner, root), [
    'same/',
    'same/path/',
    ...Array.from({ length: 6 }, (_, n) => `same/path/${n}`),
  ]);
});

test.serial('a thousand actions need as many SQL statements as ten', async (t) => {
  const { owner, root } = await scene();
  const statements = (count: number, name: string) =>
    countStatements(/projects|datasets/, async () => {
      const made = Array.from({ length: count }, (_, n) => create(`${name}/f${n % 50}/s${n}`, true));
      const files = Array.from({ length: 5 }, (_, n) => create(`${name}/file${n}`));
      const { status } = await apply(owner, root, [...made.slice(5), ...files]);
      t.is(status, 200);
    });
  const few = await statements(10, 'few');
  t.true(few > 0 && few < 15, `${few}`);
  t.is(await statements(1000, 'many'), few);
  t.deepEqual(await unsound(w), []);
});

test('answers, which contain tokens, are not stored for a repeated request: 409 ReplayUnavailable', async (t) => {
  const { owner, root } = await scene();
  const send = () =>
    w.as(owner).post(`/api/hierarchy/project/${root}`, { actions: [create('a/b.txt')] }, { 'idempotency-key': 'k' });
  const made = await send();
  t.is(made.status, 200);
  const again = await send();
  t.deepEqual([again.status, again.body.code], [409, 'ReplayUnavailable']);
  const stored = await w.sql('select to_jsonb(k)::text as text from idempotency_keys k where user_id = $1', [
    owner.userId,
  ]);
  t.is(stored.length, 1);
  t.false(JSON.stringify(stored).includes(new URLSearchParams(made.body.results[0].sasToken).get('sig')!));
  t.false(JSON.stringify(stored).includes('sasToken'));
});
