import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { decodeJwt } from 'jose';
import { main } from '../../cli/main.ts';
import { attempt, codeOf, groupOf, setupCodeFrom } from '../world/authenticator.ts';
import { PASSWORD, world } from '../world.ts';
import { machines } from './machine.ts';
import { person } from './person.ts';

const w = world(test);
const machine = machines(w);
const newCode = () => randomBytes(8).toString('hex');
const typed = { stdin: `${PASSWORD}\n` };

test('otp register draws a QR code and prints the setup key; a code of the authenticator then logs in', async (t) => {
  const { id } = await w.account();
  const { run, url } = await machine(t);
  const shown = await run(['otp', 'register', '--id', id, '--password-stdin'], typed);
  t.is(shown.code, 0);
  t.true(shown.out.includes('█'));
  const [, manual = ''] = /Code to type: ([A-Z2-7]{26})/.exec(shown.out) ?? [];
  const setupCode = setupCodeFrom(manual);

  const without = await run(['login', '--id', id, '--password-stdin'], typed);
  t.like(without, { code: 2, out: '', err: 'platform: A code is required: --otp (APPAUTH).\n' });
  const wrong = await run(['login', '--id', id, '--password-stdin', '--otp', 'x'], typed);
  t.like(wrong, { code: 1, err: 'platform: Illegal one-time password.\n' });
  const otp = codeOf(setupCode);
  const right = await run(
    ['login', '--id', id, '--password-stdin', '--otp', otp, '--otp-authenticator', 'APPAUTH'],
    typed,
  );
  t.like(right, { code: 0, out: `Logged in as ${id} at ${url}.\n` });
  t.regex((await run(['otp', 'status'])).out, /APPAUTH \(own, in use\)/);
  const again = await run(['login', '--id', id, '--password-stdin', '--otp', otp], typed);
  t.like(again, {
    code: 1,
    err: 'platform: The one-time password was already used; wait for the next code.\n',
  });
});

test('a login at a terminal asks for the one-time password if the server requires it', async (t) => {
  const { id } = await w.account();
  const setupCode = newCode();
  await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  const { run } = await machine(t);
  const { url, folder } = await machine(t);
  const sitting = person({ PLATFORM_URL: url, XDG_CONFIG_HOME: folder }, { tty: true });
  t.true(sitting.stdin instanceof PassThrough);
  const done = main(['login', '--id', id], sitting.io);
  const shows = async (text: string) => {
    while (!sitting.err().includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await shows('Password:');
  sitting.stdin.write(`${PASSWORD}\r`);
  await shows('One-time password (APPAUTH):');
  sitting.stdin.write(`${codeOf(setupCode)}\r`);
  t.is(await done, 0);
  t.regex(sitting.out(), new RegExp(`Logged in as ${id}`));
  t.false(sitting.err().includes(PASSWORD));
  t.is((await run(['whoami'])).code, 3, 'another machine is not logged in');
});

test('recovery codes are printed once, one a line, and log in; after a reset the account can register again', async (t) => {
  const { id } = await w.account();
  const { run, logIn } = await machine(t);
  const setupCode = setupCodeFrom((await attempt(w, { id }, '/api/tokens/otp/registration')).body.manualEntryCode);
  const made = await run(['otp', 'recovery-codes', '--id', id, '--password-stdin', '--otp', codeOf(setupCode)], typed);
  t.is(made.code, 0);
  const codes = made.out.trim().split('\n');
  t.is(codes.length, 10);
  t.is((await run(['login', '--id', id, '--password-stdin', '--otp', codes[0] ?? ''], typed)).code, 0);

  await logIn((await w.administrator()).id);
  t.regex((await run(['otp', 'status', id])).out, /recovery codes +9/);
  t.like(await run(['otp', 'reset', id]), { code: 2 });
  t.is((await run(['otp', 'reset', id, '--yes'])).code, 0);
  t.regex((await run(['otp', 'status', id])).out, /authenticators +none/);
});

test('registering an authenticator on one machine ends the logins of other machines', async (t) => {
  const { id } = await w.account();
  const [own, other] = [await machine(t), await machine(t)];
  for (const { logIn } of [own, other]) t.is((await logIn(id)).code, 0);
  t.is((await own.run(['otp', 'register', '--id', id, '--password-stdin'], typed)).code, 0);
  t.is((await own.run(['whoami'])).code, 0);
  t.is((await other.run(['whoami'])).code, 3);
});

test('account password changes the own password; with an old login it needs the current one, too', async (t) => {
  const { id, userId } = await w.account();
  const { run, logIn } = await machine(t);
  await logIn(id);
  t.is((await w.as({ userId }).put('/api/accounts/me', { name: 'Ann', company: 'River' })).status, 200);
  const change = (...lines: string[]) =>
    run(['account', 'password', '--password-stdin'], { stdin: lines.map((line) => `${line}\n`).join('') });
  t.like(await change('Better-stapler-8'), {
    code: 0,
    out: 'The password is set. Other logins of the account have ended.\n',
  });
  t.like((await w.as({ userId }).get('/api/accounts/me')).body, { name: 'Ann', company: 'River' });
  t.like(await change('short'), { code: 1 });

  const env = { PLATFORM_TOKEN: await oldLogin(id, 'Better-stapler-8') };
  const old = (...lines: string[]) =>
    run(['account', 'password', '--password-stdin'], { stdin: lines.map((line) => `${line}\n`).join(''), env });
  const without = await old('Newer-stapler-9');
  t.is(without.code, 2);
  t.is(
    without.err,
    'platform: Not a terminal. Send the current password in a second line of stdin, or log in again.\n',
  );
  t.like(await old('Newer-stapler-9', 'wrong'), { code: 1, err: 'platform: Account validation failed.\n' });
  t.is((await old('Newer-stapler-9', 'Better-stapler-8')).code, 0);
});

test('at a terminal account password asks for the new password twice, and for the current one if the server requires it', async (t) => {
  const { id } = await w.account();
  const { url } = await machine(t);
  const sitting = person({ PLATFORM_URL: url, PLATFORM_TOKEN: await oldLogin(id, PASSWORD) }, { tty: true });
  const done = main(['account', 'password'], sitting.io);
  for (const [question, answer] of [
    ['New password:', 'Better-stapler-8'],
    ['Repeat the new password:', 'Better-stapler-8'],
    ['Current password:', PASSWORD],
  ] as const) {
    while (!sitting.err().includes(question)) await new Promise((resolve) => setTimeout(resolve, 20));
    sitting.stdin.write(`${answer}\r`);
  }
  t.is(await done, 0);
  t.is((await w.nobody.post('/api/tokens', { id, password: 'Better-stapler-8' })).status, 200);
  t.false(sitting.err().includes('stapler'));
});

/** An access token of a login of an hour ago. */
async function oldLogin(id: string, password: string): Promise<string> {
  const { body } = await w.nobody.post('/api/tokens', { id, password });
  const family = decodeJwt(body.accessToken.token).sid;
  await w.sql("update refresh_families set created_at = created_at - interval '1 h' where id = $1", [family]);
  const json = { 'content-type': 'application/json' };
  const { refreshToken } = body;
  return (await w.nobody.post('/api/tokens/refresh', JSON.stringify(refreshToken.token), json)).body.accessToken.token;
}

test('token issue prints an access token without storing it; families are listed and revoked', async (t) => {
  const user = await w.account();
  const { run, logIn } = await machine(t);
  const issued = await run(['token', 'issue', '--id', user.id, '--password-stdin'], typed);
  t.is(issued.code, 0);
  t.is(decodeJwt(issued.out.trim()).sub, user.id);
  t.is((await run(['whoami'])).code, 3);

  const json = JSON.parse((await run(['token', 'issue', '--id', user.id, '--password-stdin', '--json'], typed)).out);
  t.deepEqual(Object.keys(json).sort(), ['accessToken', 'tokenType'], 'its login ends with it');
  const { refreshToken } = (await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD })).body;
  const issuedIds = [issued.out.trim(), json.accessToken.token].map((token) => decodeJwt(token).sid);
  t.is((await run(['token', 'revoke', '--token-stdin'], { stdin: refreshToken.token })).code, 0);
  await logIn(user.id);
  const ids = async (account: string[] = []) =>
    JSON.parse((await run(['token', 'families', ...account, '--json'])).out).data.map(({ id }: { id: string }) => id);
  const [mine, ...others] = await ids();
  t.deepEqual(others.sort(), issuedIds.sort(), 'the revoked one is not among them');
  for (const other of others) t.is((await run(['token', 'revoke', '--family', other])).code, 0);
  t.deepEqual(await ids(), [mine]);
  t.like(await run(['token', 'revoke']), { code: 2 });
  t.like(await run(['token', 'families', (await w.administrator()).id]), { code: 1 });

  const admin = await machine(t);
  await admin.logIn((await w.administrator()).id);
  t.regex((await admin.run(['token', 'families', user.id])).out, new RegExp(mine));
  t.is((await admin.run(['token', 'revoke', '--account', user.id])).code, 0);
  t.deepEqual(await w.sql('select from refresh_families where user_id = $1 and revoked_at is null', [user.userId]), []);
});

test('keys rotate signs with the key that keys list showed as the next one', async (t) => {
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const next = JSON.parse((await run(['keys', 'list', '--json'])).out).data[1].kid;
  const rotated = await run(['keys', 'rotate']);
  t.is(rotated.code, 0);
  t.regex(rotated.out, new RegExp(`^${next} +signing`, 'm'));
  t.regex(rotated.out, /retired/);
  t.is((await run(['whoami'])).code, 0, 'tokens of the old key are valid');
});

test('auth explain explains the outcome of a login', async (t) => {
  const { id } = await w.account();
  const group = await groupOf(w, id, ['CIDR:10.0.0.0/8', `APPAUTH:${newCode()}`]);
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const inside = await run(['auth', 'explain', '--account', id, '--ip', '10.1.2.3']);
  t.is(inside.code, 0);
  t.regex(inside.out, new RegExp(`group ${group} +10.0.0.0/8 \\(matches\\), APPAUTH`));
  t.true(
    inside.out.includes(
      `10.1.2.3 is in the network 10.0.0.0/8 of the group ${group}: no one-time password is required.`,
    ),
  );
  t.regex(
    (await run(['auth', 'explain', '--account', id, '--ip', '203.0.113.9'])).out,
    /a one-time password is required/,
  );
});

test('group set-2fa --preview lists accounts that would be locked out; without it the change needs a confirmation', async (t) => {
  const { id } = await w.account();
  const group = await groupOf(w, id, []);
  await attempt(w, { id, from: '203.0.113.9' });
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const entries = ['CIDR:10.0.0.0/8&Comment:office'];
  const preview = await run(['group', 'set-2fa', group, ...entries, '--preview']);
  t.is(preview.code, 0);
  t.regex(preview.out, new RegExp(`^${id} +1 +203.0.113.9 \\(1\\)`, 'm'));
  t.true(
    preview.out.endsWith(`These accounts could no longer log in from the addresses of their last logins: ${id}.\n`),
  );
  t.like(await run(['group', 'set-2fa', group, ...entries]), { code: 2 });
  const metadata = async () => JSON.parse((await run(['group', 'show', group, '--json'])).out).metadata;
  t.deepEqual(await metadata(), { '2FAMetadata': [] });
  t.is((await run(['group', 'set-2fa', group, ...entries, '--yes'])).code, 0);
  t.deepEqual(await metadata(), { '2FAMetadata': entries });
  t.is((await run(['group', 'set-2fa', group, 'CIDR:10.0.0.0/8', '--new-authenticator'])).code, 0);
  t.regex((await metadata())['2FAMetadata'][1], /^APPAUTH:\*{16}$/);
  t.is((await run(['group', 'set-2fa', group, '--none'])).code, 0);
  t.deepEqual(await metadata(), {});
  t.like(await run(['group', 'set-2fa', group]), { code: 2 });
});

test('networks and authenticators of a group change separately, and members who must register again are listed before', async (t) => {
  const { id } = await w.account();
  const setupCode = randomBytes(8).toString('hex');
  const group = await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  let steps = -2;
  const code = () => attempt(w, { id, otp: codeOf(setupCode, { steps: ++steps }), from: '203.0.113.9' });
  t.is((await code()).status, 200);
  const { run, logIn } = await machine(t);
  await logIn((await w.administrator()).id);
  const entries = async () => JSON.parse((await run(['group', 'show', group, '--json'])).out).metadata['2FAMetadata'];
  const hidden = `APPAUTH:${'*'.repeat(16)}`;

  t.is((await run(['group', 'networks', 'add', group, '10.0.0.0/8', '192.0.2.1', '--comment', 'office'])).code, 0);
  t.is((await run(['group', 'networks', 'add', group, '10.0.0.0/8'])).code, 0, 'once');
  t.deepEqual(await entries(), [hidden, 'CIDR:10.0.0.0/8&Comment:office', 'CIDR:192.0.2.1&Comment:office']);
  t.is((await run(['group', 'networks', group])).out, 'NETWORK     COMMENT\n10.0.0.0/8  office\n192.0.2.1   office\n');
  t.like(await run(['group', 'networks', 'remove', group, '10.0.0.0/9']), { code: 2 });
  t.is((await run(['group', 'networks', 'remove', group, '192.0.2.1'])).code, 0);
  // set-2fa keeps the authenticator, and with it the member's registration
  t.is((await run(['group', 'set-2fa', group, 'CIDR:172.16.0.0/12'])).code, 0);
  t.deepEqual(await entries(), ['CIDR:172.16.0.0/12', hidden]);
  t.is((await code()).status, 200);

  for (const words of [
    ['authenticator', 'replace', group],
    ['set-2fa', group, '--new-authenticator'],
  ]) {
    const preview = await run(['group', ...words, '--preview']);
    t.regex(preview.out, new RegExp(`^${id} .* yes$`, 'm'));
    const asked = await run(['group', ...words]);
    t.is(asked.code, 2);
    t.regex(asked.err, /Use --yes to confirm/);
  }
  t.is((await code()).status, 200, 'nothing has changed');
  t.is((await run(['group', 'authenticator', 'add', group])).code, 0, 'nobody must register');
  t.deepEqual(await entries(), ['CIDR:172.16.0.0/12', hidden, hidden]);
  t.is((await run(['group', 'authenticator', 'replace', group, '--yes'])).code, 0);
  t.deepEqual(await entries(), ['CIDR:172.16.0.0/12', hidden]);
  t.not((await code()).status, 200);
  t.is((await run(['group', 'authenticator', 'remove', group, '--yes'])).code, 0);
  t.deepEqual(await entries(), ['CIDR:172.16.0.0/12']);
});

test('account list shows groups, second factor and last login, and filters by them', async (t) => {
  const [plain, coded] = [await w.account({ userGroups: ['Editors'] }), await w.account()];
  const setupCode = randomBytes(8).toString('hex');
  const group = await groupOf(w, coded.id, [`APPAUTH:${setupCode}`]);
  const { run, logIn } = await machine(t);
  const admin = await w.administrator();
  await logIn(admin.id);
  const listed = async (...options: string[]) => {
    const { code, out } = await run(['account', 'list', ...options, '--json']);
    t.is(code, 0);
    return new Map<string, { secondFactor: string; lastLoginAt?: string }>(
      JSON.parse(out).map((account: { id: string }) => [account.id, account]),
    );
  };
  t.is((await listed()).get(coded.id)?.secondFactor, 'required');
  t.is((await listed()).get(plain.id)?.lastLoginAt, undefined);
  t.is((await attempt(w, { id: plain.id })).status, 200);
  t.is((await attempt(w, { id: coded.id, otp: codeOf(setupCode) })).status, 200);
  const all = await listed();
  t.like(all.get(plain.id), { secondFactor: 'none' });
  t.like(all.get(coded.id), { secondFactor: 'registered' });
  for (const { id } of [plain, coded, admin]) t.true(Date.parse(`${all.get(id)?.lastLoginAt}Z`) > Date.now() - 60_000);
  t.deepEqual([...(await listed('--group', group)).keys()], [coded.id]);
  t.true((await listed('--administrators')).has(admin.id));
  t.false((await listed('--administrators')).has(plain.id));
  const without = await listed('--without-second-factor');
  t.true(without.has(plain.id) && !without.has(coded.id));
  const { out } = await run(['account', 'list', '--wide']);
  t.regex(out, new RegExp(`^${plain.id} .* Editors +none +\\d{4}-`, 'm'));
});
