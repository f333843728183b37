import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { sql } from '../../src/db.ts';
import { PASSWORD, testDatabase, world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test, { 'tokens.accessLifetime': '29s' });
const machine = machines(w);

test('a login is stored for later commands, and removed by logout', async (t) => {
  const { id } = await w.account({ id: 'passer-by', role: 'Owner' });
  const { url, run, logIn } = await machine(t);
  t.like(await logIn(id), { code: 0, out: `Logged in as ${id} at ${url}.\n`, err: '' });
  const who = await run(['whoami']);
  t.is(who.code, 0);
  t.regex(who.out, /^name +passer-by$/m);
  t.regex(who.out, /^role +Owner$/m);
  t.is((await run(['logout'])).code, 0);
  const open = await w.sql(
    'select from refresh_families f join accounts a using (user_id) where a.id = $1 and revoked_at is null',
    [id],
  );
  t.is(open.length, 0, 'the server ended the login too');
  t.like(await run(['whoami']), {
    code: 3,
    out: '',
    err: `platform: Not logged in at ${url}. Run 'platform login'.\n`,
  });
});

test('a wrong password is refused with exit code 1 and one line on stderr', async (t) => {
  const { id } = await w.administrator();
  const { run } = await machine(t);
  t.deepEqual(await run(['login', '--id', id, '--password-stdin'], { stdin: 'wrong' }), {
    code: 1,
    out: '',
    err: 'platform: Account validation failed.\n',
  });
});

test('the login file is readable only by its owner', async (t) => {
  const { id } = await w.administrator();
  const { folder, logIn, loginPath } = await machine(t);
  await logIn(id);
  t.is((await stat(await loginPath())).mode & 0o777, 0o600);
  t.is((await stat(join(folder, 'config', 'platform'))).mode & 0o777, 0o700);
});

test('a token is sent only to the server that issued it', async (t) => {
  const { id } = await w.administrator();
  const { run, logIn } = await machine(t);
  await logIn(id);
  const elsewhere = { PLATFORM_URL: 'http://127.0.0.1:9' };
  t.like(await run(['whoami'], { env: elsewhere }), {
    code: 3,
    err: `platform: Not logged in at http://127.0.0.1:9. Run 'platform login'.\n`,
  });
});

test('a login file of another version is recognised, and a new login replaces it', async (t) => {
  const { id } = await w.administrator();
  const { run, logIn, loginPath } = await machine(t);
  await logIn(id);
  const path = await loginPath();
  await writeFile(path, JSON.stringify({ version: 7, secret: 'x' }));
  const refused = await run(['whoami']);
  t.is(refused.code, 3);
  t.is(refused.err, `platform: ${path} has version 7, but this program reads version 1. Run 'platform login' again.\n`);
  await writeFile(path, 'not json');
  t.like(await run(['whoami']), {
    code: 3,
    err: `platform: ${path} is damaged. Run 'platform login' again.\n`,
  });
  await logIn(id);
  t.is((await run(['whoami'])).code, 0);
});

test('concurrent programs renew an expired access token', async (t) => {
  const { id } = await w.administrator();
  const { run, logIn, loginPath } = await machine(t);
  await logIn(id);
  const before = await readFile(await loginPath(), 'utf8');
  // The lifetime of 29 s is within the margin, so each of these renews, and longer than what follows on a busy machine.
  const codes = await Promise.all(Array.from({ length: 4 }, async () => (await run(['whoami'])).code));
  t.deepEqual(codes, [0, 0, 0, 0]);
  t.not(await readFile(await loginPath(), 'utf8'), before);
});

test('a late token refresh does not overwrite a newer login, and does not undo a logout', async (t) => {
  const { id } = await w.administrator();
  const { url, run, loginPath } = await machine(t);
  let meanwhile = async () => {};
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method = '', headers } = request;
    const sent = Object.fromEntries(
      ['authorization', 'content-type', 'idempotency-key'].map((n) => [n, headers[n] ?? '']),
    );
    const answer = await fetch(url + request.url, {
      method,
      headers: sent as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    if (request.url === '/api/tokens/refresh') await meanwhile();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const env = { PLATFORM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const login = () => run(['login', '--id', id, '--password-stdin'], { env, stdin: PASSWORD });
  t.is((await login()).code, 0);
  const path = await loginPath();
  const newer = JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), refreshToken: 'newer' });
  meanwhile = () => writeFile(path, newer);
  t.is((await run(['whoami'], { env })).code, 0);
  t.is(await readFile(path, 'utf8'), newer);
  meanwhile = async () => {};
  t.is((await login()).code, 0);
  meanwhile = () => rm(path);
  t.is((await run(['whoami'], { env })).code, 0);
  await t.throwsAsync(stat(path), { code: 'ENOENT' });
});

test('a login that was revoked elsewhere is exit code 3', async (t) => {
  const { id } = await w.administrator();
  const { run, logIn, loginPath } = await machine(t);
  await logIn(id);
  const path = await loginPath();
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), refreshToken: 'unknown' }));
  const { code, err } = await run(['whoami']);
  t.is(code, 3);
  t.regex(err, /^platform: The login of root has ended: .+\. Run 'platform login'\.\n$/);
});

test('PLATFORM_TOKEN overrides the stored login', async (t) => {
  const user = await w.account();
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const token = await w.tokenOf(user);
  const { out } = await run(['whoami', '--json'], { env: { PLATFORM_TOKEN: token } });
  t.is(JSON.parse(out).id, user.userId);
  t.is((await run(['whoami'], { env: { PLATFORM_TOKEN: 'broken' } })).code, 3);
});

test('--json prints the body of the answer unchanged', async (t) => {
  const administrator = await w.administrator();
  const { run, logIn } = await machine(t);
  await logIn(administrator.id);
  const { raw } = await w.as(administrator).get('/api/iam/tenant/my');
  t.is((await run(['tenant', 'list', '--json'])).out, `${raw}\n`);
});

test('an account is created with a generated password that is shown once and works', async (t) => {
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const made = await run(['account', 'create', '--id', 'ida', '--name', 'Ida Sand', '--email', 'ida@example.org']);
  t.is(made.code, 0);
  t.regex(made.out, /^id +ida$/m);
  const password = /^Password \(shown only now\): (\S+)$/m.exec(made.err)?.[1] ?? '';
  t.false(made.out.includes(password));
  t.is((await run(['login', '--id', 'ida', '--password-stdin'], { stdin: password })).code, 0);
  t.like(await run(['account', 'list']), { code: 1, out: '' }, 'she is no administrator');
});

test('an account is created with the password from stdin; a weak one fails with the reasons', async (t) => {
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const create = ['account', 'create', '--id', 'ben', '--password-stdin'];
  const weak = await run(create, { stdin: 'short' });
  t.is(weak.code, 1);
  t.regex(
    weak.err,
    /^platform: The password is not acceptable: it has fewer than 10 characters; .* it has no digit.*\.\n$/,
  );
  t.notRegex(weak.err, /Password[A-Z]/, 'codes are for programs');
  t.is((await run(create, { stdin: PASSWORD })).code, 0);
  t.like(await run(create, { stdin: PASSWORD }), {
    code: 1,
    err: `platform: The account id 'ben' is taken. Choose another one.\n`,
  });
  t.regex((await run(['account', 'show', 'ben'])).out, /^state +active$/m);
  t.regex((await run(['account', 'list'])).out, /^ben +ben +active +none +[0-9a-f-]{36}$/m);
});

test('a tenant is created, and members are added and removed by login id', async (t) => {
  const user = await w.account();
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const { out } = await run(['tenant', 'create', '--name', 'Second', '--json']);
  const { id } = JSON.parse(out);
  t.regex((await run(['tenant', 'list', '--all'])).out, new RegExp(`^${id}  Second `, 'm'));
  t.is((await run(['tenant', 'members', 'add', id, user.id])).code, 0);
  t.regex((await run(['tenant', 'members', id])).out, new RegExp(`^${user.id} +\\S+ +Member +${user.userId}$`, 'm'));
  t.is((await run(['tenant', 'members', 'remove', id, user.userId])).code, 0);
  t.is((await run(['tenant', 'members', 'list', id])).out, 'LOGIN ID  NAME  ROLE  USER ID\n');
});

test('a removed member of a tenant loses the roles in its projects, whose number is printed', async (t) => {
  const user = await w.account();
  const { run, logIn } = await machine(t);
  const root = await w.administrator();
  await logIn(root.id);
  const members = [{ userId: user.userId, role: 'Reader' }];
  const { id } = (await w.as(root).post('/api/metadata/project', { name: 'Weir', members })).body;
  const remove = ['tenant', 'members', 'remove', root.tenantId, user.id];
  const seen = async () => (await w.as(user).get(`/api/metadata/project/${id}`)).status;
  t.regex((await run([...remove, '--dry-run'])).out, /^Dry run: .* would end 1 role in projects\.$/m);
  t.regex((await run([...remove, '--keep-project-roles', '--dry-run'])).out, /would end 0 roles/);
  t.is(await seen(), 200);
  t.is((await run(remove)).out, `${user.id} is no longer a member. Ended with it: 1 role in projects.\n`);
  t.is(await seen(), 404);
});

test('--tenant names the tenant to act in', async (t) => {
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const id = await w.tenant();
  const made = await run(['account', 'create', '--id', 'eva', '--json', '--tenant', id]);
  t.is(JSON.parse(made.out).tenantId, id);
});

test('an account is changed, locked, unlocked, activated and deleted', async (t) => {
  const { id } = await w.account();
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const updated = await run(['account', 'update', id, '--name', 'New Name', '--email', 'new@example.org', '--json']);
  t.like(JSON.parse(updated.out), { id, name: 'New Name', email: 'new@example.org', enabled: true });
  const emptied = await run(['account', 'update', id, '--email', '', '--disable', '--json']);
  t.like(JSON.parse(emptied.out), { name: 'New Name', enabled: false, email: undefined });
  t.is((await run(['account', 'update', id, '--enable'])).code, 0);
  t.is((await run(['account', 'update', id])).code, 2, 'nothing to change');
  t.is((await run(['account', 'lock', id, '--until', '2031-01-01'])).out, `${id} is locked.\n`);
  t.regex((await run(['account', 'show', id])).out, /^state +locked$/m);
  t.is((await run(['account', 'unlock', id])).code, 0);
  t.regex((await run(['account', 'show', id])).out, /^state +active$/m);
  await w.sql(`update accounts set locked_out_until = now() + interval '1 minute' where id = $1`, [id]);
  t.is((await run(['account', 'update', id, '--name', 'Newer Name'])).code, 0);
  const rows = await w.sql('select locked, locked_date_end from accounts where id = $1', [id]);
  t.deepEqual(rows, [{ locked: false, locked_date_end: null }], 'a change sends no state that it does not change');
  t.is((await run(['account', 'unlock', id])).code, 0);
  await w.sql('update accounts set activated = false where id = $1', [id]);
  t.is((await run(['account', 'activate', id])).code, 0);
  t.regex((await run(['account', 'show', id])).out, /^state +active$/m);
  t.is((await run(['account', 'delete', id])).code, 2, 'nobody is there to be asked');
  t.is((await run(['account', 'delete', id, '--yes'])).out, `${id} is deleted.\n`);
  t.is((await run(['account', 'show', id])).code, 1);
});

test('the commands in mails need no login; a wrong token is an error', async (t) => {
  const { run } = await machine(t);
  t.is((await run(['account', 'reset-password', 'nobody-known'])).code, 0);
  t.is((await run(['account', 'activate', '--token', 'wrong'])).code, 1);
  const reset = await run(['account', 'reset-password', '--token', 'wrong', '--password-stdin'], { stdin: PASSWORD });
  t.is(reset.code, 1);
  t.regex(reset.err, /token is unknown/);
  t.is((await run(['account', 'reset-password'])).code, 2);
});

test('admin bootstrap names its database, and refuses a database other than that of the running platform', async (t) => {
  const { run, url } = await machine(t);
  const other = await testDatabase();
  t.teardown(() => other.close());
  const { pathname } = new URL(other.url);
  const env = { DATABASE_URL: other.url, PLATFORM_ACCOUNTS_BREACHED_PASSWORDS: 'off' };
  const bootstrap = (more: string[], where: Record<string, string> = {}) =>
    run(['admin', 'bootstrap', '--id', 'boss', '--password-stdin', ...more], {
      env: { ...env, ...where },
      stdin: PASSWORD,
    });
  const refused = await bootstrap([]);
  t.like(refused, { code: 2, out: '' });
  t.true(refused.err.includes(url) && refused.err.includes(pathname), refused.err);
  t.regex(refused.err, /uses another database/);
  t.is((await other.db.any(sql.unsafe`select id from accounts`)).length, 0);

  const same = await bootstrap([], { DATABASE_URL: w.url });
  t.like(same, { code: 1 });
  t.notRegex(same.err, /another database/);

  const made = await bootstrap(['--yes']);
  t.is(made.code, 0, made.err);
  t.regex(made.err, new RegExp(`^Database: .*${pathname}$`, 'm'));
  t.notRegex(made.err + refused.err, new RegExp(new URL(other.url).password || 'no password'));
});
