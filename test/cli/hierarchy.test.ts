import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

test('the hierarchy commands create folders, and put, replace, move, rename, delete and read a file', async (t) => {
  const { id } = await w.account();
  const { run, logIn, folder } = await machine(t);
  await logIn(id);
  const json = async (...argv: string[]) => {
    const { code, out, err } = await run([...argv, '--json']);
    t.is(code, 0, err);
    return JSON.parse(out);
  };
  const project = (await json('project', 'create', '--name', 'River')).id;
  const hierarchy = (...argv: string[]) => run(['hierarchy', ...argv, '--project', project]);

  t.is((await hierarchy('mkdir', 'maps/old', 'maps/new')).code, 0);
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'first');
  t.regex((await hierarchy('put', file, 'maps/old/')).out, /^maps\/old\/notes\.txt /m);
  await writeFile(file, 'second, and longer');
  t.is((await hierarchy('put', file, 'maps/old/notes.txt')).code, 0);
  t.is((await hierarchy('move', 'maps/old/notes.txt', 'maps/new/renamed.txt')).code, 0);
  t.is((await hierarchy('move', 'maps', 'charts')).code, 0);

  const { data } = (await w.as(await userOf(id)).get(`/api/metadata/project/${project}/dataset/recursive-list`)).body;
  t.like(data[0], { relativePath: 'charts/new', name: 'renamed.txt' });
  const dataset = data[0].id;
  const changed = await json('dataset', 'update', dataset, '--tag', 'a', '--tag', 'b', '--metadata', '{"k":1}');
  t.like(changed, { name: 'renamed.txt', metadata: { k: 1 } });
  t.deepEqual(changed.tags, ['a', 'b']);
  t.is((await run(['dataset', 'update', dataset])).code, 2);
  t.is((await run(['dataset', 'update', dataset, '--metadata', '[]'])).code, 2);
  const address = (await run(['dataset', 'raw', dataset])).out.trim();
  t.is(await (await fetch(address)).text(), 'second, and longer');
  for (const revoke of [
    ['dataset', 'revoke-grants', dataset],
    ['project', 'revoke-grants', project],
  ]) {
    const before = (await run(['dataset', 'raw', dataset])).out.trim();
    t.is((await fetch(before)).status, 200);
    t.regex((await run(revoke)).out, /^All signed addresses .* are revoked\.\n$/);
    t.is((await fetch(before)).status, 403);
  }
  const map = (await run(['dataset', 'map', dataset, '--expires', '2d'])).out.trim();
  t.regex(map, new RegExp(`^http://[^/]+/map/dataset/${dataset}\\?.*sp=r&se=`), 'grants reading only');
  t.is((await fetch(map)).status, 200);
  const expiry = Date.parse(new URL(map).searchParams.get('se') ?? '') - Date.now();
  t.true(Math.abs(expiry / 3_600_000 - 48) < 1);
  const plain = await json('dataset', 'map', dataset, '--no-sign');
  t.like(plain, { id: dataset });
  const out = join(folder, 'back.txt');
  t.is((await run(['dataset', 'download', dataset, '-o', out])).code, 0);
  t.is(await readFile(out, 'utf8'), 'second, and longer');

  t.is(
    (await hierarchy('delete', 'charts/new/renamed.txt', '--yes')).out,
    "'charts/new/renamed.txt' is in the recycle bin.\n",
  );
  t.is((await hierarchy('delete', 'charts/new/renamed.txt', '--yes')).out, "There is no 'charts/new/renamed.txt'.\n");
});

test('hierarchy apply carries out a file of actions, all or nothing', async (t) => {
  const { id } = await w.account();
  const { run, logIn, folder } = await machine(t);
  await logIn(id);
  const project = JSON.parse((await run(['project', 'create', '--name', 'River', '--json'])).out).id;
  const file = join(folder, 'actions.json');
  const apply = (path: string, options = {}) => run(['hierarchy', 'apply', path, '--project', project], options);
  const actions = [
    { type: 'PathActionCreate', path: 'a', isFolder: true },
    { type: 'PathActionMove', path: 'none', newPath: 'x' },
  ];
  await writeFile(file, JSON.stringify(actions));
  const refused = await apply(file);
  t.is(refused.code, 1);
  t.regex(refused.err, /'none' does not exist/);
  const done = await apply('-', { stdin: JSON.stringify({ actions: actions.slice(0, 1) }) });
  t.regex(done.out, /^a\/ /m);
  await writeFile(file, 'no json');
  t.is((await apply(file)).code, 2);
  t.is((await apply(join(folder, 'none.json'))).code, 2);
});

async function userOf(id: string) {
  const [row] = await w.sql<{ user_id: string }>('select user_id from accounts where id = $1', [id]);
  return { userId: row?.user_id ?? '' };
}
