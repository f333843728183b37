import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { sql } from '../../src/db.ts';
import { forgetRetiredKeys, TokenKeys } from '../../src/tokens/keys.ts';
import { PASSWORD, PASSWORD_ITERATIONS, testDatabase, world } from '../world.ts';

const w = world(test);
const asAdmin = async () => w.as(await w.administrator());
const published = async () => (await w.nobody.get('/.well-known/jwks.json')).body;
const kids = async () => (await published()).keys.map((key: { kid: string }) => key.kid);
async function login() {
  const { id } = await w.account();
  const { body } = await w.nobody.post('/api/tokens', { id, password: PASSWORD });
  return body.accessToken.token as string;
}
const statusOf = async (token: string) =>
  (await w.nobody.get('/api/iam/principal/me', { authorization: `Bearer ${token}` })).status;

test.serial('the next key is published before its first use, and the old key still verifies', async (t) => {
  const [signing, next] = await kids();
  const old = await login();
  t.is(decodeProtectedHeader(old).kid, signing);

  const { status, body } = await (await asAdmin()).post('/api/tokens/keys/rotate');
  t.is(status, 200);
  t.deepEqual(
    body.data
      .map(({ kid, state }: { kid: string; state: string }) => [kid, state])
      .filter(([kid]: [string]) => kid !== body.data[1].kid),
    [
      [next, 'signing'],
      [signing, 'retired'],
    ],
  );
  const token = await login();
  t.is(decodeProtectedHeader(token).kid, next);
  t.is(await statusOf(token), 200);
  t.is(await statusOf(old), 200);
  t.deepEqual(await kids(), [next, body.data[1].kid, signing]);
  await t.notThrowsAsync(jwtVerify(old, createLocalJWKSet(await published())));
  const rows = await w.sql("select subject, account_id from audit where action = 'keys.rotate'");
  t.deepEqual(rows, [{ subject: next, account_id: (await w.administrator()).id }]);
});

test.serial(
  'a rotation with an Idempotency-Key is done once, and its tokens are signed with the new key at once',
  async (t) => {
    const admin = await asAdmin();
    const [, next] = await kids();
    const rotate = () => admin.post('/api/tokens/keys/rotate', undefined, { 'idempotency-key': 'rotate once' });
    const [first, second] = [await rotate(), await rotate()];
    t.is(first.status, 200);
    t.deepEqual(second.body, first.body);
    t.is(decodeProtectedHeader(await login()).kid, next);
  },
);

test.serial('a process that was idle for hours signs with the key to which other processes have rotated', async (t) => {
  const { config, db, url, blobs } = w;
  const log = pino({ level: 'fatal' });
  const idle = await buildApp({ config, db, databaseUrl: url, blobs, log, passwordIterations: PASSWORD_ITERATIONS });
  t.teardown(() => idle.close());
  const post = async (path: string, payload: object | string) => {
    const headers = { 'content-type': 'application/json' };
    return (await idle.inject({ method: 'POST', url: path, headers, payload: JSON.stringify(payload) })).json();
  };
  const kidOf = ({ accessToken }: { accessToken: { token: string } }) => decodeProtectedHeader(accessToken.token).kid;
  const { id } = await w.account();
  const before = await post('/api/tokens', { id, password: PASSWORD });
  await (await asAdmin()).post('/api/tokens/keys/rotate');
  const [signing] = await kids();
  t.not(kidOf(before), signing);
  const { now } = performance;
  t.teardown(() => {
    performance.now = now;
  });
  for (const hours of [2, 4]) {
    performance.now = () => now.call(performance) + hours * 3_600_000;
    const answer =
      hours === 2
        ? await post('/api/tokens', { id, password: PASSWORD })
        : await post('/api/tokens/refresh', before.refreshToken.token);
    t.is(kidOf(answer), (await kids())[0]);
    await (await asAdmin()).post('/api/tokens/keys/rotate');
  }
});

test.serial('two concurrent rotations leave one current and one next key', async (t) => {
  const admin = await asAdmin();
  const answers = await Promise.all([1, 2, 3].map(() => admin.post('/api/tokens/keys/rotate')));
  t.true(answers.every(({ status }) => status === 200));
  const rows = await w.sql<{ current: string; next: string }>(`
    select count(*) filter (where activated_at is not null and retired_at is null) as current,
      count(*) filter (where activated_at is null) as next from signing_keys where use = 'token'`);
  t.deepEqual(rows, [{ current: '1', next: '1' }]);
  t.is(await statusOf(await login()), 200);
});

test.serial(
  'a retired key is published for an access-token lifetime and a minute, and forgotten a day later',
  async (t) => {
    const { db, close } = await testDatabase();
    t.teardown(close);
    const lifetime = 30 * 60_000;
    const settings = { 'tokens.accessLifetime': lifetime, 'tokens.keyFiles': [] };
    const keys = await TokenKeys.open(db, settings);
    const [first] = await keys.published();
    const kid = first?.kid ?? '';
    const retire = (minutes: number) =>
      db.transaction((tx) =>
        tx.query(sql.unsafe`
      update signing_keys set retired_at = now() - ${minutes} * interval '1 minute' where kid = ${kid}`),
      );
    const isThere = () => db.exists(sql.unsafe`select from signing_keys where kid = ${kid}`);
    await retire(29);
    const shown = async () => (await (await TokenKeys.open(db, settings)).published()).some((key) => key.kid === kid);
    t.true(await shown());
    await retire(32);
    t.false(await shown());
    await forgetRetiredKeys(db, lifetime);
    t.true(await isThere());
    await retire(32 + 24 * 60);
    await forgetRetiredKeys(db, lifetime);
    t.false(await isThere());
  },
);

test('key files replace generated keys for signing and checking, and are rotated by changing the files', async (t) => {
  const pem = (kind: 'private' | 'public', bits = 2048) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    return kind === 'private'
      ? privateKey.export({ format: 'pem', type: 'pkcs8' })
      : publicKey.export({ format: 'pem', type: 'spki' });
  };
  const file = async (name: string, text: string | Buffer) => {
    const path = join(w.folder, name);
    await writeFile(path, text);
    return path;
  };
  const signing = await file('signing.pem', pem('private'));
  const next = await file('next.pem', pem('public'));
  const open = (...paths: string[]) =>
    TokenKeys.open(w.db, { 'tokens.accessLifetime': 1000, 'tokens.keyFiles': paths });
  const keys = await open(signing, next);
  const [first, second] = await keys.published();
  t.is(keys.signing().kid, first?.kid);
  t.deepEqual(
    (await keys.states()).map(({ kid, state }) => [kid, state]),
    [
      [first?.kid, 'signing'],
      [second?.kid, 'next'],
    ],
  );
  t.is((await open(signing)).signing().kid, first?.kid, 'a key has the same name in every process');
  t.false(JSON.stringify(await keys.published()).includes('"d"'));
  const caller = {
    userId: '',
    accountId: 'root',
    foldedId: 'root',
    tenants: [],
    groups: [],
    roles: [],
    scopes: [],
    via: 'token',
    address: '',
    requestId: '',
  } as const;
  await t.throwsAsync(keys.rotate(caller), { message: /come from files/ });

  for (const [paths, message] of [
    [[next], /is the first file and must contain a private key/],
    [[signing, await file('small.pem', pem('public', 1024))], /has a key of less than 2048 bits/],
    [[signing, await file('nonsense.pem', 'nonsense')], /contains no RSA key/],
    [[join(w.folder, 'absent.pem')], /absent.pem cannot be read/],
  ] as const)
    await t.throwsAsync(open(...paths), { message });
});

test('an access token has one base64url encoding: padding and stray bits at the end of a part are refused', async (t) => {
  const token = await w.tokenOf(await w.administrator());
  const ask = async (text: string) =>
    (await w.nobody.get('/api/accounts/me', { authorization: `Bearer ${text}` })).status;
  t.is(await ask(token), 200);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const other = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => signature.slice(0, -1) + last)
    .find((text) => text !== signature && Buffer.from(text, 'base64url').equals(bytes));
  for (const text of [
    `${token}==`,
    `${token}=`,
    `${head}=.${claims}.${signature}`,
    `${token}%3D`,
    `${head}.${claims}.${other}`,
  ])
    t.is(await ask(text), 401, text.slice(-12));
});
