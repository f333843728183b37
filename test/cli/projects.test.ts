import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

/** Somebody logged in, with a root project. */
async function owner(t: Parameters<typeof machine>[0]) {
  const user = await w.account();
  const { run, logIn, folder } = await machine(t);
  await logIn(user.id);
  const made = async (...argv: string[]) => {
    const { code, out, err } = await run(['project', 'create', '--json', ...argv]);
    if (code !== 0) throw new Error(err);
    return JSON.parse(out).id as string;
  };
  return { user, run, made, folder, root: await made('--name', 'River') };
}

test('subprojects are created, listed, shown as a tree, moved and deleted', async (t) => {
  const { run, made, root } = await owner(t);
  const lake = await made('--name', 'Lake', '--parent', root, '--inherit');
  const bay = await made('--name', 'Bay', '--parent', lake);
  const pond = await made('--name', 'Pond', '--parent', root);
  const listed = await run(['project', 'list', '--parent', root]);
  t.regex(listed.out, /Lake/);
  t.notRegex(listed.out, /Bay/);
  const tree = async () => (await run(['project', 'tree', root])).out.split('\n').slice(1, 4);
  t.deepEqual(
    (await tree()).map((line) => line.replace(/ {2,}[0-9a-f-]{36}$/, '')),
    ['Lake', '  Bay', 'Pond'],
  );
  t.like(await run(['project', 'move', bay, pond]), { code: 0, out: `The project is in ${pond} now.\n` });
  t.deepEqual(
    (await tree()).map((line) => line.replace(/ {2,}[0-9a-f-]{36}$/, '')),
    ['Lake', 'Pond', '  Bay'],
  );
  const refused = await run(['project', 'move', pond, bay]);
  t.is(refused.code, 1);
  t.regex(refused.err, /^platform: Project .* or lies below it\./);
  t.is((await run(['project', 'delete', pond, '--yes'])).code, 0);
  t.is((await run(['project', 'show', bay])).code, 1);
});

test('update changes the given members and keeps the others', async (t) => {
  const { run, root, folder } = await owner(t);
  const update = (...argv: string[]) => run(['project', 'update', root, ...argv]);
  t.is((await update('--description', 'text')).code, 0);
  t.is((await update('--name', 'Stream', '--access-level', 'Private')).code, 0);
  const picture = join(folder, 'picture.png');
  await writeFile(picture, Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'));
  t.is((await update('--thumbnail', picture)).code, 0);
  const shown = async () => JSON.parse((await run(['project', 'show', root, '--json'])).out);
  t.like(await shown(), { name: 'Stream', description: 'text', accessLevel: 'Private', hasThumbnail: true });
  t.is((await update('--no-thumbnail', '--description', '')).code, 0);
  const last = await shown();
  t.false(last.hasThumbnail);
  t.false('description' in last);
});

test('members are listed, added, removed, set and inherited, and access is explained', async (t) => {
  const { user, run, made, root } = await owner(t);
  const other = await w.account();
  const members = (...argv: string[]) => run(['project', 'members', ...argv]);
  t.is((await members('add', root, other.userId, '--role', 'Contributor')).code, 0);
  t.regex((await members(root)).out, new RegExp(`^${other.id} .* Contributor .*${other.userId}$`, 'm'));
  const explained = await run(['project', 'access-explain', root, '--user', other.userId]);
  t.regex(explained.out, new RegExp(`canEdit +yes +Contributor in ${root}`));
  t.regex(explained.out, /canDelete +no$/m);
  t.is((await members('remove', root, other.userId)).code, 0);
  t.notRegex((await members('list', root)).out, new RegExp(other.userId));
  const below = await made('--name', 'Below', '--parent', root);
  t.is((await members('set', below, `${user.userId}:Owner`, `${other.userId}:Reader`)).code, 0);
  t.regex((await members(below)).out, new RegExp(`^${other.id} .* Reader .*${other.userId}$`, 'm'));
  t.is((await members('inherit', below)).code, 0);
  t.notRegex((await members(below)).out, new RegExp(other.userId));
  t.is((await members('set', below, 'nobody')).code, 2);
});
