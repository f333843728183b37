import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { sendAccountMail } from '../../src/accounts/send-mail.ts';
import { openMailer } from '../../src/platform/mail/mail.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test, {
  'mail.from': 'platform@example.org',
  publicUrl: 'https://data.example.org/platform',
  'accounts.registration': 'true',
});
const worker = sharedWorker(w, {
  'mail.from': 'platform@example.org',
  publicUrl: 'https://data.example.org/platform',
  'worker.concurrency': '2',
});
const NEW = 'Better-stapler-8';
const login = (id: string, password = PASSWORD) => w.nobody.post('/api/tokens', { id, password });
const registration = (id: string, email = `${id}@example.org`) => ({ id, name: id, email, password: PASSWORD });

/** Mails to an address, once there are that many. */
async function mailsTo(address: string, count = 1): Promise<string[]> {
  await worker();
  const folder = join(w.folder, 'mail');
  for (;;) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const found = texts.filter((text) => text.includes(`\r\nTo: ${address}\r\n`));
    if (found.length >= count) return found;
    await sleep(100);
  }
}
const tokenOf = (mail = '') => /\?token=([\w-]+)\r\n/.exec(mail)?.[1] ?? '';

test('registration answers 202 and mails a token that activates the account; the account has no tenant yet', async (t) => {
  const answer = await w.nobody.post('/api/accounts/registration', registration('Reggie'));
  t.is(answer.status, 202);
  t.is((await login('Reggie')).body.detail, 'Account is not activated.');
  const [mail = ''] = await mailsTo('Reggie@example.org');
  t.true(mail.startsWith('From: platform@example.org\r\nTo: Reggie@example.org\r\nSubject: Activate your account\r\n'));
  t.true(mail.includes('https://data.example.org/platform/activate?token='), mail);
  const activate = () => w.nobody.put(`/api/accounts/activation?token=${tokenOf(mail)}`);
  t.is((await activate()).status, 204);
  const again = await activate();
  t.is(again.status, 400);
  t.is(again.body.code, 'TokenNotValid');
  t.is((await login('reggie')).status, 200);
  const shown = (await w.as(await w.administrator()).get('/api/accounts/Reggie')).body;
  t.is(shown.tenantId, undefined);
  t.true(shown.activated);
});

test('registration with an existing id gets the same answer, creates no account, and the mail says so', async (t) => {
  const { id, userId } = await w.account({ id: 'already-there' });
  const answer = await w.nobody.post('/api/accounts/registration', {
    ...registration(id.toUpperCase(), 'late@example.org'),
    password: NEW,
  });
  t.is(answer.status, 202);
  t.is(answer.raw.length, 0);
  const [mail = ''] = await mailsTo('late@example.org');
  t.true(mail.includes(`'${id.toUpperCase()}'`));
  t.false(mail.includes('token='));
  t.is((await w.sql('select from accounts where lower(id) = $1', [id])).length, 1);
  t.is((await login(id)).status, 200);
  t.is((await w.sql(`select from accounts where user_id = '${userId}' and email is null`)).length, 1);
});

test('an invalid registration is refused with the reasons', async (t) => {
  const weak = await w.nobody.post('/api/accounts/registration', { ...registration('weak'), password: 'short' });
  t.is(weak.body.code, 'InvalidPassword');
  t.is((await w.nobody.post('/api/accounts/registration', registration('odd', 'no address'))).status, 400);
  t.is((await w.nobody.post('/api/accounts/registration', { id: 'x', password: PASSWORD })).status, 400);
  t.is((await w.nobody.post('/api/accounts/registration', registration('me'))).status, 400, 'a reserved id');
});

test('a password reset answers 202 for known and unknown ids; its mailed token sets a password once', async (t) => {
  const root = w.as(await w.administrator());
  const { id } = await w.account({ id: 'forgetful' });
  await root.put('/api/accounts', { id, email: 'forgetful@example.org' });
  const { accessToken, refreshToken } = (await login(id)).body;
  const me = () => w.nobody.get('/api/accounts/me', { authorization: `Bearer ${accessToken.token}` });
  t.is((await me()).status, 200);
  const ask = (text: string) => w.nobody.post('/api/accounts/passwordreset', text);
  for (const text of ['Forgetful', 'nobody-known', 'nobody@example.org']) {
    const { status, raw } = await ask(text);
    t.is(status, 202);
    t.is(raw.length, 0);
  }
  const [mail] = await mailsTo('forgetful@example.org');
  const set = (password: string) => w.nobody.put(`/api/accounts/password?token=${tokenOf(mail)}`, password);
  const weak = await set('weak');
  t.is(weak.body.code, 'InvalidPassword');
  t.is((await set(NEW)).status, 204, 'a refused password does not cost the token');
  t.is((await set(PASSWORD)).status, 400);
  t.is((await login(id)).status, 400);
  t.is((await login(id, NEW)).status, 200);
  t.is((await w.nobody.post('/api/tokens/refresh', refreshToken.token)).status, 404, 'its logins have ended');
  t.is((await me()).status, 401);
});

/** Asks for a reset; this test is the worker, and drops the mail. Returns whether one was sent. */
async function resetHere(id: string): Promise<boolean> {
  const mailer = { send: async () => {} };
  const send = (mailId: string) => sendAccountMail({ db: w.db, mailer, settings: w.config, log: console }, mailId);
  const { status } = await w.nobody.post('/api/accounts/passwordreset', id);
  if (status !== 202) throw new Error(`reset: ${status}`);
  const [asked] = await w.sql<{ id: string }>('select id from account_mails where identifier = $1', [id]);
  await send(asked!.id);
  const [queued] = await w.sql<{ id: string }>(
    `select m.id from account_mails m join accounts a using (user_id) where a.id = $1 and m.kind = 'passwordReset'`,
    [id],
  );
  if (queued) await send(queued.id);
  return queued !== undefined;
}

test.serial('resets of accounts that were never activated count as registration mails of their address', async (t) => {
  const address = 'bystander@example.org';
  for (const id of ['loud-1', 'loud-2']) await w.nobody.post('/api/accounts/registration', registration(id, address));
  for (const rest of [2, 1, 0]) t.true(await resetHere('loud-1'), `${rest} more`);
  t.false(await resetHere('loud-2'));
  await w.nobody.post('/api/accounts/registration', registration('loud-3', address));
  t.is((await w.sql(`select from accounts where id = 'loud-3'`)).length, 0);
  const root = w.as(await w.administrator());
  await w.account({ id: 'loud-neighbour' });
  await root.put('/api/accounts', { id: 'loud-neighbour', email: address });
  t.true(await resetHere('loud-neighbour'), 'strangers do not use up the resets of others');
});

test.serial('an address gets ten reset mails an hour, also if accounts change to it again', async (t) => {
  const root = w.as(await w.administrator());
  const giveAddress = (id: string, email: string) => root.put('/api/accounts', { id, email });
  for (const id of ['crowd-1', 'crowd-2']) {
    await w.account({ id });
    await giveAddress(id, 'crowd@example.org');
    for (const rest of [4, 3, 2, 1, 0]) t.true(await resetHere(id), `${id}: ${rest} more`);
  }
  await giveAddress('crowd-1', 'elsewhere@example.org');
  await giveAddress('crowd-1', 'Crowd@example.org');
  t.false(await resetHere('crowd-1'));
  // others, who can give their accounts any address, do not keep it from the holder of one
  await w.account({ id: 'crowd-3' });
  await giveAddress('crowd-3', 'crowd@example.org');
  t.true(await resetHere('crowd-3'), 'the first of an account');
  t.false(await resetHere('crowd-3'));
});

test.serial('a reset mail that is tried again while mails cannot be sent counts once', async (t) => {
  const root = w.as(await w.administrator());
  const { id } = await w.account({ id: 'patient' });
  await root.put('/api/accounts', { id, email: 'patient@example.org' });
  const mailer = openMailer(w.config);
  const send = (mailId: string) => sendAccountMail({ db: w.db, mailer, settings: w.config, log: console }, mailId);
  /** Asks for a reset, whose worker is this test. */
  const reset = async () => {
    t.is((await w.nobody.post('/api/accounts/passwordreset', id)).status, 202);
    const waiting = `select id from account_mails where identifier = 'patient' or user_id = (select user_id from accounts where id = 'patient')`;
    const [asked] = await w.sql<{ id: string }>(waiting);
    await send(asked!.id);
    return (await w.sql<{ id: string }>(waiting))[0]?.id;
  };
  const folder = join(w.folder, 'mail');
  // no folder for mails
  await writeFile(folder, '');
  const first = await reset();
  for (let tries = 0; tries < 6; tries++) await t.throwsAsync(send(first!), { code: 'EEXIST' });
  await rm(folder);
  await send(first!);
  // four more in this hour
  for (const rest of [3, 2, 1, 0]) {
    const mail = await reset();
    t.truthy(mail, `${rest} more`);
    await send(mail!);
  }
  t.true((await reset()) === undefined);
  t.is((await mailsTo('patient@example.org', 5)).length, 5);
});

test('a reset by e-mail address mails every account with that address', async (t) => {
  const root = w.as(await w.administrator());
  for (const id of ['shared-1', 'shared-2']) {
    await w.account({ id });
    await root.put('/api/accounts', { id, email: 'shared@example.org' });
  }
  t.is((await w.nobody.post('/api/accounts/passwordreset', 'SHARED@example.org')).status, 202);
  const mails = await mailsTo('shared@example.org', 2);
  t.is(mails.length, 2);
  for (const id of ['shared-1', 'shared-2']) t.is(mails.filter((mail) => mail.includes(`'${id}'`)).length, 1);
});

test('a reset mail shortens a long login id', async (t) => {
  const root = w.as(await w.administrator());
  const { id } = await w.account({ id: `visit-${'us.now.'.repeat(10)}` });
  await root.put('/api/accounts', { id, email: 'brief@example.org' });
  t.is((await w.nobody.post('/api/accounts/passwordreset', id)).status, 202);
  const [mail = ''] = await mailsTo('brief@example.org');
  // the encoding of the mail may break lines
  const text = mail.replaceAll('=\r\n', '');
  t.true(text.includes(id.slice(0, 39)));
  t.false(text.includes(id.slice(0, 41)));
});

test('activation and reset tokens are not interchangeable; changing password or address revokes them', async (t) => {
  const root = w.as(await w.administrator());
  const { id } = await w.account({ id: 'two-ways' });
  await root.put('/api/accounts', { id, email: 'two-ways@example.org' });
  await w.nobody.post('/api/accounts/passwordreset', id);
  const [mail] = await mailsTo('two-ways@example.org');
  t.is((await w.nobody.put(`/api/accounts/activation?token=${tokenOf(mail)}`)).status, 400);
  await root.put('/api/accounts', { id, email: 'moved@example.org' });
  t.is((await w.nobody.put(`/api/accounts/password?token=${tokenOf(mail)}`, NEW)).status, 400);
});

test('a password reset, also by an administrator, does not activate a registered account', async (t) => {
  await w.nobody.post('/api/accounts/registration', registration('hasty'));
  const [activation] = await mailsTo('hasty@example.org');
  await w.nobody.post('/api/accounts/passwordreset', 'hasty');
  const [, reset] = await mailsTo('hasty@example.org', 2);
  t.is((await w.nobody.put(`/api/accounts/password?token=${tokenOf(reset)}`, NEW)).status, 204);
  t.is((await login('hasty', NEW)).body.detail, 'Account is not activated.');
  const root = w.as(await w.administrator());
  const { email } = registration('hasty');
  t.is((await root.put('/api/accounts', { id: 'hasty', email, password: PASSWORD })).status, 200);
  t.is((await w.nobody.put(`/api/accounts/activation?token=${tokenOf(activation)}`)).status, 204);
  t.is((await login('hasty')).status, 200);
});

test('changing the e-mail address revokes the activation token sent to the old one', async (t) => {
  await w.nobody.post('/api/accounts/registration', registration('mistyped'));
  const [mail] = await mailsTo('mistyped@example.org');
  const root = w.as(await w.administrator());
  t.is((await root.put('/api/accounts', { id: 'mistyped', email: 'right@example.org' })).status, 200);
  t.is((await w.nobody.put(`/api/accounts/activation?token=${tokenOf(mail)}`)).status, 400);
});

test('tokens are stored as hashes, and mail files are readable by their owner only', async (t) => {
  await w.nobody.post('/api/accounts/registration', registration('hidden'));
  const [mail] = await mailsTo('hidden@example.org');
  const token = tokenOf(mail);
  t.is(token.length, 43);
  for (const table of ['account_tokens', 'account_mails', 'audit', 'graphile_worker._private_jobs']) {
    const rows = await w.sql<{ text: string }>(`select t::text as text from ${table} t`);
    t.false(
      rows.some(({ text }) => text.includes(token) || text.includes(PASSWORD)),
      table,
    );
  }
  const folder = join(w.folder, 'mail');
  t.is((await stat(folder)).mode & 0o777, 0o700);
  // mails of other tests get their names meanwhile
  const modes = (await readdir(folder)).map((name) => stat(join(folder, name)).catch(() => undefined));
  const files = (await Promise.all(modes)).filter((file) => file !== undefined);
  t.true(files.length > 0);
  for (const { mode } of files) t.is(mode & 0o777, 0o600);
});

test('one of many concurrent activations with the same token succeeds', async (t) => {
  await w.nobody.post('/api/accounts/registration', registration('raced'));
  const [mail] = await mailsTo('raced@example.org');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => w.nobody.put(`/api/accounts/activation?token=${tokenOf(mail)}`)),
  );
  t.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(9).fill(400)]);
});

test('the hourly clean-up removes registrations whose activation token has expired, and no others', async (t) => {
  const ids = ['stale-gone', 'stale-token', 'stale-changed', 'stale-activated', 'stale-young'];
  for (const id of ids) await w.nobody.post('/api/accounts/registration', registration(id));
  for (const id of ids) await mailsTo(`${id}@example.org`);
  const waiting = () => w.sql(`select from account_mails m join accounts a using (user_id) where a.id like 'stale-%'`);
  while ((await waiting()).length > 0) await sleep(50);
  await w.sql(
    `update accounts set created_at = now() - interval '25 hours', updated_at = now() - interval '25 hours'
     where id like 'stale-%' and id <> 'stale-young'`,
  );
  await w.sql(`update accounts set updated_at = now() where id = 'stale-changed'`);
  await w.sql(`update accounts set activated = true where id = 'stale-activated'`);
  // last, because the hour of the worker's own clean-up may come
  await w.sql(
    `update account_tokens set expires_at = now() - interval '1 minute'
     where user_id in (select user_id from accounts where id like 'stale-%' and id <> 'stale-token')`,
  );
  await w.sql(`select graphile_worker.add_job('cleanUp', '{}'::json)`);
  const left = async () =>
    (await w.sql<{ id: string }>(`select id from accounts where id like 'stale-%' order by id`)).map(({ id }) => id);
  while ((await left()).includes('stale-gone')) await sleep(50);
  t.deepEqual(await left(), ['stale-activated', 'stale-changed', 'stale-token', 'stale-young']);
});

test('an address gets five registration mails an hour; further requests get the same answer and create nothing', async (t) => {
  const taken = { ...registration('long '.repeat(20).trim()), email: 'Flooded@example.org' };
  await w.account({ id: taken.id });
  const wanted = [taken, ...Array.from({ length: 7 }, (_, n) => registration(`flood-${n}`, 'flooded@example.org'))];
  for (const each of wanted) t.is((await w.nobody.post('/api/accounts/registration', each)).status, 202);
  t.is((await w.sql(`select from accounts where id like 'flood-%'`)).length, 4);
  t.is((await w.sql(`select from registration_mails where lower(recipient) = 'flooded@example.org'`)).length, 5);
  const [mail = ''] = await mailsTo('Flooded@example.org');
  t.false(mail.includes(taken.id), 'an id that is long is shortened');
  await w.sql(
    `update registration_mails set ordered_at = now() - interval '61 minutes'
     where lower(recipient) = 'flooded@example.org'`,
  );
  await w.nobody.post('/api/accounts/registration', registration('flood-later', 'flooded@example.org'));
  t.is((await w.sql(`select from accounts where id = 'flood-later'`)).length, 1);
});

test('a client can cause thirty registration mails an hour, over all addresses', async (t) => {
  let number = 0;
  const register = (remoteAddress: string) => {
    const id = `many-${++number}`;
    return w.nobody.send({
      method: 'POST',
      url: '/api/accounts/registration',
      remoteAddress,
      payload: registration(id),
    });
  };
  const made = async () => (await w.sql(`select from accounts where id like 'many-%'`)).length;
  const hosts = Array.from({ length: 33 }, (_, host) => `2001:db8:5:5::${host}`);
  for (const { status } of await Promise.all(hosts.map(register))) t.is(status, 202);
  t.is(await made(), 30);
  t.is((await register('2001:db8:5:6::1')).status, 202);
  t.is(await made(), 31);
});

const form = (url: string, members: Record<string, string>, headers: Record<string, string> = {}) =>
  w.nobody.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(members).toString(),
  });
/** Where the form of a page goes when the page has this address. */
const actionOf = (page: string, address: string) =>
  new URL(/<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? 'none', `https://host${address}`).pathname;

test('the page of an activation has no scripts; only its button activates the account', async (t) => {
  await w.nobody.post('/api/accounts/registration', registration('Pagan'));
  const [mail = ''] = await mailsTo('Pagan@example.org');
  const address = `/api/accounts/activation?token=${tokenOf(mail)}`;
  const page = await w.nobody.get(address);
  t.is(page.status, 200);
  t.regex(String(page.headers['content-type']), /^text\/html/);
  t.is(page.headers['referrer-policy'], 'no-referrer');
  t.is(page.headers['cache-control'], 'no-store');
  t.regex(
    String(page.headers['content-security-policy']),
    /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
  );
  t.notRegex(page.body, /<script/i);
  t.is((await login('Pagan')).body.detail, 'Account is not activated.');
  const action = actionOf(page.body, address);
  t.true(page.body.includes(`value="${tokenOf(mail)}"`));

  const foreign = await form(action, { token: tokenOf(mail) }, { 'sec-fetch-site': 'cross-site' });
  t.is(foreign.status, 403);
  t.is((await login('Pagan')).body.detail, 'Account is not activated.');
  const done = await form(action, { token: tokenOf(mail) }, { 'sec-fetch-site': 'same-origin' });
  t.is(done.status, 200);
  t.regex(done.body, /Your account is active/);
  t.is((await login('Pagan')).status, 200);
  const again = await form(action, { token: tokenOf(mail) });
  t.is(again.status, 400);
  t.regex(String(again.headers['content-type']), /^text\/html/);
  t.regex(again.body, /was used before or has expired/);
});

test('a page for browsers without scripts shows the password policy, explains refusals and sets the password', async (t) => {
  const { id } = await w.account({ id: 'absent-minded' });
  await w.sql("update accounts set email = 'absent-minded@example.org' where id = $1", [id]);
  await w.nobody.post('/api/accounts/passwordreset', id);
  const [mail = ''] = await mailsTo('absent-minded@example.org');
  t.true(mail.includes('https://data.example.org/platform/reset?token='), mail);
  const token = tokenOf(mail);
  const address = `/api/accounts/password?token=${token}`;
  const page = await w.nobody.get(address);
  t.is(page.status, 200);
  t.regex(page.body, /at least 10 characters/);
  const action = actionOf(page.body, address);
  const weak = await form(action, { token, password: 'short', again: 'short' });
  t.is(weak.status, 400);
  t.regex(weak.body, /It must have at least 10 characters\./);
  t.regex(weak.body, /It must have a digit\./);
  t.false(weak.body.includes('"short"'), 'a password is not sent back');
  const mistyped = await form(action, { token, password: NEW, again: PASSWORD });
  t.regex(mistyped.body, /The two passwords differ\./);
  const before = (await login(id)).body.accessToken.token;
  const me = () => w.nobody.get('/api/accounts/me', { authorization: `Bearer ${before}` });
  t.is((await me()).status, 200, 'nothing has changed');
  t.is((await form(action, { token, password: NEW, again: NEW })).status, 200);
  t.is((await me()).status, 401);
  t.is((await login(id, NEW)).status, 200);
  t.is((await form(action, { token, password: PASSWORD, again: PASSWORD })).status, 400);
});

test('pages do not show content from the link, and report a link without a token', async (t) => {
  for (const path of ['activation', 'password']) {
    const odd = await w.nobody.get(`/api/accounts/${path}?token=${encodeURIComponent('"><script>alert(1)</script>')}`);
    t.is(odd.status, 400);
    t.regex(String(odd.headers['content-type']), /^text\/html/);
    t.notRegex(odd.body, /script/);
    t.regex((await w.nobody.get(`/api/accounts/${path}`)).body, /link is incomplete|You need the link of a mail/);
  }
  t.is(
    (await w.nobody.put('/api/accounts/activation?token=unknown')).body.code,
    'TokenNotValid',
    'programs get problems',
  );
});
