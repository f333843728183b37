import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { main } from '../../cli/main.ts';
import { newDataset } from '../world/content.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';
import { person } from './person.ts';

const w = world(test);
const machine = machines(w);

/** Somebody logged in, with projects and a dataset that the API made. */
async function scene(t: ExecutionContext) {
  const at = await machine(t);
  const user = await w.account({ role: 'Owner', tenantId: await w.tenant() });
  await at.logIn(user.id);
  const client = w.as(user);
  const make = async (name: string, parent?: string): Promise<string> => {
    const to = parent === undefined ? '/api/metadata/project' : `/api/metadata/project/${parent}/subproject`;
    return (await client.post(to, { name, ...(parent === undefined ? {} : { inheritsMembers: true }) })).body.id;
  };
  const root = await make('Upper valley');
  const raw = await make('raw/2026', root);
  const dataset = await newDataset(w, raw, user, { name: 'Q m3/s', content: 'depths', datasetFormat: 'file' });
  const ok = async (...argv: string[]) => {
    const { code, out, err } = await at.run(argv);
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${err}`);
    return out;
  };
  return { ...at, user, client, make, root, raw, dataset, ok };
}

test('a name or a path may replace the id of a project or dataset', async (t) => {
  const { ok, root, raw, dataset, client, folder } = await scene(t);
  for (const name of ['Upper valley', '/Upper valley', root])
    t.true((await ok('project', 'show', name)).includes(root), name);
  for (const name of ['raw%2F2026', 'Upper valley/raw%2F2026', '/Upper valley/raw%2F2026/', raw])
    t.true((await ok('dataset', 'list', '--project', name)).includes(dataset), name);
  for (const name of ['Q m3%2Fs', 'Q m3/s', 'raw%2F2026/Q m3%2Fs', '/Upper valley/raw%2F2026/Q m3%2Fs'])
    t.true((await ok('dataset', 'show', name)).includes(dataset), name);
  const output = join(folder, 'out.bin');
  await ok('dataset', 'download', 'Q m3%2Fs', '-o', output);
  t.is(await readFile(output, 'utf8'), 'depths');
  await ok('project', 'create', '--name', 'new', '--parent', 'raw%2F2026');
  await ok('project', 'move', 'new', 'Upper valley');
  await ok('project', 'members', 'list', 'new');
  await ok('dataset', 'move', 'Q m3%2Fs', '--project', '/Upper valley/new');
  const { body } = await client.get(`/api/metadata/dataset/${dataset}`);
  t.is((await client.get(`/api/metadata/project/${body.projectId}`)).body.name, 'new');
});

test('an ambiguous name is exit code 2 and lists the candidates; an unknown name is 1', async (t) => {
  const { run, make, root, raw } = await scene(t);
  const other = await make('Upper valley', raw);
  const both = await run(['project', 'delete', 'Upper valley', '--yes']);
  t.like(both, { code: 2, out: '' });
  t.true(both.err.includes(`/Upper valley (${root})`), both.err);
  t.true(both.err.includes(`/Upper valley/raw%2F2026/Upper valley (${other})`), both.err);
  t.is((await run(['project', 'show', '/Upper valley'])).code, 0, 'a whole path tells them apart');
  t.is((await run(['project', 'show', 'raw%2F2026/Upper valley'])).code, 0);
  const none = await run(['project', 'show', 'Lower valley']);
  t.is(none.code, 1);
  t.regex(none.err, /There is no project 'Lower valley'/);
  t.is((await run(['dataset', 'show', 'Upper valley'])).code, 1, 'a project is no dataset');
});

test('tenants, keys, groups and items of the recycle bin may be named, too', async (t) => {
  const { run, ok, user, client, dataset } = await scene(t);
  const { name: tenantName } = (await client.get(`/api/iam/tenant/${user.tenantId}`)).body;
  t.true((await ok('project', 'list', '--tenant', tenantName)).includes('Upper valley'));
  t.true((await ok('project', 'show', 'Upper valley', '--tenant', tenantName)).includes('Upper valley'));
  t.true((await ok('tenant', 'show', tenantName)).includes(user.tenantId));
  await ok('key', 'create', '--name', 'loggers', '--role', 'Reader');
  t.regex(await ok('key', 'revoke', 'loggers'), /is revoked/);
  await ok('dataset', 'delete', 'Q m3%2Fs', '--yes');
  t.true((await ok('recycle-bin', 'show', 'Q m3/s')).includes(dataset));
  await ok('recycle-bin', 'restore', 'Q m3/s');
  t.is((await run(['recycle-bin', 'show', 'Q m3/s'])).code, 1);
  const administrator = await machine(t);
  await administrator.logIn((await w.administrator()).id);
  await administrator.run(['group', 'create', '--name', 'Field staff', '--id', 'field']);
  t.regex((await administrator.run(['group', 'show', 'Field staff'])).out, /field/);
  t.regex((await administrator.run(['group', 'show', 'field'])).out, /Field staff/);
});

test('two commands with a tenant of their own look there for the project', async (t) => {
  const { run, client, user, dataset } = await scene(t);
  const tenantId = await w.tenant();
  await w.sql(`insert into tenant_members (tenant_id, user_id, role) values ($1, $2, 'Owner')`, [
    tenantId,
    user.userId,
  ]);
  const fresh = await machine(t);
  await fresh.logIn(user.id);
  const name = (await w.sql<{ name: string }>('select name from tenants where id = $1', [tenantId]))[0]?.name ?? '';
  const made = await fresh.run(['project', 'create', '--name', 'Archive', '--tenant', tenantId, '--json']);
  t.is(made.code, 0, made.err);
  const copied = await run(['dataset', 'copy', 'Q m3%2Fs', '--project', 'Archive', '--to-tenant', name, '--json']);
  t.is(copied.code, 0, copied.err);
  const transfer = (await client.get(`/api/conversion/transfer/${JSON.parse(copied.out).id}`)).body;
  t.is(transfer.projectId, JSON.parse(made.out).id);
  t.is(transfer.exportParameters.datasetId, dataset);
});

test('hierarchy lists a path and fetches a file by it', async (t) => {
  const { run, ok, dataset, raw, folder } = await scene(t);
  const below = ['--project', 'Upper valley'];
  t.regex(await ok('hierarchy', 'list', ...below), new RegExp(`^raw%2F2026/ .* ${raw}$`, 'm'));
  for (const path of ['raw%2F2026', '/raw%2F2026/', 'raw%2F2026/Q m3%2Fs'])
    t.regex(
      await ok('hierarchy', 'list', path, ...below),
      new RegExp(`^Q m3%2Fs +file +6 B .* ${dataset}$`, 'm'),
      path,
    );
  const listed = JSON.parse(await ok('hierarchy', 'list', ...below, '--json'));
  t.deepEqual([listed.projects.length, listed.datasets.length], [1, 0]);
  t.is((await run(['hierarchy', 'list', 'nowhere', ...below])).code, 1);

  const target = join(folder, 'into');
  await mkdir(target);
  t.is(await ok('hierarchy', 'get', 'raw%2F2026/Q m3%2Fs', ...below, '-o', target), `${join(target, 'Q m3_s')}\n`);
  t.is(await readFile(join(target, 'Q m3_s'), 'utf8'), 'depths');
  t.is((await run(['hierarchy', 'get', 'raw%2F2026', ...below])).code, 1, 'a folder is no file');
  await writeFile(join(folder, 'a.txt'), 'a');
  await ok('hierarchy', 'put', join(folder, 'a.txt'), 'raw%2F2026/', ...below);
  t.is((await ok('hierarchy', 'list', 'raw%2F2026', ...below)).split('\n').length, 4);
});

test('the tree shows datasets on request', async (t) => {
  const { ok, dataset, raw, run } = await scene(t);
  t.is(await ok('project', 'tree', 'Upper valley'), `PROJECT   ID\nraw/2026  ${raw}\n`);
  const lines = (await ok('project', 'tree', 'Upper valley', '--datasets')).split('\n').slice(1, 3);
  t.deepEqual(lines, [`raw/2026/  ${raw}`, `  Q m3/s   ${dataset}`]);
  const json = JSON.parse(await ok('project', 'tree', 'Upper valley', '--datasets', '--json'));
  t.is(json.datasets.data[0].id, dataset);
  t.is(json.projects.data[0].id, raw);
  t.regex((await run(['project', 'tree', 'Upper valley', '--help'])).out, /--datasets/);
});

test('members, projects and the recycle bin show login ids and names beside uuids', async (t) => {
  const { ok, user, client, root, run } = await scene(t);
  const friend = await w.account({ tenantId: user.tenantId });
  await w.sql('update accounts set name = $2 where user_id = $1', [friend.userId, 'Ann Field']);
  await client.post(`/api/metadata/project/${root}/member`, { userId: friend.userId, role: 'Contributor' });
  const line = new RegExp(`^${friend.id} +Ann Field +Contributor .*${friend.userId}$`, 'm');
  t.regex(await ok('project', 'members', 'list', root), line);
  t.regex(await ok('project', 'show', root), line);
  t.regex(await ok('project', 'show', root), new RegExp(`^created .* by ${user.id}$`, 'm'));
  const other = await w.account({ tenantId: user.tenantId });
  const stranger = await w.account({ tenantId: await w.tenant() });
  t.regex(await ok('project', 'members', 'add', root, other.id.toUpperCase()), /is Reader now/);
  t.regex(await ok('project', 'members', 'remove', root, other.id), /is no longer a member/);
  const unknown = await run(['project', 'members', 'add', root, stranger.id]);
  t.is(unknown.code, 1);
  t.regex(unknown.err, /There is no account '.*' in your tenant or your projects/);
  const machineOfFriend = await machine(t);
  await machineOfFriend.logIn(friend.id);
  await machineOfFriend.run(['dataset', 'delete', 'Q m3%2Fs', '--yes']);
  t.regex(await ok('recycle-bin', 'list'), new RegExp(` ${friend.id} +Ann Field +${friend.userId}$`, 'm'));
  t.regex(await ok('recycle-bin', 'show', 'Q m3/s'), new RegExp(`^by +${friend.id}$`, 'm'));
  const json = JSON.parse((await run(['project', 'members', 'list', root, '--json'])).out);
  t.deepEqual(Object.keys(json.data[0]).sort(), ['principalType', 'role', 'userId'], 'the answer stays as it was');
});

test('PLATFORM_API_KEY authenticates with a key instead of a login', async (t) => {
  const { run, ok, root } = await scene(t);
  const { key } = JSON.parse(await ok('key', 'create', '--name', 'k', '--role', 'Reader', '--json'));
  const env = { PLATFORM_API_KEY: key, XDG_CONFIG_HOME: '/nowhere' };
  const listed = await run(['project', 'list'], { env });
  t.true(listed.out.includes(root), listed.err);
  t.like(await run(['project', 'create', '--name', 'x', '--parent', root], { env }), { code: 1 });
  t.is((await run(['whoami'], { env })).code, 0);
  const wrong = await run(['project', 'list'], { env: { ...env, PLATFORM_API_KEY: root } });
  t.is(wrong.code, 3);
  t.regex(wrong.err, /API key is unknown/);
  const both = await run(['project', 'list'], { env: { ...env, PLATFORM_TOKEN: 'x' } });
  t.is(both.code, 2);
  t.is((await run(['project', 'list'], { env: { ...env, PLATFORM_API_KEY: 'a\nb' } })).code, 2);
});

test('of two root projects with one name, the error says to use the id, because their paths are the same', async (t) => {
  const { run, make } = await scene(t);
  const [one, other] = [await make('Twice'), await make('Twice')];
  const { code, err } = await run(['project', 'show', 'Twice']);
  t.is(code, 2);
  t.true(err.includes(`/Twice (${one})`) && err.includes(`/Twice (${other})`), err);
  t.regex(err, / Use the id\.$/m);
});

test('credits: tables with totals, dry runs, and questions only at a terminal', async (t) => {
  const { run, logIn, user, ok, url, folder } = await scene(t);
  const seller = await w.account({ roles: 'BackOffice', tenantId: user.tenantId });
  await logIn(seller.id);
  const terms = ['--expires', '2999-12-31', '--sales-order', 'SO-1', '--billing-reference', 'C-1'];
  const add = ['credit', 'add', user.tenantId, '100', ...terms];
  t.is(
    await ok(...add, '--dry-run'),
    'Dry run, nothing is changed. It would add 100 credits. Available after that: 100.\n',
  );
  t.is(await ok(...add), 'Added 100 credits. Available: 100.\n');
  t.like(await run(['credit', 'add', user.tenantId, '100']), {
    code: 2,
    err: 'platform: Not a terminal. Use --expires.\n',
  });

  await logIn(user.id);
  await ok('credit', 'reserve', user.tenantId, '60', '--operation', 'run 1');
  await ok('credit', 'spend', user.tenantId, '12.5', '--operation', 'run 1');
  t.is(
    await ok('credit', 'balance', user.tenantId),
    'STATUS     CREDITS\nAvailable       40\nReserved      47.5\nSpent         12.5\nExpired          0\ntotal          100\n',
  );
  t.is(await ok('credit', 'balance'), await ok('credit', 'balance', user.tenantId));
  t.is(await ok('credit', 'details'), await ok('credit', 'details', user.tenantId));
  t.like(await run(['credit', 'balance', user.tenantId, '--pool']), {
    code: 2,
    err: 'platform: Use a tenant or --pool, not both.\n',
  });
  t.regex((await run(['credit', 'balance', '--pool'])).err, /^platform: .*(not allowed|may|forbidden|Only)/i);
  t.regex(
    await ok('credit', 'details', user.tenantId, '--extended'),
    /^Reserved +47\.5 +2999-12-31 +SO-1 +C-1 +run 1 /m,
  );
  const explained = await ok('credit', 'explain', 'run 1');
  t.regex(explained, /Spend +Reserved +-12\.5/);
  t.regex(explained, /^spent +12\.5$/m);
  t.regex(await ok('credit', 'forecast'), /^total +40 /m);
  const few = await run(['credit', 'spend', user.tenantId, '41']);
  t.like(few, { code: 1, err: 'platform: Too few credits. Only 40 credits are available.\n' });
  t.is((await run(['credit', 'verify'])).code, 1);
  t.is(JSON.parse(await ok('credit', 'release', user.tenantId, 'run 1', '--json')).credits, 47.5);

  const tenantName = (await w.as(user).get(`/api/iam/tenant/${user.tenantId}`)).body.name;
  const { io, err, out, stdin } = person({ PLATFORM_URL: url, XDG_CONFIG_HOME: join(folder, 'config') }, { tty: true });
  const ended = main(['credit', 'spend'], io);
  for (const [question, typed] of [
    ['Tenant (name or id):', tenantName],
    ['Credits:', '3'],
    [`Spend 3 credits of tenant ${user.tenantId}?`, 'y'],
  ] as const) {
    while (!err().includes(question)) await new Promise((resolve) => setImmediate(resolve));
    stdin.write(`${typed}\r`);
  }
  t.is(await ended, 0, err());
  t.is(out(), 'Spent 3 credits.\n');
  await logIn((await w.administrator()).id);
  t.regex(await ok('credit', 'balance', '--pool'), /^Available +\d/m);
  t.regex(await ok('credit', 'verify'), /^The ledger is right: \d+ entries in \d+ pools\.$/m);
  t.regex(await ok('credit', 'expire'), /^Booked /);
});
