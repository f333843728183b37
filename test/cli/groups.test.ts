import test from 'ava';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

/** An administrator at a terminal. */
async function administrator(t: Parameters<typeof machine>[0]) {
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  return run;
}

test('a group is created, changed, shown, listed and deleted', async (t) => {
  const run = await administrator(t);
  const [one, two] = [await w.account(), await w.account()];
  const made = await run([
    'group',
    'create',
    '--id',
    'crew',
    '--name',
    'The crew',
    '--user',
    one.id,
    '--user',
    two.userId,
  ]);
  t.like(made, { code: 0, err: '' });
  t.regex(made.out, new RegExp(`^users +${[one.id, two.id].sort().join(', ')}$`, 'm'));
  const metadata = '{"2FAMetadata":["APPAUTH:0123456789abcdef"]}';
  const changed = await run(['group', 'update', 'crew', '--name', 'Crew', '--metadata', metadata]);
  t.regex(changed.out, /^metadata +2FAMetadata$/m);
  t.false(changed.out.includes('0123456789abcdef'));
  t.like(JSON.parse((await run(['group', 'show', 'crew', '--json'])).out), {
    id: 'crew',
    name: 'Crew',
    users: [one.id, two.id].sort(),
    metadata: { '2FAMetadata': [`APPAUTH:${'*'.repeat(16)}`] },
  });
  const shown = await run(['group', 'show', 'crew', '--show-secrets']);
  t.true(shown.out.includes('"APPAUTH:0123456789abcdef"'), shown.out);
  t.regex((await run(['group', 'list'])).out, /^crew +Crew +2$/m);
  t.is((await run(['group', 'update', 'crew', '--no-users'])).code, 0);
  t.regex((await run(['group', 'list'])).out, /^crew +Crew +0$/m);
  t.is((await run(['group', 'delete', 'crew'])).code, 2, 'nobody can be asked');
  t.deepEqual(await run(['group', 'delete', 'crew', '--yes']), {
    code: 0,
    out: 'The group crew is deleted.\n',
    err: '',
  });
  t.is((await run(['group', 'show', 'crew'])).code, 1);
});

test('an account is added to a group and removed from it', async (t) => {
  const run = await administrator(t);
  const { id, userId } = await w.account();
  t.is((await run(['group', 'add-user', 'Editors', id])).code, 0);
  t.is((await run(['group', 'list', '--user', userId])).out, 'Editors\n');
  t.is((await run(['group', 'remove-user', 'Editors', userId])).code, 0);
  t.is((await run(['group', 'list', '--user', id])).out, '');
  const last = await run(['group', 'remove-user', 'Administrators', 'root']);
  t.is(last.code, 1);
  t.regex(last.err, /^platform: This would leave no member of the group Administrators/);
});

test('metadata that is not a JSON object is a usage error, whose message does not repeat the metadata', async (t) => {
  const run = await administrator(t);
  for (const metadata of ['["canary"]', 'canary', '7']) {
    const { code, err } = await run(['group', 'update', 'Editors', '--metadata', metadata]);
    t.is(code, 2);
    t.false(err.includes('canary'));
  }
});

test('an API key is created, shown once, listed without its secret, and revoked', async (t) => {
  const run = await administrator(t);
  const made = await run([
    'key',
    'create',
    '--name',
    'Robot',
    '--role',
    'reader',
    '--expires',
    '2099-01-01',
    '--network',
    '127.0.0.0/8',
  ]);
  t.is(made.code, 0);
  t.is(made.err, 'The key is shown only now.\n');
  const member = (name: string) => new RegExp(`^${name} +(.+)$`, 'm').exec(made.out)?.[1] ?? '';
  const headers = { 'svc-open-api-key': member('key') };
  t.is((await w.nobody.get('/api/iam/principal/me', headers)).body.name, 'Robot');
  const { out } = await run(['key', 'list']);
  t.regex(out, new RegExp(`^${member('id')}  Robot  Reader  2099-01-01  127.0.0.0/8  .+Z  127.0.0.1$`, 'm'));
  t.false(out.includes(member('key')));
  t.is((await run(['key', 'revoke', member('id')])).out, `The key ${member('id')} is revoked.\n`);
  t.is((await w.nobody.get('/api/iam/principal/me', headers)).status, 401);
  t.is((await run(['key', 'create', '--name', 'x'])).code, 2, 'a role must be named');
});

test('a tenant is shown, renamed, given a weight, and deleted', async (t) => {
  const run = await administrator(t);
  const id = await w.tenant('Small');
  t.regex((await run(['tenant', 'show', id])).out, /^name +Small$/m);
  t.regex((await run(['tenant', 'update', id, '--name', 'Big'])).out, /^name +Big$/m);
  const weighed = await run(['tenant', 'update', id, '--weight', '2.5']);
  t.regex(weighed.out, /^name +Big$/m);
  t.regex(weighed.out, /^weight +2.5$/m);
  t.is((await run(['tenant', 'update', id, '--weight', 'heavy'])).code, 2);
  t.is((await run(['tenant', 'delete', id])).code, 2);
  t.is((await run(['tenant', 'delete', id, '--yes'])).out, 'The tenant Big is deleted.\n');
});

test('--reason goes into the audit trail, which is listed newest first', async (t) => {
  const run = await administrator(t);
  const { id } = await w.account();
  const reason = 'Vertretung für Zoë';
  await run(['group', 'add-user', 'Editors', id, '--reason', reason]);
  const { code, out, err } = await run(['audit', 'list', '--account', id, '--limit', '1']);
  t.is(code, 0);
  t.regex(
    out,
    new RegExp(`^\\S+ \\S+Z  root  group.member.add  ${id}  groups=\\["Editors"\\]  127.0.0.1  ${reason}  \\S+$`, 'm'),
  );
  const cursor = /--cursor (\S+)/.exec(err)?.[1] ?? '';
  const rest = await run(['audit', 'list', '--account', id, '--limit', '1', '--cursor', cursor]);
  t.regex(rest.out, / account.create /);
  t.is((await run(['audit', 'list', '--account', id, '--after', '2099-01-01'])).out.split('\n').length, 2);
  t.is((await run(['audit', 'list', '--since', 'x'])).code, 2);
});
