import { createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { openBreached } from '../../src/accounts/breached.ts';
import { Passwords } from '../../src/accounts/password.ts';
import { AppError } from '../../src/errors.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const HERE = '127.0.0.1';
const login = (id: string, password: string) => w.nobody.post('/api/tokens', { id, password });

test('stored passwords are PBKDF2-HMAC-SHA-512 of 220,000 iterations with a salt of 16 bytes', async (t) => {
  const passwords = new Passwords();
  const stored = await passwords.hash(PASSWORD, HERE);
  const [name, iterations, salt = '', hash] = stored.split('$');
  t.is(name, 'pbkdf2-sha512');
  t.is(iterations, '220000');
  t.is(Buffer.from(salt, 'base64').length, 16);
  t.is(pbkdf2Sync(PASSWORD, Buffer.from(salt, 'base64'), 220_000, 64, 'sha512').toString('base64'), hash);
  t.true(await passwords.matches(PASSWORD, stored, HERE));
  t.false(await passwords.matches(`${PASSWORD} `, stored, HERE));
  t.false(await passwords.matches(PASSWORD, undefined, HERE));
  t.not(await new Passwords(1).hash(PASSWORD, HERE), await new Passwords(1).hash(PASSWORD, HERE));
});

test('a hash in the legacy form is accepted, and renewed at the next login', async (t) => {
  const { id, userId } = await w.account();
  const salt = randomBytes(16);
  const older = Buffer.concat([salt, pbkdf2Sync(PASSWORD, salt, 10_000, 20, 'sha1')]).toString('base64');
  await w.sql('update accounts set password_hash = $1 where user_id = $2', [older, userId]);
  const stored = async () =>
    (await w.sql<{ password_hash: string }>('select password_hash from accounts where user_id = $1', [userId]))[0]
      ?.password_hash;
  t.is((await login(id, 'Wrong-horse-77')).status, 400);
  t.is(await stored(), older, 'a wrong password changes nothing');
  t.is((await login(id, PASSWORD)).status, 200);
  t.regex((await stored()) ?? '', /^pbkdf2-sha512\$/);
  t.is((await login(id, PASSWORD)).status, 200);
});

test('PBKDF2-HMAC-SHA-256 of 600,000 iterations is accepted and kept', async (t) => {
  const { id, userId } = await w.account();
  const salt = randomBytes(16);
  const hash = pbkdf2Sync(PASSWORD, salt, 600_000, 32, 'sha256').toString('base64');
  const stored = `pbkdf2-sha256$600000$${salt.toString('base64')}$${hash}`;
  await w.sql('update accounts set password_hash = $1 where user_id = $2', [stored, userId]);
  t.is((await login(id, PASSWORD)).status, 200);
  t.is((await w.sql('select from accounts where password_hash = $1', [stored])).length, 1);
});

test('excess logins are refused before any work, with Retry-After', async (t) => {
  const passwords = new Passwords(1000);
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, () => passwords.hash(PASSWORD, HERE)));
  const done = outcomes.filter((one) => one.status === 'fulfilled').length;
  t.true(done >= 128 && done < 139, `${done} of one address`);
  for (const one of outcomes) {
    if (one.status === 'fulfilled') continue;
    t.true(one.reason instanceof AppError);
    t.is(one.reason.kind, 'tooManyRequests');
    t.true(one.reason.details.retryAfter > 0);
  }
  t.regex(await passwords.hash(PASSWORD, HERE), /^pbkdf2/, 'afterwards the queue is free again');
});

test('fingerprints of requests with passwords use the same bounded queue and are deterministic', async (t) => {
  const passwords = new Passwords(1000);
  const make = (salt: string) => passwords.fingerprint(Buffer.from(PASSWORD), salt, HERE);
  t.deepEqual(await make('one'), await make('one'));
  t.notDeepEqual(await make('one'), await make('other'));
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, () => make('one')));
  const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  t.true(refused.length > 0);
  t.true(refused.every((reason) => reason instanceof AppError && reason.kind === 'tooManyRequests'));
});

test('breached passwords are refused, also with added capitals, digits, punctuation or substitutions', async (t) => {
  const admin = w.as(await w.administrator());
  for (const password of ['Password12345!', 'P@ssw0rd2024!!', 'Qwertyuiop123!', 'Sunsh1ne!2026!']) {
    const { status, body } = await admin.post('/api/accounts', { id: 'breached', password });
    t.is(status, 400, password);
    t.is(body.code, 'InvalidPassword');
    t.deepEqual(body.errors, { password: ['PasswordIsBreached'] }, password);
  }
  const list = openBreached({ 'accounts.breachedPasswords': 'list', 'accounts.breachedPasswordsUrl': '' }, silent);
  t.true(await list.has('Password1!'));
  t.true(await list.has('P@ssw0rd2024'));
  t.true(await list.has('1234567890'));
  t.false(await list.has(PASSWORD));
  t.false(await list.has('!!2024'), 'what is nothing but decoration is no word of the list');
  const off = openBreached({ 'accounts.breachedPasswords': 'off', 'accounts.breachedPasswordsUrl': '' }, silent);
  t.false(await off.has('Password1!'));
});

const silent = { warn: () => {} };

/** A service of ranges on loopback; `answer` gets the five digits. */
async function ranges(t: ExecutionContext, answer: (prefix: string) => string | undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const text = answer(request.url?.slice('/range/'.length) ?? '');
    if (text !== undefined) response.end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const warnings: object[] = [];
  const log = { warn: (details: object) => void warnings.push(details) };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range`;
  const settings = { 'accounts.breachedPasswords': 'range', 'accounts.breachedPasswordsUrl': url } as const;
  return { breached: openBreached(settings, log), asked, warnings };
}

test.serial('the range service receives five digits of the hash, and its padding is ignored', async (t) => {
  const digest = createHash('sha1').update('Known-breach-1').digest('hex').toUpperCase();
  const padded = createHash('sha1').update('Padded-line-2').digest('hex').toUpperCase();
  const { breached, asked, warnings } = await ranges(t, (prefix) =>
    [digest, padded]
      .filter((each) => each.startsWith(prefix))
      .map((each) => `${'0'.repeat(35)}:3\r\n${each.slice(5)}:${each === digest ? 12 : 0}`)
      .join('\r\n'),
  );
  t.true(await breached.has('Known-breach-1'));
  t.false(await breached.has('Padded-line-2'));
  t.false(await breached.has('Never-seen-3'));
  t.is(asked[0], `/range/${digest.slice(0, 5)}`);
  t.true(asked.every((path) => /^\/range\/[0-9A-F]{5}$/.test(path)));
  t.deepEqual(warnings, []);
});

test('if the range service does not answer, passwords are accepted and the failure is counted', async (t) => {
  const { breached, warnings } = await ranges(t, () => undefined);
  t.false(await breached.has('Known-breach-1'));
  t.false(await breached.has('Known-breach-1'));
  t.like(warnings, { 0: { unchecked: 1 }, 1: { unchecked: 2 }, length: 2 });
  const endless = await ranges(t, () => 'x'.repeat(2_000_000));
  t.false(await endless.breached.has('Known-breach-1'));
  t.is(endless.warnings.length, 1);
});

test('the shipped list is normalized as passwords are before comparison', async (t) => {
  const folder = new URL('../../src/accounts/', import.meta.url);
  t.true((await readdir(folder)).includes('breached-passwords.txt'));
  const words = (await readFile(new URL('breached-passwords.txt', folder), 'utf8')).trim().split('\n');
  t.true(words.length > 5000);
  t.is(new Set(words).size, words.length);
  t.deepEqual(
    words.filter((word) => word !== word.toLowerCase() || word !== word.trim()),
    [],
  );
});

test('a login succeeds if the hash is renewed during it, but not if the password is changed', async (t) => {
  for (const [password, status] of [
    [PASSWORD, 200],
    ['Another-horse-8', 400],
  ] as const) {
    const { id, userId } = await w.account();
    const client = new pg.Client(w.url);
    await client.connect();
    t.teardown(() => client.end());
    await client.query('begin');
    const fresh = await new Passwords(20).hash(password, HERE);
    await client.query('update accounts set password_hash = $1 where user_id = $2', [fresh, userId]);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const waiting = () => w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0].pid]);
    const answer = login(id, PASSWORD);
    while ((await waiting()).length === 0) await setTimeout(10);
    await client.query('commit');
    t.is((await answer).status, status);
  }
});
