import { randomBytes } from 'node:crypto';
import test from 'ava';
import { KeyStore } from '../../src/platform/keys/key-store.ts';
import { Sealer } from '../../src/platform/keys/sealing.ts';
import { type Attempt, attempt, codeOf, groupOf, setupCodeFrom, wrongCodeOf } from '../world/authenticator.ts';
import { testDatabase, world } from '../world.ts';

const w = world(test);
const register = (one: Attempt) => attempt(w, one, '/api/tokens/otp/registration');
const recoveryCodes = (one: Attempt) => attempt(w, one, '/api/tokens/otp/recovery-codes');
const newCode = () => randomBytes(8).toString('hex');

test('registering an authenticator returns its secret as text and as a QR code', async (t) => {
  const { id } = await w.account();
  const { status, headers, body } = await register({ id });
  t.is(status, 200);
  t.is(headers['cache-control'], 'no-store');
  t.is(headers.pragma, 'no-cache');
  t.deepEqual(Object.keys(body).sort(), ['manualEntryCode', 'qrCode']);
  t.regex(body.manualEntryCode, /^[A-Z2-7]{26}$/);
  t.regex(setupCodeFrom(body.manualEntryCode), /^[A-Za-z0-9]{16}$/);
  const [, png = ''] = /^data:image\/png;base64,(.+)$/.exec(body.qrCode) ?? [];
  t.is(Buffer.from(png, 'base64').subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');

  t.true((await attempt(w, { id })).body.otpRequired);
  const otp = codeOf(setupCodeFrom(body.manualEntryCode));
  t.truthy((await attempt(w, { id, otp, otpAuthenticator: 'APPAUTH' })).body.accessToken);
});

test('a secret is shown until its first code is accepted, also to concurrent requests, and never after', async (t) => {
  const { id } = await w.account();
  const answers = await Promise.all(Array.from({ length: 5 }, () => register({ id })));
  t.is(new Set(answers.map(({ body }) => body.manualEntryCode)).size, 1);
  const setupCode = setupCodeFrom(answers[0]?.body.manualEntryCode);
  await attempt(w, { id, otp: codeOf(setupCode) });

  for (const otp of [undefined, null, '']) {
    const refused = await register({ id, ...(otp === undefined ? {} : { otp }) });
    t.is(refused.status, 403);
    t.is(refused.body.code, 'OtpAlreadyRegistered');
    t.false(JSON.stringify(refused.body).includes(answers[0]?.body.manualEntryCode));
  }
  t.is((await register({ id, otp: wrongCodeOf(setupCode) })).body.detail, 'Illegal one-time password.');
  const again = await register({ id, otp: codeOf(setupCode, { steps: 1 }) });
  t.is(again.status, 200);
  t.not(again.body.manualEntryCode, answers[0]?.body.manualEntryCode, 'who registers again gets a new one');
  t.is((await attempt(w, { id, otp: codeOf(setupCode, { steps: 1 }) })).status, 400, 'and the old one is void');
  t.truthy((await attempt(w, { id, otp: codeOf(setupCodeFrom(again.body.manualEntryCode)) })).body.accessToken);
});

test('with a shared group entry the code of the group is valid for each account until its own first code', async (t) => {
  const setupCode = newCode();
  const [first, second] = [await w.account(), await w.account()];
  await groupOf(w, first.id, [`APPAUTH:${setupCode}`]);
  await groupOf(w, second.id, [`APPAUTH:${setupCode}&Comment:shared`]);
  t.is(setupCodeFrom((await register({ id: first.id })).body.manualEntryCode), setupCode);
  await attempt(w, { id: first.id, otp: codeOf(setupCode) });
  t.is((await register({ id: first.id })).status, 403);
  t.is(setupCodeFrom((await register({ id: second.id })).body.manualEntryCode), setupCode);
  t.is((await register({ id: second.id, otpAuthenticator: 'OTHER' })).status, 400);
});

test("the password alone cannot replace an account's own authenticator by the group's", async (t) => {
  const { id } = await w.account();
  const own = setupCodeFrom((await register({ id })).body.manualEntryCode);
  await attempt(w, { id, otp: codeOf(own) });
  const shared = newCode();
  await groupOf(w, id, [`APPAUTH:${shared}`]);
  t.is((await register({ id })).body.code, 'OtpAlreadyRegistered');
  t.is(setupCodeFrom((await register({ id, otp: codeOf(own, { steps: 1 }) })).body.manualEntryCode), shared);
});

test('registration is 403 outside of the networks that allow login without an authenticator', async (t) => {
  const { id } = await w.account();
  await groupOf(w, id, ['CIDR:10.0.0.0/8']);
  t.is((await register({ id, from: '203.0.113.9' })).status, 403);
  t.is((await register({ id, from: '10.0.0.1' })).status, 200);
});

test('a wrong password or an unusable account gets no secret', async (t) => {
  const { id, userId } = await w.account();
  t.is((await register({ id, password: 'Wrong-horse-77' })).body.detail, 'Account validation failed.');
  t.is((await register({ id: 'nobody-at-all' })).body.detail, 'Account validation failed.');
  await w.sql('update accounts set enabled = false where user_id = $1', [userId]);
  t.is((await register({ id })).body.detail, 'Account is disabled.');
});

test('ten recovery codes each replace a one-time password once, and are stored as hashes', async (t) => {
  const { id, userId } = await w.account();
  t.is((await recoveryCodes({ id, otp: '123456' })).body.code, 'NoAuthenticator');
  const setupCode = setupCodeFrom((await register({ id })).body.manualEntryCode);
  t.is((await recoveryCodes({ id })).body.detail, 'Illegal one-time password.');
  const { status, headers, body } = await recoveryCodes({ id, otp: codeOf(setupCode) });
  t.is(status, 200);
  t.is(headers['cache-control'], 'no-store');
  const codes: string[] = body.recoveryCodes;
  t.is(new Set(codes).size, 10);
  t.regex(codes[0] ?? '', /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);

  const answers = await Promise.all(Array.from({ length: 10 }, () => attempt(w, { id, otp: codes[0] ?? '' })));
  t.is(answers.filter((answer) => answer.status === 200).length, 1);
  t.truthy((await attempt(w, { id, otp: (codes[1] ?? '').toLowerCase().replaceAll('-', ' ') })).body.accessToken);
  const user = await w.account();
  await register({ id: user.id });
  t.is((await attempt(w, { id: user.id, otp: codes[2] ?? '' })).status, 400, "another account's");

  const [stored] = await w.sql<{ text: string }>("select string_agg(c::text, '') as text from recovery_codes c");
  for (const code of codes) t.false(stored?.text.includes(Buffer.from(code.replaceAll('-', '')).toString('hex')));
  t.is((await w.as({ userId }).get('/api/tokens/otp')).body.recoveryCodes, 8);
  await recoveryCodes({ id, otp: codes[2] ?? '' });
  t.is((await attempt(w, { id, otp: codes[3] ?? '' })).status, 400, 'new ones make the old ones void');
});

test('a reset by an administrator removes the registered authenticator, and no code is accepted twice', async (t) => {
  const admin = await w.administrator();
  const { id, userId } = await w.account();
  const setupCode = setupCodeFrom((await register({ id })).body.manualEntryCode);
  await recoveryCodes({ id, otp: codeOf(setupCode) });
  t.deepEqual((await w.as({ userId }).get('/api/tokens/otp')).body, {
    id,
    authenticators: [{ type: 'APPAUTH', own: true, registered: true }],
    recoveryCodes: 10,
    failures: 0,
  });
  t.is((await w.as(admin).delete(`/api/tokens/otp/${id}`)).status, 204);
  t.deepEqual((await w.as(admin).get(`/api/tokens/otp/${id}`)).body, {
    id,
    authenticators: [],
    recoveryCodes: 0,
    failures: 0,
  });
  t.truthy((await attempt(w, { id })).body.accessToken);
  t.is((await w.as(admin).delete('/api/tokens/otp/nobody-at-all')).status, 404);

  const member = await w.account();
  const shared = newCode();
  await groupOf(w, member.id, [`APPAUTH:${shared}`]);
  const otp = codeOf(shared);
  await attempt(w, { id: member.id, otp });
  await w.as(admin).delete(`/api/tokens/otp/${member.id}`);
  t.is(setupCodeFrom((await register({ id: member.id })).body.manualEntryCode), shared, 'shown again');
  t.is((await attempt(w, { id: member.id, otp })).status, 400, 'a used code stays used');
  const rows = await w.sql("select account_id from audit where action = 'otp.reset' and subject = $1", [id]);
  t.deepEqual(rows, [{ account_id: admin.id }]);
});

test('own setup codes are stored encrypted per account, and can be read after the key is retired', async (t) => {
  const { id, userId } = await w.account();
  const setupCode = setupCodeFrom((await register({ id })).body.manualEntryCode);
  const [row] = await w.sql<{ sealed: Buffer; text: string }>(
    'select sealed, a::text as text from account_authenticators a where user_id = $1',
    [userId],
  );
  t.false(row?.sealed.includes(setupCode));
  t.false(row?.text.includes(Buffer.from(setupCode).toString('hex')));

  const { db, close } = await testDatabase();
  t.teardown(close);
  const sealer = await Sealer.open(w.db, new KeyStore());
  t.is(await sealer.unseal(row?.sealed ?? Buffer.alloc(0), `APPAUTH of ${userId}`), setupCode);
  await t.throwsAsync(sealer.unseal(row?.sealed ?? Buffer.alloc(0), 'APPAUTH of another'), {
    message: /changed or copied/,
  });
  const stranger = await Sealer.open(db, new KeyStore());
  await t.throwsAsync(stranger.unseal(row?.sealed ?? Buffer.alloc(0), `APPAUTH of ${userId}`), {
    message: /does not exist/,
  });

  await w.sql("update signing_keys set retired_at = now() where use = 'seal'");
  const later = await Sealer.open(w.db, new KeyStore());
  t.is(await later.unseal(row?.sealed ?? Buffer.alloc(0), `APPAUTH of ${userId}`), setupCode);
  t.not(later.seal('x', 'y').subarray(0, 16).toString('hex'), row?.sealed.subarray(0, 16).toString('hex'));
  t.truthy((await attempt(w, { id, otp: codeOf(setupCode) })).body.accessToken);
});
